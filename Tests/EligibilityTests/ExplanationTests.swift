import Foundation
import Testing

@testable import OfferModel

@Suite("decisions in words")
struct ExplanationTests {
    /// The files whose every case is explained in `Fixtures/explanations.txt`.
    private static let files = ["availability", "catalog", "limits", "rollout", "totals"]

    private static func text(of filed: FiledCase) -> String? {
        guard let question = filed.question else { return nil }
        let decision = decide(question, facts: filed.facts)
        let outlook = decision.outlook(question, facts: filed.facts)
        let explanation = Explanation(decision, outlook: outlook)
        return """
            \(filed)
                \(decision.outcome.rawValue): \(explanation.sentence)
                \(explanation.change)
                to the customer: \(explanation.customerAnswer(in: nil))

            """
    }

    @Test("the answers on limits, rollouts, openings and catalogs read as the golden file")
    func golden() throws {
        let url = try #require(Bundle.module.url(forResource: "Fixtures/explanations", withExtension: "txt"))
        let expected = try String(contentsOf: url, encoding: .utf8)
        let cases = try FiledCase.all().filter { Self.files.contains($0.source) }
        let found = cases.compactMap(Self.text).joined(separator: "\n")
        for (line, other) in zip(found.split(separator: "\n"), expected.split(separator: "\n")) {
            #expect(line == other)
        }
        #expect(found == expected)
    }

    @Test("what is told to the customer names no other offer, limit, count, share or signal")
    func customerSafe() throws {
        let forbidden = ["limit", "rollout", "held out", "signal", "%", "`", "uses", "exclud", "tag", "transaction"]
        for filed in try FiledCase.all() {
            guard let question = filed.question else { continue }
            let decision = decide(question, facts: filed.facts)
            let outlook = decision.outlook(question, facts: filed.facts)
            let answer = Explanation(decision, outlook: outlook).customerAnswer(in: nil)
            for word in forbidden { #expect(!answer.lowercased().contains(word), "\(filed): \(answer)") }
            for offer in question.offers where offer.id.rawValue.count > 5 {
                #expect(!answer.contains(offer.id.rawValue), "\(filed): \(answer)")
            }
            #expect(answer.hasSuffix("."), "\(filed): \(answer)")
        }
    }

    private static func finding(_ rule: RuleId, _ verdict: Verdict) -> Finding {
        Finding(rule: rule, verdict: verdict, reason: .notApplicable, message: rule.rawValue)
    }

    private static let told: [(findings: [Finding], sentence: String)] = [
        ([], "all rules pass"),
        ([finding(.ruleEligibility, .violated)], "rule.eligibility"),
        (
            [finding(.ruleEligibility, .violated), finding(.limitCustomer, .violated)],
            "rule.eligibility (and 1 other reason)"
        ),
        // The grant waits, and will lift these.
        ([finding(.ruleEligibility, .violated), finding(.grantApplied, .notApplicable)], "grant.applied"),
        (
            [
                finding(.ruleEligibility, .violated), finding(.limitCustomer, .undetermined),
                finding(.grantApplied, .notApplicable),
            ],
            "grant.applied"
        ),
        (
            [
                finding(.catalogPaused, .violated), finding(.ruleEligibility, .violated),
                finding(.grantApplied, .notApplicable),
            ],
            "catalog.paused"
        ),
        (
            [
                finding(.rolloutPercent, .undetermined), finding(.limitSignatures, .undetermined),
                finding(.limitCustomer, .violated), finding(.grantApplied, .notApplicable),
            ], "rollout.percent (and 1 other reason)"
        ),
        // It is not needed.
        ([finding(.ruleEligibility, .satisfied), finding(.grantApplied, .notApplicable)], "all rules pass"),
        ([finding(.catalogPaused, .violated), finding(.grantApplied, .notApplicable)], "catalog.paused"),
        ([finding(.ruleEligibility, .lifted), finding(.grantApplied, .satisfied)], "grant.applied"),
        (
            [
                finding(.catalogPaused, .violated), finding(.ruleEligibility, .lifted),
                finding(.grantApplied, .satisfied),
            ],
            "catalog.paused"
        ),
    ]

    @Test(
        "the reason is what still blocks: not what a grant has lifted, nor what it will lift after its wait",
        arguments: told)
    func whatStillBlocks(findings: [Finding], sentence: String) {
        let outlook = Outlook(changesAt: nil, events: [], isFinal: true)
        #expect(Explanation(Decision(findings: findings), outlook: outlook).sentence == sentence)
    }

    @Test("a date for the customer is never before the moment itself, nor an end after it")
    func minutes() {
        let moment = Instant(milliseconds: 1_796_634_000_001)
        let yes = Decision(findings: [])
        let no = Decision(findings: [
            Finding(rule: .catalogSchedule, verdict: .violated, reason: .notStarted, message: "")
        ])
        let outlook = Outlook(changesAt: moment, events: [], isFinal: false)
        #expect(
            Explanation(no, outlook: outlook).customerAnswer(in: nil)
                == "This offer has not started yet. As things stand, you can get it from 2026-12-07 09:01 UTC.")
        #expect(
            Explanation(yes, outlook: outlook).customerAnswer(in: nil)
                == "This offer is available to you until 2026-12-07 09:00 UTC at the latest.")
    }

    @Test("of several obstacles the one that goes away last is told, first those that never do")
    func decisive() {
        func finding(_ rule: RuleId, _ turningPoint: TurningPoint?, _ verdict: Verdict = .violated) -> Finding {
            Finding(
                rule: rule, verdict: verdict, reason: .limitReached, message: rule.rawValue,
                turningPoint: turningPoint)
        }
        let early = finding(.limitCustomer, .at(Instant(milliseconds: 1)))
        let late = finding(.limitCoolDown, .at(Instant(milliseconds: 2)))
        let event = finding(.catalogPaused, .event(.offerResumed))
        let never = finding(.limitExcludes, nil)
        let unknown = finding(.ruleEligibility, .event(.signalReceived), .undetermined)
        func explained(_ findings: [Finding]) -> String {
            Explanation(Decision(findings: findings), outlook: .none).sentence
        }
        #expect(explained([early]) == "limit.customer")
        #expect(explained([late, early]) == "limit.coolDown (and 1 other reason)")
        #expect(explained([early, event, late]) == "catalog.paused (and 2 other reasons)")
        #expect(
            explained([never, event, late, unknown]) == "limit.excludes (and 3 other reasons)")
        #expect(explained([unknown]) == "rule.eligibility")
        #expect(explained([]) == "all rules pass")
    }
}

import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("an introductory offer that is given again")
struct AgainPropertyTests {
    @Test("`again` replaces one finding, refuses no newcomer and leaves every other offer's decision as it was")
    func onlyOneFinding() {
        var (used, regained) = (0, 0)
        for seed in 1...UInt64(2_000) {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var facts = random.facts(random.history(transactions: 3, misplacedPercent: 5))
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            var offer = random.offer()
            let other = decide(random.question(offer, at: now), facts: facts)
            #expect(!other.findings.contains { $0.rule == .ruleAgain }, "seed \(seed)")
            guard offer.type == .introductory else { continue }
            var question = random.question(offer, at: now)
            let without = decide(question, facts: facts)
            offer.again = Period(days: 30)
            question.offerAsked = offer
            let with = decide(question, facts: facts)
            #expect(
                with.findings.filter { $0.rule != .ruleAgain }
                    == without.findings.filter { $0.rule != .introductoryUnusedInGroup }, "seed \(seed)")
            let (before, after) = (without[.introductoryUnusedInGroup]?.verdict, with[.ruleAgain]?.verdict)
            #expect(
                before != .satisfied || after == .satisfied, "seed \(seed): \(String(describing: with[.ruleAgain]))")
            if before == .violated { used += 1 }
            if before == .violated, after == .satisfied { regained += 1 }
        }
        #expect(used > 50 && regained > 10, "the seeds should reach used and regained offers: \(used), \(regained)")
    }

    @Test("the rule flips at the millisecond at which the time has passed")
    func turningPoint() {
        var flips = 0
        for seed in 1...UInt64(2_000) {
            var random = RandomSubject(seed: seed)
            let now = random.instant()
            var facts = random.facts(random.history(transactions: 3))
            var offer = random.offer()
            guard offer.type == .introductory else { continue }
            offer.again = Period(months: 1)
            var question = random.question(offer, at: now)
            facts.history.coverage = Coverage(level: .complete, asOf: now)
            guard let finding = decide(question, facts: facts)[.ruleAgain], finding.verdict == .violated,
                case .at(let instant) = finding.turningPoint
            else { continue }
            facts.history.coverage = Coverage(level: .complete, asOf: instant)
            question.now = instant.adding(milliseconds: -1)
            #expect(decide(question, facts: facts)[.ruleAgain]?.verdict != .satisfied, "seed \(seed)")
            question.now = instant
            #expect(decide(question, facts: facts)[.ruleAgain]?.verdict == .satisfied, "seed \(seed)")
            flips += 1
        }
        #expect(flips > 10, "the seeds should reach many turning points")
    }
}

extension Decision {
    fileprivate subscript(_ rule: RuleId) -> Finding? { findings.first { $0.rule == rule } }
}

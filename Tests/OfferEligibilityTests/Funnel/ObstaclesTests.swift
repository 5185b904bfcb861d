import Foundation
import OfferModel
import Testing

@testable import OfferEligibility

@Suite("what stood in the way")
struct ObstaclesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var violated: [RuleId] = []
        var undetermined: [RuleId] = []
        var kind: RefusalKind?
        var deciding: [RuleId]

        var testDescription: String { "\(violated.map(\.rawValue)) \(undetermined.map(\.rawValue))" }
    }

    static let rows = [
        Row(kind: nil, deciding: []),
        Row(violated: [.rolloutHoldout], kind: .heldOut, deciding: [.rolloutHoldout]),
        Row(violated: [.rolloutPercent], kind: .notInRollout, deciding: [.rolloutPercent]),
        Row(
            violated: [.rolloutPercent, .rolloutHoldout], kind: .notInRollout,
            deciding: [.rolloutPercent, .rolloutHoldout]),
        Row(violated: [.catalogPaused], kind: .paused, deciding: [.catalogPaused]),
        Row(violated: [.catalogPaused, .rolloutHoldout], kind: .paused, deciding: [.catalogPaused]),
        Row(violated: [.winBackLapsed], kind: .ineligible, deciding: [.winBackLapsed]),
        Row(
            violated: [.winBackLapsed, .limitCustomer, .rolloutPercent], undetermined: [.winBackOwned],
            kind: .ineligible, deciding: [.winBackLapsed, .limitCustomer]),
        Row(
            violated: [.catalogPaused, .winBackLapsed], kind: .ineligible, deciding: [.catalogPaused, .winBackLapsed]),
        Row(undetermined: [.winBackOwned], kind: .undetermined, deciding: [.winBackOwned]),
        Row(
            violated: [.rolloutHoldout], undetermined: [.winBackOwned], kind: .undetermined,
            deciding: [.winBackOwned]),
        Row(
            violated: [.catalogPaused], undetermined: [.winBackOwned], kind: .undetermined, deciding: [.winBackOwned]),
        Row(undetermined: [.rolloutPercent], kind: .undetermined, deciding: [.rolloutPercent]),
    ]

    @Test("a rule that says no outweighs what is not known, and both outweigh kill switch and rollout", arguments: rows)
    func kind(_ row: Row) {
        let findings =
            row.violated.map { FindingOutline(rule: $0, verdict: .violated) }
            + row.undetermined.map { FindingOutline(rule: $0, verdict: .undetermined) }
            + [FindingOutline(rule: .catalogStatus, verdict: .satisfied)]
        let obstacles = Obstacles(findings)
        #expect(obstacles.kind == row.kind)
        #expect(Set(obstacles.deciding.map(\.rule)) == Set(row.deciding))
        #expect(obstacles.deciding.allSatisfy { $0.fact == nil })
    }

    private func leaf(_ fact: String, _ verdict: Verdict, _ path: String) -> FindingOutline {
        FindingOutline(rule: .ruleEligibility, verdict: verdict, path: path, fact: fact)
    }

    @Test("of the offer's own condition the facts that decided it are named, also below `any` and `not`")
    func facts() {
        let condition = FindingOutline(
            rule: .ruleEligibility, verdict: .violated,
            children: [
                leaf("subscription.state", .satisfied, "all[0]"),
                leaf("subscription.paidMonths", .violated, "all[1]"),
                FindingOutline(
                    rule: .ruleEligibility, verdict: .violated, path: "all[2]",
                    children: [leaf("customer.refunds", .satisfied, "all[2].not")]),
                FindingOutline(
                    rule: .ruleEligibility, verdict: .violated, path: "all[3]",
                    children: [
                        leaf("signals.interactions", .violated, "all[3].any[0]"),
                        leaf("customer.storefront", .violated, "all[3].any[1]"),
                    ]),
                leaf("customer.everSubscribed", .undetermined, "all[4]"),
            ])
        let found = Obstacles([condition]).deciding
        #expect(
            Set(found.compactMap(\.fact)) == [
                "subscription.paidMonths", "customer.refunds", "signals.interactions", "customer.storefront",
            ])
        #expect(found.allSatisfy { $0.rule == .ruleEligibility && $0.verdict == .violated })
    }

    @Test("a recorded decision is outlined as the decision itself is")
    func recorded() throws {
        let leaf = Finding(
            rule: .ruleEligibility, verdict: .violated, reason: .conditionNotMet, path: "all[0]", message: "m",
            evidence: [Evidence(field: "subscription.state", observed: .text("expired"))])
        let decision = Decision(findings: [
            Finding(rule: .catalogStatus, verdict: .satisfied, reason: .holds, message: "m"),
            Finding(
                rule: .ruleEligibility, verdict: .violated, reason: .conditionNotMet, message: "m", children: [leaf]),
        ])
        let json = try JSONEncoder().encode(decision.findings)
        let read = try JSONDecoder().decode([FindingOutline].self, from: json)
        #expect(Obstacles(read) == Obstacles(decision.findings.map(FindingOutline.init)))
        #expect(
            Obstacles(read).deciding == [
                Obstacle(rule: .ruleEligibility, verdict: .violated, fact: "subscription.state")
            ])
    }
}

import Testing

@testable import OfferModel

@Suite("blocking rules of refusals")
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
            row.violated.map { RuleAnswer(rule: $0, verdict: .violated, reason: .conditionNotMet) }
            + row.undetermined.map { RuleAnswer(rule: $0, verdict: .undetermined, reason: .historyIncomplete) }
            + [RuleAnswer(rule: .catalogStatus, verdict: .satisfied, reason: .holds)]
        let obstacles = BlockingRules(findings)
        #expect(obstacles.kind == row.kind)
        #expect(Set(obstacles.deciding.map(\.rule)) == Set(row.deciding))
        #expect(obstacles.deciding.allSatisfy { $0.fact == nil })
    }

    private func node(_ verdict: Verdict, _ path: String? = nil, _ children: [Finding]) -> Finding {
        Finding(
            rule: .ruleEligibility, verdict: verdict, reason: .conditionNotMet, path: path, message: "m",
            children: children)
    }

    private func leaf(_ fact: String, _ verdict: Verdict, _ path: String) -> Finding {
        Finding(
            rule: .ruleEligibility, verdict: verdict, reason: .conditionNotMet, path: path, message: "m",
            evidence: [Evidence(field: fact, observed: .text("x"))])
    }

    @Test("of the offer's own condition the facts that decided it are named, also below `any` and `not`")
    func facts() {
        let condition = node(
            .violated, nil,
            [
                leaf("subscription.state", .satisfied, "all[0]"),
                leaf("subscription.paidMonths", .violated, "all[1]"),
                node(.violated, "all[2]", [leaf("customer.refunds", .satisfied, "all[2].not")]),
                node(
                    .violated, "all[3]",
                    [
                        leaf("signals.interactions", .violated, "all[3].any[0]"),
                        leaf("customer.storefront", .violated, "all[3].any[1]"),
                    ]),
                leaf("customer.everSubscribed", .undetermined, "all[4]"),
            ])
        let found = BlockingRules([RuleAnswer(condition)]).deciding
        #expect(
            Set(found.compactMap(\.fact)) == [
                "subscription.paidMonths", "customer.refunds", "signals.interactions", "customer.storefront",
            ])
        #expect(found.allSatisfy { $0.rule == .ruleEligibility && $0.verdict == .violated })
    }

    @Test("a rule that holds, or is no condition of the offer's own, names no fact; a fact is named once")
    func answers() {
        let twice = node(
            .violated, nil,
            [leaf("signals.a", .violated, "any[0]"), leaf("signals.a", .violated, "any[1]")])
        #expect(RuleAnswer(twice).facts == ["signals.a"])
        #expect(RuleAnswer(node(.satisfied, nil, [leaf("signals.a", .satisfied, "all[0]")])).facts == [])
        let limit = Finding(
            rule: .limitCustomer, verdict: .violated, reason: .limitReached, message: "m",
            evidence: [Evidence(field: "limit.customer", observed: .text("1"))])
        #expect(RuleAnswer(limit) == RuleAnswer(rule: .limitCustomer, verdict: .violated, reason: .limitReached))
        #expect(
            BlockingRules([RuleAnswer(twice)]).deciding == [
                BlockingRule(rule: .ruleEligibility, verdict: .violated, fact: "signals.a")
            ])
    }
}

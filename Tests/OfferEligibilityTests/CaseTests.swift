import Foundation
import OfferModel
import Testing

@testable import OfferEligibility

@Suite("cases as data")
struct CaseTests {
    @Test("a case comes out as its file says", arguments: try EligibilityCase.all())
    func outcome(of testCase: EligibilityCase) {
        if let outcome = testCase.expected.outcome {
            let decision = decide(testCase.question, facts: testCase.facts)
            #expect(decision.outcome == outcome, "\(testCase)")
            check(testCase.expected.findings, decision, testCase)
        }
        if let expected = testCase.expected.state {
            check(expected, testCase)
        }
    }

    private func check(_ expected: [ExpectedFinding], _ decision: Decision, _ testCase: EligibilityCase) {
        for one in expected {
            guard let found = one.find(in: decision.findings) else {
                Issue.record("\(testCase): no finding `\(one.rule.rawValue)` at `\(one.path ?? "")`")
                continue
            }
            let place = "\(testCase): \(one.rule.rawValue) \(one.path ?? ""): \(found.message)"
            #expect(found.verdict == one.verdict, "\(place)")
            if let reason = one.reason { #expect(found.reason == reason, "\(place)") }
            if let turningPoint = one.turningPoint { #expect(found.turningPoint == turningPoint, "\(place)") }
            if let id = one.transactionId { #expect(found.evidence.contains { $0.transactionId == id }, "\(place)") }
            if let message = one.message { #expect(found.message == message, "\(place)") }
        }
        guard decision.outcome != .eligible else { return }
        let deciding: Verdict = decision.outcome == .ineligible ? .violated : .undetermined
        let determining = Set(decision.findings.filter { $0.verdict == deciding }.map(\.rule))
        #expect(determining.isSubset(of: expected.map(\.rule)), "\(testCase): a determining rule is not listed")
    }

    private func check(_ expected: ExpectedState, _ testCase: EligibilityCase) {
        let asOf = testCase.question.now
        let states = testCase.facts.history.subscriptionStates(at: asOf)
        guard let state = states.first(where: { $0.subscriptionGroupIdentifier == expected.group }) else {
            Issue.record("\(testCase): no state of group `\(expected.group)`")
            return
        }
        for (name, value) in expected.members {
            #expect(ExpectedState.text(state, name) == value, "\(testCase): \(name)")
        }
    }

    @Test("turning any one rule's answer around fails some case", arguments: Policy.standard.rules.map(\.id))
    func everyRuleMatters(id: RuleId) throws {
        var policy = Policy.standard
        policy.rules = policy.rules.map { $0.id == id ? InvertedRule(rule: $0) : $0 }
        let failed = try EligibilityCase.all().contains { testCase in
            guard let outcome = testCase.expected.outcome else { return false }
            return decide(testCase.question, facts: testCase.facts, policy: policy).outcome != outcome
        }
        #expect(failed)
    }

    @Test("a case file with an unknown member is refused by name and place")
    func unknownMember() {
        let text = #"{"cases": [{"name": "x", "asOf": "2026-01-01T00:00:00Z", "expect": {}, "hystory": {}}]}"#
        let error = #expect(throws: CaseProblem.self) { try EligibilityCase.cases(Data(text.utf8), file: "f") }
        #expect(error?.description == "f.cases[0]: unknown member `hystory`")
    }
}

/// Answers yes where the rule says no, and the other way round.
private struct InvertedRule: Rule {
    let rule: any Rule

    var id: RuleId { rule.id }

    func concerns(_ offer: Offer) -> Bool { rule.concerns(offer) }

    func finding(_ context: RuleContext) -> Finding {
        var finding = rule.finding(context)
        finding.verdict = Kleene.not(finding.verdict)
        return finding
    }
}

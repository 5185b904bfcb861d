import Testing

@testable import OfferModel

@Suite("cases as data")
struct CaseTests {
    @Test("a case comes out as its file says", arguments: try FiledCase.all())
    func outcome(of filed: FiledCase) {
        let differences = filed.file.differences(of: filed.testCase)
        #expect(differences.isEmpty, "\(filed): \(differences)")
    }

    @Test("there are at least 150 of them")
    func enough() throws {
        #expect(try FiledCase.all().count >= 150)
    }

    @Test("turning any one rule's answer around fails some case", arguments: Policy.standard.rules.map(\.id))
    func everyRuleMatters(id: RuleId) throws {
        var policy = Policy.standard
        policy.rules = policy.rules.map { $0.id == id ? InvertedRule(rule: $0) : $0 }
        let failed = try FiledCase.all().contains { filed in
            filed.file.differences(of: filed.testCase, policy: policy).contains { $0.aspect == .outcome }
        }
        #expect(failed)
    }
}

/// Answers yes where the rule says no, and the other way round.
private struct InvertedRule: Rule {
    let rule: any Rule

    var id: RuleId { rule.id }
    var requirement: String { rule.requirement }

    func concerns(_ offer: Offer) -> Bool { rule.concerns(offer) }

    func finding(_ context: RuleContext) -> Finding {
        var finding = rule.finding(context)
        finding.verdict = Kleene.not(finding.verdict)
        return finding
    }
}

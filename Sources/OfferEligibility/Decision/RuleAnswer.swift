/// What a rule answered: of a finding what a record of the decision keeps, so that millions can be read for a report.
public struct RuleAnswer: Sendable, Hashable {
    public var rule: RuleId
    public var verdict: Verdict
    public var reason: ReasonCode
    /// Of the offer's own condition, the facts that decided it; none where it holds.
    public var facts: [String]

    public init(rule: RuleId, verdict: Verdict, reason: ReasonCode, facts: [String] = []) {
        self.rule = rule
        self.verdict = verdict
        self.reason = reason
        self.facts = facts
    }

    /// The answer of a finding.
    public init(_ finding: Finding) {
        self.init(
            rule: finding.rule, verdict: finding.verdict, reason: finding.reason,
            facts: finding.verdict.isInTheWay ? Set(finding.decidingFacts).sorted() : [])
    }
}

extension Finding {
    /// Of the offer's own condition, the facts that decided it. A node decides its group if it has the group's verdict; below
    /// a `not`, the opposite one.
    fileprivate var decidingFacts: [String] {
        guard rule == .ruleEligibility else { return [] }
        guard let children, !children.isEmpty else { return evidence.first.map { [$0.field] } ?? [] }
        return children.filter { $0.verdict == ($0.isNegated ? Kleene.not(verdict) : verdict) }
            .flatMap(\.decidingFacts)
    }

    private var isNegated: Bool { path == "not" || path?.hasSuffix(".not") == true }
}

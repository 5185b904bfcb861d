/// What a report needs of a recorded finding: much less than was recorded, so that millions can be read.
public struct FindingOutline: Sendable, Hashable, Decodable {
    /// The rule.
    public var rule: RuleId
    /// Its answer.
    public var verdict: Verdict
    /// Where in the offer's own condition.
    public var path: String?
    /// The first thing the rule looked at: of a comparison, its fact.
    public var fact: String?
    /// The nodes below.
    public var children: [FindingOutline]?

    private enum Keys: String, CodingKey {
        case rule
        case verdict
        case path
        case evidence
        case children
    }

    private struct Field: Decodable {
        var field: String
    }

    /// An outline by its parts.
    public init(
        rule: RuleId, verdict: Verdict, path: String? = nil, fact: String? = nil, children: [FindingOutline]? = nil
    ) {
        self.rule = rule
        self.verdict = verdict
        self.path = path
        self.fact = fact
        self.children = children
    }

    /// The outline of a finding.
    public init(_ finding: Finding) {
        self.init(
            rule: finding.rule, verdict: finding.verdict, path: finding.path, fact: finding.evidence.first?.field,
            children: finding.children?.map(FindingOutline.init))
    }

    /// Reads it from a recorded finding.
    ///
    /// - Throws: `DecodingError` if it is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        rule = try container.decode(RuleId.self, forKey: .rule)
        verdict = try container.decode(Verdict.self, forKey: .verdict)
        guard rule == .ruleEligibility, verdict != .notApplicable else { return }
        path = try container.decodeIfPresent(String.self, forKey: .path)
        fact = try container.decodeIfPresent([Field].self, forKey: .evidence)?.first?.field
        children = try container.decodeIfPresent([FindingOutline].self, forKey: .children)
    }
}

/// The answer to a question, with every rule's finding.
public struct Decision: Sendable, Hashable, Codable {
    /// The answer.
    public var outcome: Outcome
    /// What every rule found, in the policy's order.
    public var findings: [Finding]

    /// Draws the outcome from the findings: any violated is ineligible, else any undetermined is undetermined, else
    /// eligible.
    public init(findings: [Finding]) {
        self.findings = findings
        outcome = .eligible
        // By place: a finding has many members.
        for place in findings.indices {
            switch findings[place].verdict {
            case .violated: outcome = .ineligible
            case .undetermined where outcome == .eligible: outcome = .undetermined
            case .undetermined, .satisfied, .notApplicable: break
            }
        }
    }
}

/// Whether the subject may have the offer.
public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
    /// Yes.
    case eligible
    /// No.
    case ineligible
    /// What is known does not decide; then nothing is signed (invariant 3).
    case undetermined
}

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
        if findings.contains(where: { $0.verdict == .violated }) {
            outcome = .ineligible
        } else if findings.contains(where: { $0.verdict == .undetermined }) {
            outcome = .undetermined
        } else {
            outcome = .eligible
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

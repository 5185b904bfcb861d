/// Why an issue request led to no offer, in the words that a report counts by.
public enum RefusalKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Everything held but the holdout: this customer is kept for comparison.
    case heldOut
    /// Everything held but the rollout's percentage.
    case notInRollout
    /// Everything held but the kill switch was on.
    case paused
    /// A rule said no.
    case ineligible
    /// Nothing said no, and what is known did not decide.
    case undetermined
    /// Why is not recorded any more: retention removed it.
    case removed
}

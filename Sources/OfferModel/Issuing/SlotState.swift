/// Where a slot stands.
public enum SlotState: String, Sendable, Hashable, CaseIterable, Codable {
    /// It holds a place and may be asked for signatures.
    case open
    /// Apple's history shows its use.
    case redeemed
    /// It stopped counting without a use.
    case expired
    /// Support withdrew it.
    case voided
}

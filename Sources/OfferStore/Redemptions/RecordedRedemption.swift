public import OfferEligibility
public import OfferModel

/// A redemption as it is recorded.
public struct RecordedRedemption: Sendable, Hashable {
    /// Its place in the store-wide order: when it became known in this form.
    public var sequence: Int64
    /// Whose it is.
    public var customer: CustomerNumber
    /// What it is, with the slot that it used.
    public var redemption: Redemption
    /// When it became known in this form.
    public var recordedAt: Instant
}

/// What newly known data has changed about the redemptions of a customer.
public struct RedemptionChange: Sendable, Hashable {
    /// Rows that were added. One whose slot, date or end has become known otherwise is removed and added again.
    public var added: [RecordedRedemption] = []
    /// Rows that were removed.
    public var removed: [RecordedRedemption] = []
}

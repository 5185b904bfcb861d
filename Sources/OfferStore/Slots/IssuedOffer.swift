public import OfferEligibility
public import OfferModel

/// A slot with what the ledger knows beyond what rules ask.
public struct IssuedOffer: Sendable, Hashable {
    /// The slot.
    public var slot: Slot
    /// Whose it is.
    public var customer: CustomerNumber
    /// The catalog revision it was issued under.
    public var catalogRevision: Int64
    /// Why it was voided.
    public var voidReason: String?
    /// The purchase without the offer that the customer made right after a signature, if nothing has used the slot.
    public var fullPriceTransactionId: TransactionId?
    /// Its place in the store-wide order; pages are cut by it.
    public var sequence: Int64
}

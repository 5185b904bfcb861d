public import OfferModel
public import OfferSigning

/// A payload that its signature, its app and its environment vouch for; only ``SignedDataReader`` makes one.
public struct Verified<Payload: Sendable & Hashable>: Sendable, Hashable {
    /// What was signed.
    public let payload: Payload
    /// The payload's exact bytes; they settle ties between equal dates (docs/design.md#history-and-state).
    public let payloadBytes: [UInt8]
    /// `signedDate`, or `receiptCreationDate` of an app transaction.
    public let signedDate: Instant
    /// Whose root stands behind it.
    public let anchor: TrustAnchor
    /// The data as received.
    public let jws: String

    init(payload: Payload, payloadBytes: [UInt8], signedDate: Instant, anchor: TrustAnchor, jws: String) {
        self.payload = payload
        self.payloadBytes = payloadBytes
        self.signedDate = signedDate
        self.anchor = anchor
        self.jws = jws
    }
}

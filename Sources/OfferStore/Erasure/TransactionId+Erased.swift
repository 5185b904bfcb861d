import OfferModel

extension TransactionId {
    /// Whether the digest of an erased id stands in its place.
    var isErased: Bool { rawValue.hasPrefix(Redacted.prefix) }
}

public import OfferModel
import OfferStore

/// An issued offer without its signatures, with what the audit holds of it.
public struct ExportedOffer: Sendable, Hashable {
    /// The slot's id.
    public var id: LowercaseUUID
    /// The offer in the catalog.
    public var offerId: OfferId
    /// What kind of offer it is.
    public var offerType: OfferType
    /// How it reaches the customer.
    public var delivery: Delivery
    /// Apple's name of the offer; absent for introductory ones.
    public var offerIdentifier: OfferIdentifier?
    /// The product.
    public var productId: ProductId
    /// Where the slot stands.
    public var state: SlotState
    /// When it was issued.
    public var issuedAt: Instant
    /// When its newest signature ends.
    public var expiresAt: Instant
    /// How often it was signed.
    public var signings: Int
    /// When it was voided.
    public var voidedAt: Instant?
    /// The catalog it was decided on.
    public var catalogRevision: Int
    /// What the audit holds; absent if it holds nothing: then the ledger is broken.
    public var proof: IssuedOfferProof?
}

/// A page of exported offers.
public struct ExportedOfferPage: Sendable, Hashable {
    /// The offers.
    public var items: [ExportedOffer]
    /// Where the next page begins; absent on the last.
    public var next: Int64?
}

/// The event that told of an issued offer; hashes and digests in hexadecimal.
public struct IssuedOfferProof: Sendable, Hashable {
    /// A signed checkpoint of the audit.
    public struct Checkpoint: Sendable, Hashable {
        /// Counted from 1.
        public var number: Int64
        /// The newest event it signs.
        public var eventSequence: Int64
        /// That event's hash.
        public var head: String
        /// When it was signed.
        public var signedAt: Instant
        /// The SHA-256 of the public key.
        public var keyFingerprint: String
        /// ECDSA over P-256 with SHA-256, as DER.
        public var signature: String
    }

    /// The event's place in the chain.
    public var eventSequence: Int64
    /// The event's hash.
    public var eventHash: String
    /// The hash of the event before.
    public var previousHash: String
    /// The digest of the row, which the event holds.
    public var rowDigest: String
    /// The first checkpoint that signs the event; absent while there is none.
    public var checkpoint: Checkpoint?

    init(_ proof: LedgerProof) {
        eventSequence = proof.eventSequence
        eventHash = Hexadecimal.lowercase(proof.eventHash)
        previousHash = Hexadecimal.lowercase(proof.previousHash)
        rowDigest = Hexadecimal.lowercase(proof.rowDigest)
        checkpoint = proof.checkpoint.map {
            Checkpoint(
                number: $0.number, eventSequence: $0.eventSequence, head: Hexadecimal.lowercase($0.head),
                signedAt: $0.signedAt, keyFingerprint: $0.keyFingerprint,
                signature: Hexadecimal.lowercase($0.signature))
        }
    }
}

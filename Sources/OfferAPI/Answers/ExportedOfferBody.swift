public import OfferModel

/// One issued offer as it is exported: no signature, but the proof that the audit holds of it.
public struct ExportedOfferBody: Sendable, Hashable, Codable {
    /// The slot's id.
    public var issuedOfferId: LowercaseUUID
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
    /// The app.
    public var bundleId: BundleId
    /// The environment.
    public var environment: AppStoreEnvironment
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
    public var proof: LedgerProofBody?

    /// An exported offer by its parts.
    public init(
        issuedOfferId: LowercaseUUID, offerId: OfferId, offerType: OfferType, delivery: Delivery,
        offerIdentifier: OfferIdentifier?, productId: ProductId, bundleId: BundleId, environment: AppStoreEnvironment,
        state: SlotState, issuedAt: Instant, expiresAt: Instant, signings: Int, voidedAt: Instant?,
        catalogRevision: Int, proof: LedgerProofBody?
    ) {
        self.issuedOfferId = issuedOfferId
        self.offerId = offerId
        self.offerType = offerType
        self.delivery = delivery
        self.offerIdentifier = offerIdentifier
        self.productId = productId
        self.bundleId = bundleId
        self.environment = environment
        self.state = state
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.signings = signings
        self.voidedAt = voidedAt
        self.catalogRevision = catalogRevision
        self.proof = proof
    }
}

/// The event that told of an issued offer; hashes and digests in hexadecimal (docs/ledger.md).
public struct LedgerProofBody: Sendable, Hashable, Codable {
    /// The event's place in the chain.
    public var eventSequence: Int64
    /// The event's hash.
    public var eventHash: String
    /// The hash of the event before.
    public var previousHash: String
    /// The digest of the row, which the event holds.
    public var rowDigest: String
    /// The first checkpoint that signs the event; absent while there is none.
    public var checkpoint: CheckpointBody?

    /// A proof by its parts.
    public init(
        eventSequence: Int64, eventHash: String, previousHash: String, rowDigest: String, checkpoint: CheckpointBody?
    ) {
        self.eventSequence = eventSequence
        self.eventHash = eventHash
        self.previousHash = previousHash
        self.rowDigest = rowDigest
        self.checkpoint = checkpoint
    }
}

/// A signed checkpoint of the audit.
public struct CheckpointBody: Sendable, Hashable, Codable {
    /// Counted from 1.
    public var number: Int64
    /// The newest event it signs.
    public var eventSequence: Int64
    /// That event's hash, in hexadecimal.
    public var head: String
    /// When it was signed.
    public var signedAt: Instant
    /// The SHA-256 of the public key, in hexadecimal.
    public var keyFingerprint: String
    /// ECDSA over P-256 with SHA-256, DER in hexadecimal.
    public var signature: String

    /// A checkpoint by its parts.
    public init(
        number: Int64, eventSequence: Int64, head: String, signedAt: Instant, keyFingerprint: String,
        signature: String
    ) {
        self.number = number
        self.eventSequence = eventSequence
        self.head = head
        self.signedAt = signedAt
        self.keyFingerprint = keyFingerprint
        self.signature = signature
    }
}

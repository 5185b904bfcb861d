package import OfferModel

/// One issued offer as it is exported: no signature, but the proof that the audit holds of it.
package struct ExportedOffer: Sendable, Hashable, Codable {
    package var issuedOfferId: LowercaseUUID
    package var offerId: OfferId
    package var offerType: OfferType
    package var delivery: Delivery
    /// Apple's name of the offer; absent for introductory ones.
    package var offerIdentifier: OfferIdentifier?
    package var productId: ProductId
    package var bundleId: BundleId
    package var environment: AppStoreEnvironment
    package var state: IssuedOfferState
    package var issuedAt: Instant
    package var expiresAt: Instant
    package var signings: Int
    package var voidedAt: Instant?
    package var catalogRevision: Int
    /// What the audit holds of it; absent only if the ledger is broken.
    package var proof: IssuedOfferProof?

    package init(_ offer: IssuedOfferView, signings: Int, voidedAt: Instant?, proof: IssuedOfferProof?) {
        issuedOfferId = offer.issuedOfferId
        offerId = offer.offerId
        offerType = offer.offerType
        delivery = offer.delivery
        offerIdentifier = offer.offerIdentifier
        productId = offer.productId
        bundleId = offer.bundleId
        environment = offer.environment
        state = offer.state
        issuedAt = offer.issuedAt
        expiresAt = offer.expiresAt
        self.signings = signings
        self.voidedAt = voidedAt
        catalogRevision = offer.catalogRevision
        self.proof = proof
    }
}

/// The event that told of an issued offer; hashes and digests in hexadecimal (docs/ledger.md).
package struct IssuedOfferProof: Sendable, Hashable, Codable {
    /// The event's place in the chain.
    package var eventSequence: Int64
    package var eventHash: String
    package var previousHash: String
    /// The digest of the row, as the event holds it.
    package var rowDigest: String
    /// The first checkpoint that signs the event; absent while there is none.
    package var checkpoint: CheckpointBody?

    package init(
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
package struct CheckpointBody: Sendable, Hashable, Codable {
    package var number: Int64
    /// The newest event it signs.
    package var eventSequence: Int64
    /// That event's hash, in hexadecimal.
    package var head: String
    package var signedAt: Instant
    /// The SHA-256 of the public key, in hexadecimal.
    package var keyFingerprint: String
    /// ECDSA over P-256 with SHA-256, DER in hexadecimal.
    package var signature: String

    package init(
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

package import OfferModel

/// One issued offer as it is exported: no signature, but the proof that the audit holds of it.
package struct ExportedOffer: WireObject {
    package var issuedOfferId: LowercaseUUID = .blank
    package var offerId: OfferId = ""
    package var offerType: OfferType = .promotional
    package var delivery: Delivery = .signature
    /// Apple's name of the offer; absent for introductory ones.
    package var offerIdentifier: OfferIdentifier?
    package var productId: ProductId = ""
    package var bundleId: BundleId = ""
    package var environment: AppStoreEnvironment = .production
    package var state: IssuedOfferState = .open
    package var issuedAt: Instant = .blank
    package var expiresAt: Instant = .blank
    package var signings = 0
    package var voidedAt: Instant?
    package var catalogRevision = 0
    /// What the audit holds of it; absent only if the ledger is broken.
    package var proof: IssuedOfferProof?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("bundleId", &bundleId)
        members.required("catalogRevision", &catalogRevision)
        members.required("delivery", &delivery)
        members.required("environment", &environment)
        members.required("expiresAt", &expiresAt)
        members.required("issuedAt", &issuedAt)
        members.required("issuedOfferId", &issuedOfferId)
        members.required("offerId", &offerId)
        members.optional("offerIdentifier", &offerIdentifier)
        members.required("offerType", &offerType)
        members.required("productId", &productId)
        members.optional("proof", &proof)
        members.required("signings", &signings)
        members.required("state", &state)
        members.optional("voidedAt", &voidedAt)
    }

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
package struct IssuedOfferProof: WireObject {
    /// The event's place in the chain.
    package var eventSequence: Int64 = 0
    package var eventHash = ""
    package var previousHash = ""
    /// The digest of the row, as the event holds it.
    package var rowDigest = ""
    /// The first checkpoint that signs the event; absent while there is none.
    package var checkpoint: CheckpointBody?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("checkpoint", &checkpoint)
        members.required("eventHash", &eventHash)
        members.required("eventSequence", &eventSequence)
        members.required("previousHash", &previousHash)
        members.required("rowDigest", &rowDigest)
    }
}

/// A signed checkpoint of the audit.
package struct CheckpointBody: WireObject {
    package var number: Int64 = 0
    /// The newest event it signs.
    package var eventSequence: Int64 = 0
    /// That event's hash, in hexadecimal.
    package var head = ""
    package var signedAt: Instant = .blank
    /// The SHA-256 of the public key, in hexadecimal.
    package var keyFingerprint = ""
    /// ECDSA over P-256 with SHA-256, DER in hexadecimal.
    package var signature = ""

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("eventSequence", &eventSequence)
        members.required("head", &head)
        members.required("keyFingerprint", &keyFingerprint)
        members.required("number", &number)
        members.required("signature", &signature)
        members.required("signedAt", &signedAt)
    }
}

package import OfferModel

/// One issued offer as it is exported: no signature, but the proof that the audit holds of it.
package struct ExportedOffer: WireObject {
    /// Without its signatures and what the decision was.
    package var offer = IssuedOfferView()
    package var signings = 0
    /// The nominal discount of one use; absent if the catalog did not say it.
    package var discount: Price?
    /// The uses of it at Apple, from the earliest; absent without any.
    package var redemptions: [ExportedRedemption]?
    /// What was paid at full price after it, from the earliest; absent without any.
    package var payments: [ExportedPayment]?
    /// What the audit holds of it; absent only if the ledger is broken.
    package var proof: IssuedOfferProof?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("bundleId", &offer.bundleId)
        members.required("catalogRevision", &offer.catalogRevision)
        members.required("delivery", &offer.delivery)
        members.optional("discount", &discount)
        members.required("environment", &offer.environment)
        members.required("expiresAt", &offer.expiresAt)
        members.optional("grantId", &offer.grantId)
        members.required("issuedAt", &offer.issuedAt)
        members.required("issuedOfferId", &offer.issuedOfferId)
        members.required("offerId", &offer.offerId)
        members.optional("offerIdentifier", &offer.offerIdentifier)
        members.required("offerType", &offer.offerType)
        members.optional("payments", &payments)
        members.required("productId", &offer.productId)
        members.optional("proof", &proof)
        members.optional("redemptions", &redemptions)
        members.required("signings", &signings)
        members.required("state", &offer.state)
        members.optional("voidedAt", &offer.voidedAt)
    }
}

/// A use of an issued offer at Apple.
package struct ExportedRedemption: WireObject {
    /// When the first evidence of it is dated.
    package var redeemedAt: Instant = .blank

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("redeemedAt", &redeemedAt)
    }
}

/// A period that a customer paid for at full price after a use of an issued offer (docs/reports.md).
package struct ExportedPayment: WireObject {
    package var paidAt: Instant = .blank
    package var price = Price()

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("amount", &price.amount)
        members.required("currency", &price.currency)
        members.required("paidAt", &paidAt)
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

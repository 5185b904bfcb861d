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

/// One signature as it was recorded before it was released (invariant 1).
public struct RecordedSignature: Sendable, Hashable {
    /// Which of Apple's three artefacts it is.
    public enum Format: String, Sendable, Hashable, CaseIterable, Codable, Storable, JSONWritable {
        /// The promotional offer's signed string.
        case v1
        /// The promotional offer's compact JWS.
        case v2
        /// The compact JWS that says whether the introductory offer may be used.
        case introductoryEligibility
    }

    /// Unique for ever (invariant 8).
    public var nonce: LowercaseUUID
    /// The slot it belongs to; absent for an introductory `false`, which uses no offer.
    public var issuedOfferId: LowercaseUUID?
    /// Which signing of the slot it belongs to, from 1; absent without a slot.
    public var signing: Int?
    /// The decision it follows from.
    public var decisionId: LowercaseUUID
    /// Which artefact it is.
    public var format: Format
    /// What an introductory one says; absent for the others.
    public var allowIntroductoryOffer: Bool?
    /// The key that signed.
    public var keyId: KeyId
    /// The signing's one timestamp.
    public var timestamp: Instant
    /// The product signed for.
    public var productId: ProductId
    /// The account the signing was made for; only V1 signs it, the empty string if absent.
    public var appAccountToken: AppAccountToken?
    /// The transaction or app transaction the signing was made for; V1 does not sign it.
    public var transactionId: String?
    /// What the client receives: Base64 for V1, a compact JWS for the others.
    public var artefact: String
    /// Whether retention or an erasure has removed the artefact; then its place holds the audit's keyed digest of it.
    public var isRemoved = false

    /// A signature by its parts.
    public init(
        nonce: LowercaseUUID, issuedOfferId: LowercaseUUID?, signing: Int?, decisionId: LowercaseUUID, format: Format,
        allowIntroductoryOffer: Bool? = nil, keyId: KeyId, timestamp: Instant, productId: ProductId,
        appAccountToken: AppAccountToken? = nil, transactionId: String? = nil, artefact: String
    ) {
        self.nonce = nonce
        self.issuedOfferId = issuedOfferId
        self.signing = signing
        self.decisionId = decisionId
        self.format = format
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.keyId = keyId
        self.timestamp = timestamp
        self.productId = productId
        self.appAccountToken = appAccountToken
        self.transactionId = transactionId
        self.artefact = artefact
    }
}

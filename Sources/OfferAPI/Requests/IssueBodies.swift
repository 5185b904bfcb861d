public import OfferModel

/// `POST /v1/issued-offers`.
public struct IssueRequestBody: Sendable, Hashable, Codable {
    /// The offer in the catalog.
    public var offerId: OfferId
    /// The product; required if the offer has several.
    public var productId: ProductId?
    /// The customer.
    public var customer: CustomerReference
    /// The encodings wanted; the first the offer lists if absent.
    public var formats: [SignatureFormat]?
    /// Whether the stored signatures are burnt and a new signing is wanted.
    public var fresh: Bool?
    /// What the backend says about the customer.
    public var signals: [String: FactValue]?
    /// Transactions as compact JWS.
    public var signedTransactions: [String]?
    /// Renewal info as compact JWS.
    public var signedRenewalInfo: [String]?
    /// The app transaction as compact JWS.
    public var signedAppTransaction: String?
    /// Whether the backend vouches that nothing is missing.
    public var historyComplete: Bool?
    /// The device that asks.
    public var request: RequestFactsBody?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case offerId
        case productId
        case customer
        case formats
        case fresh
        case signals
        case signedTransactions
        case signedRenewalInfo
        case signedAppTransaction
        case historyComplete
        case request
    }

    /// A request with what every one has; callers set the rest.
    public init(offerId: OfferId, customer: CustomerReference) {
        self.offerId = offerId
        self.customer = customer
    }

    /// Reads a request and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        offerId = try container.decode(OfferId.self, forKey: .offerId)
        productId = try container.decodeIfPresent(ProductId.self, forKey: .productId)
        customer = try container.decode(CustomerReference.self, forKey: .customer)
        formats = try container.decodeWords(SignatureFormat.self, forKey: .formats)
        fresh = try container.decodeIfPresent(Bool.self, forKey: .fresh)
        signals = try container.decodeSignals(forKey: .signals)
        signedTransactions = try container.decodeIfPresent([String].self, forKey: .signedTransactions)
        signedRenewalInfo = try container.decodeIfPresent([String].self, forKey: .signedRenewalInfo)
        signedAppTransaction = try container.decodeIfPresent(String.self, forKey: .signedAppTransaction)
        historyComplete = try container.decodeIfPresent(Bool.self, forKey: .historyComplete)
        request = try container.decodeIfPresent(RequestFactsBody.self, forKey: .request)
    }
}

/// One issued offer, as issued and as read back.
public struct IssuedOfferBody: Sendable, Hashable, Codable {
    /// The slot's id.
    public var issuedOfferId: LowercaseUUID
    /// The decision that allowed it.
    public var decisionId: LowercaseUUID
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
    /// The key that signed; absent where nothing is signed.
    public var keyId: KeyId?
    /// Where the slot stands.
    public var state: SlotState
    /// When it was issued.
    public var issuedAt: Instant
    /// When its newest signature ends.
    public var expiresAt: Instant
    /// The catalog it was decided on.
    public var catalogRevision: Int
    /// The newest signing's artefacts.
    public var signatures: SignaturesBody

    /// An issued offer by its parts.
    public init(
        issuedOfferId: LowercaseUUID, decisionId: LowercaseUUID, offerId: OfferId, offerType: OfferType,
        delivery: Delivery, offerIdentifier: OfferIdentifier?, productId: ProductId, bundleId: BundleId,
        environment: AppStoreEnvironment, keyId: KeyId?, state: SlotState, issuedAt: Instant, expiresAt: Instant,
        catalogRevision: Int, signatures: SignaturesBody
    ) {
        self.issuedOfferId = issuedOfferId
        self.decisionId = decisionId
        self.offerId = offerId
        self.offerType = offerType
        self.delivery = delivery
        self.offerIdentifier = offerIdentifier
        self.productId = productId
        self.bundleId = bundleId
        self.environment = environment
        self.keyId = keyId
        self.state = state
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.catalogRevision = catalogRevision
        self.signatures = signatures
    }
}

/// The artefacts of one signing, by the encoding StoreKit takes.
public struct SignaturesBody: Sendable, Hashable, Codable {
    /// For StoreKit's original API.
    public var v1: SignatureV1Body?
    /// For `promotionalOffer(_:compactJWS:)`.
    public var v2: SignatureV2Body?
    /// For `introductoryOfferEligibility(compactJWS:)`.
    public var introductoryEligibility: IntroductoryEligibilityBody?

    /// Artefacts by their encodings.
    public init(
        v1: SignatureV1Body? = nil, v2: SignatureV2Body? = nil,
        introductoryEligibility: IntroductoryEligibilityBody? = nil
    ) {
        self.v1 = v1
        self.v2 = v2
        self.introductoryEligibility = introductoryEligibility
    }
}

/// What `SKPaymentDiscount` and `Product.SubscriptionOffer.Signature` take.
public struct SignatureV1Body: Sendable, Hashable, Codable {
    /// The key that signed.
    public var keyId: KeyId
    /// The nonce that was signed.
    public var nonce: LowercaseUUID
    /// The timestamp that was signed, in ms.
    public var timestamp: Instant
    /// The DER signature in Base64; StoreKit 2 takes its decoded bytes.
    public var signature: String
    /// The account token that was signed; empty if none was. The purchase must carry the same.
    public var appAccountToken: String

    /// A signature by its parts.
    public init(keyId: KeyId, nonce: LowercaseUUID, timestamp: Instant, signature: String, appAccountToken: String) {
        self.keyId = keyId
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
        self.appAccountToken = appAccountToken
    }
}

/// What `promotionalOffer(_:compactJWS:)` takes.
public struct SignatureV2Body: Sendable, Hashable, Codable {
    /// The compact JWS.
    public var jws: String

    /// A signature by its JWS.
    public init(jws: String) {
        self.jws = jws
    }
}

/// What `introductoryOfferEligibility(compactJWS:)` takes.
public struct IntroductoryEligibilityBody: Sendable, Hashable, Codable {
    /// The compact JWS.
    public var jws: String
    /// What it says: `false` blocks the offer.
    public var allowIntroductoryOffer: Bool

    /// A statement by its parts.
    public init(jws: String, allowIntroductoryOffer: Bool) {
        self.jws = jws
        self.allowIntroductoryOffer = allowIntroductoryOffer
    }
}

public import OfferModel

/// `POST /v1/issued-offers`: what the app's backend asks for.
public struct IssueRequest: Sendable, Hashable, Decodable {
    public var offerId: OfferId
    /// The product; required if the offer has several.
    public var productId: ProductId?
    /// Empty if signed data alone names the customer.
    public var customer: CustomerIdentifiers
    /// The encodings wanted, at least one; the first the offer lists if absent.
    public var formats: [SignatureFormat]?
    /// Whether to discard the stored signatures and sign again.
    public var fresh: Bool
    public var signals: [String: FactValue]
    public var device: DeviceRequest
    public var delivery: SignedDelivery

    enum CodingKeys: String, CodingKey, CaseIterable {
        case offerId, productId, customer, formats, fresh, signals, signedTransactions, signedRenewalInfo,
            signedAppTransaction, historyComplete, request
    }

    public init(
        offerId: OfferId, productId: ProductId? = nil, customer: CustomerIdentifiers,
        formats: [SignatureFormat]? = nil, fresh: Bool = false, signals: [String: FactValue] = [:],
        device: DeviceRequest = DeviceRequest(), delivery: SignedDelivery = SignedDelivery()
    ) {
        self.offerId = offerId
        self.productId = productId
        self.customer = customer
        self.formats = formats
        self.fresh = fresh
        self.signals = signals
        self.device = device
        self.delivery = delivery
    }

    public init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(
            decoder, keyedBy: CodingKeys.self, requiring: [.offerId])
        offerId = try container.decode(OfferId.self, forKey: .offerId)
        productId = try container.decodeIfPresent(ProductId.self, forKey: .productId)
        customer =
            try container.decodeIfPresent(CustomerIdentifiers.self, forKey: .customer) ?? CustomerIdentifiers()
        formats = try container.decodeWords(SignatureFormat.self, forKey: .formats)
        fresh = try container.decodeIfPresent(Bool.self, forKey: .fresh) ?? false
        signals = try container.decodeSignals(forKey: .signals)
        delivery = try container.decodeSignedData(.signedTransactions, .signedRenewalInfo, .signedAppTransaction)
        delivery.historyComplete = try container.decodeIfPresent(Bool.self, forKey: .historyComplete) ?? false
        device = try container.decodeDevice(forKey: .request)
    }
}

/// One issued offer, as issued and as read back.
public struct IssuedOfferView: Sendable, Hashable, Codable {
    public var issuedOfferId: LowercaseUUID
    public var decisionId: LowercaseUUID
    public var offerId: OfferId
    public var offerType: OfferType
    public var delivery: Delivery
    /// Apple's name of the offer; absent for introductory ones.
    public var offerIdentifier: OfferIdentifier?
    public var productId: ProductId
    public var bundleId: BundleId
    public var environment: AppStoreEnvironment
    /// The key that signed; absent where nothing is signed.
    public var keyId: KeyId?
    public var state: IssuedOfferState
    public var issuedAt: Instant
    public var expiresAt: Instant
    public var catalogRevision: Int
    /// The signed data of the request that was not used; only in the answer to `POST /v1/issued-offers`.
    public var ignored: [IgnoredData]?
    /// The newest signing's artefacts.
    public var signatures: SignaturesBody
    /// When it was voided; absent if it was not, and so are the other two.
    public var voidedAt: Instant?
    /// The reason given for that; absent once erased, and not shown to `client` keys.
    public var voidReason: String?
    /// Whether it stopped counting toward limits then.
    public var released: Bool?

    public init(
        issuedOfferId: LowercaseUUID, decisionId: LowercaseUUID, offerId: OfferId, offerType: OfferType,
        delivery: Delivery, offerIdentifier: OfferIdentifier?, productId: ProductId, bundleId: BundleId,
        environment: AppStoreEnvironment, keyId: KeyId?, state: IssuedOfferState, issuedAt: Instant, expiresAt: Instant,
        catalogRevision: Int, signatures: SignaturesBody, voidedAt: Instant? = nil, voidReason: String? = nil,
        released: Bool? = nil
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
        self.voidedAt = voidedAt
        self.voidReason = voidReason
        self.released = released
    }
}

/// The artefacts of one signing, by the encoding StoreKit takes.
public struct SignaturesBody: Sendable, Hashable, Codable {
    public var v1: SignatureV1Body?
    public var v2: SignatureV2Body?
    public var introductoryEligibility: IntroductoryEligibilityBody?

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
    public var keyId: KeyId
    public var nonce: LowercaseUUID
    public var timestamp: Instant
    /// The DER signature in Base64; StoreKit 2 takes its decoded bytes.
    public var signature: String
    /// The account token that was signed; empty if none was. The purchase must carry the same.
    public var appAccountToken: String

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
    public var jws: String

    public init(jws: String) {
        self.jws = jws
    }
}

/// What `introductoryOfferEligibility(compactJWS:)` takes.
public struct IntroductoryEligibilityBody: Sendable, Hashable, Codable {
    public var jws: String
    /// What it says: `false` blocks the offer.
    public var allowIntroductoryOffer: Bool

    public init(jws: String, allowIntroductoryOffer: Bool) {
        self.jws = jws
        self.allowIntroductoryOffer = allowIntroductoryOffer
    }
}

/// `POST /v1/issued-offers/{id}/void`; the answer is the issued offer as it is then.
public struct VoidRequestBody: Sendable, Hashable, Codable {
    /// For the record: 1 to 255 characters.
    public var reason: String
    /// Whether to free the place under its limits at once, although its signatures may still live at Apple.
    public var release: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case reason, release
    }

    public init(reason: String, release: Bool? = nil) {
        self.reason = reason
        self.release = release
    }

    public init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
        reason = try container.decode(String.self, forKey: .reason)
        release = try container.decodeIfPresent(Bool.self, forKey: .release)
    }
}

/// Reads the request of `POST /v1/signature-checks`.
extension PassedSignature: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self, requiring: [.format])
        self.init(format: try container.decode(ArtefactFormat.self, forKey: .format))
        productId = try container.decodeIfPresent(ProductId.self, forKey: .productId)
        offerIdentifier = try container.decodeIfPresent(OfferIdentifier.self, forKey: .offerIdentifier)
        keyId = try container.decodeIfPresent(KeyId.self, forKey: .keyId)
        nonce = try container.decodeIfPresent(String.self, forKey: .nonce)
        timestamp = try container.decodeNumber(Int64.self, forKey: .timestamp)
        appAccountToken = try container.decodeIfPresent(String.self, forKey: .appAccountToken)
        signature = try container.decodeIfPresent(String.self, forKey: .signature)
        jws = try container.decodeIfPresent(String.self, forKey: .jws)
    }
}

import JSON
public import OfferModel

/// The content of a JWS that StoreKit takes with a purchase: `promotionalOffer(_:compactJWS:)` or
/// `introductoryOfferEligibility(compactJWS:)`.
///
/// Claims, sorted: `allowIntroductoryOffer` of an introductory offer, `aud`, `bid`, `iat` in seconds, `iss`, `nonce`,
/// `offerIdentifier` of a promotional offer, `productId`, and `transactionId` where there is one. There is no `exp`: Apple
/// refuses a request that has it.
///
/// Source: Apple, "Generating JWS to sign App Store requests".
public struct StoreKitRequest: Sendable, Hashable {
    public enum Offer: Sendable, Hashable {
        /// - Parameter customer: optional at Apple, and the only thing that binds the offer to one.
        case promotional(OfferIdentifier, customer: TransactionReference?)
        /// `true` grants the introductory offer even to a customer that Apple would refuse, `false` withholds it even
        /// from one that Apple would grant it.
        case introductory(isAllowed: Bool, customer: TransactionReference)
    }

    public var issuerId: String
    public var bundleId: BundleId
    public var productId: ProductId
    public var offer: Offer
    public var nonce: LowercaseUUID
    /// When it is issued; `iat` is rounded down to the second.
    public var timestamp: Instant

    public init(
        issuerId: String, bundleId: BundleId, productId: ProductId, offer: Offer, nonce: LowercaseUUID,
        timestamp: Instant
    ) {
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.productId = productId
        self.offer = offer
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// The JWS payload: JSON with sorted names.
    public func claims() throws(UnsignableText) -> [UInt8] {
        let (format, isAllowed, identifier, customer): (ArtefactFormat, Bool?, String?, String?) =
            switch offer {
            case .promotional(let identifier, let customer): (.v2, nil, identifier.rawValue, customer?.rawValue)
            case .introductory(let isAllowed, let customer):
                (.introductoryEligibility, isAllowed, nil, customer.rawValue)
            }
        try UnsignableText.check(issuerId, "issuerId")
        try UnsignableText.check(bundleId.rawValue, "bundleId")
        try UnsignableText.check(productId.rawValue, "productId")
        if let identifier { try UnsignableText.check(identifier, "offerIdentifier") }
        if let customer { try UnsignableText.check(customer, "transactionId") }
        var writer = JSONWriter.beginObject(.hexadecimal)
        writer.member("allowIntroductoryOffer", isAllowed)
        writer.member("aud", format.audience)
        writer.member("bid", bundleId.rawValue)
        writer.member("iat", timestamp.seconds)
        writer.member("iss", issuerId)
        writer.member("nonce", nonce.description)
        writer.member("offerIdentifier", identifier)
        writer.member("productId", productId.rawValue)
        writer.member("transactionId", customer)
        return writer.endObject()
    }

    /// - Returns: the compact JWS.
    public func signed(by key: some SigningKey) throws -> String {
        try JWSSigning.compact(claims: try claims(), key: key)
    }
}

/// The value of the claim `transactionId`, which binds a JWS to one customer.
///
/// Source: Apple, "Generating JWS to sign App Store requests": any transaction of the customer, or the
/// `appTransactionId`.
public enum TransactionReference: Sendable, Hashable {
    /// A `transactionId` or `originalTransactionId` of the customer.
    case transaction(TransactionId)
    /// The customer's `appTransactionId`, which exists before any purchase.
    case appTransaction(AppTransactionId)

    public var rawValue: String {
        switch self {
        case .transaction(let id): id.rawValue
        case .appTransaction(let id): id.rawValue
        }
    }
}

/// The JWT that authorises a call of Apple's App Store Server API.
///
/// Claims, sorted: `aud` "appstoreconnect-v1", `bid`, `exp`, `iat`, `iss`. Unlike the JWS that StoreKit takes it must
/// have `exp`, at most 60 minutes after `iat`, and it has no nonce.
///
/// Source: Apple, "Generating JSON Web Tokens for API requests".
public struct ServerAPIToken: Sendable, Hashable {
    /// Apple refuses a token that lives longer.
    public static let longestLifeSeconds: Int64 = 3_600

    public var issuerId: String
    public var bundleId: BundleId
    /// When it is issued; `iat` is rounded down to the second.
    public var issuedAt: Instant
    /// How long it may be used, in seconds; held between 1 and ``longestLifeSeconds``.
    public var lifeSeconds: Int64

    public init(issuerId: String, bundleId: BundleId, issuedAt: Instant, lifeSeconds: Int64) {
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.issuedAt = issuedAt
        self.lifeSeconds = lifeSeconds
    }

    /// The JWT's payload: JSON with sorted names.
    public func claims() throws(UnsignableText) -> [UInt8] {
        try UnsignableText.check(issuerId, "issuerId")
        try UnsignableText.check(bundleId.rawValue, "bundleId")
        var writer = JSONWriter.beginObject(.hexadecimal)
        writer.member("aud", "appstoreconnect-v1")
        writer.member("bid", bundleId.rawValue)
        writer.member("exp", issuedAt.seconds + min(max(lifeSeconds, 1), Self.longestLifeSeconds))
        writer.member("iat", issuedAt.seconds)
        writer.member("iss", issuerId)
        return writer.endObject()
    }

    /// - Returns: the compact JWT: its holder can call the API for this app until it expires.
    public func signed(by key: some SigningKey) throws -> String {
        try JWSSigning.compact(claims: try claims(), key: key)
    }
}

/// Makes the compact JWS that StoreKit takes (RFC 7515 §3.1), from claims that are already JSON.
///
/// ```
/// base64url({"alg":"ES256","kid":keyId,"typ":"JWT"}) "." base64url(claims) "." base64url(R‖S)
/// ```
enum JWSSigning {
    static func compact(claims: [UInt8], key: some SigningKey) throws -> String {
        try UnsignableText.check(key.keyId.rawValue, "keyId")
        var header = JSONWriter.beginObject(.hexadecimal)
        header.member("alg", "ES256")
        header.member("kid", key.keyId.rawValue)
        header.member("typ", "JWT")
        let input = "\(Base64URL.encode(header.endObject())).\(Base64URL.encode(claims))"
        let signature = try key.rawSignature(of: Array(input.utf8))
        return "\(input).\(Base64URL.encode(signature))"
    }
}

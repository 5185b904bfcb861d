import JSON
public import OfferModel

/// What an introductory-offer eligibility JWS says (StoreKit's `introductoryOfferEligibility(compactJWS:)`).
///
/// `true` grants the introductory offer even to somebody whom Apple would refuse, `false` withholds it from somebody to
/// whom Apple would give it.
///
/// Claims, sorted: `allowIntroductoryOffer` as a boolean, `aud` "introductory-offer-eligibility", `bid`, `iat` in
/// seconds, `iss`, `nonce`, `productId`, `transactionId`. There is no `exp`: Apple refuses a request that has it.
///
/// Source: Apple, "Generating JWS to sign App Store requests".
public struct IntroductoryOfferEligibility: Sendable, Hashable {
    /// The issuer id of App Store Connect, from the Keys page.
    public var issuerId: String
    /// The app.
    public var bundleId: BundleId
    /// The product to buy.
    public var productId: ProductId
    /// Whether the customer gets the introductory offer.
    public var allowIntroductoryOffer: Bool
    /// The customer.
    public var transactionId: TransactionReference
    /// Used once for ever.
    public var nonce: LowercaseUUID
    /// When it is issued; `iat` is rounded down to the second.
    public var timestamp: Instant

    /// An eligibility by its parts.
    public init(
        issuerId: String, bundleId: BundleId, productId: ProductId, allowIntroductoryOffer: Bool,
        transactionId: TransactionReference, nonce: LowercaseUUID, timestamp: Instant
    ) {
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.productId = productId
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.transactionId = transactionId
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// The JWS payload: JSON with sorted names.
    ///
    /// - Throws: ``UnsignableText`` if a value is empty or has characters that no identifier has.
    public func claims() throws(UnsignableText) -> [UInt8] {
        try UnsignableText.check(issuerId, "issuerId")
        try UnsignableText.check(bundleId.rawValue, "bundleId")
        try UnsignableText.check(productId.rawValue, "productId")
        try UnsignableText.check(transactionId.rawValue, "transactionId")
        var writer = JSONWriter.beginObject(.hexadecimal)
        writer.member("allowIntroductoryOffer", allowIntroductoryOffer)
        writer.member("aud", "introductory-offer-eligibility")
        writer.member("bid", bundleId.rawValue)
        writer.member("iat", timestamp.seconds)
        writer.member("iss", issuerId)
        writer.member("nonce", nonce.description)
        writer.member("productId", productId.rawValue)
        writer.member("transactionId", transactionId.rawValue)
        return writer.endObject()
    }

    /// Signs it.
    ///
    /// - Throws: ``UnsignableText``, or what the key throws; then nothing was signed.
    public func signed(by key: some SigningKey) throws -> IntroductoryOfferEligibilitySignature {
        IntroductoryOfferEligibilitySignature(
            jws: try JWSSigning.compact(claims: try claims(), key: key),
            allowIntroductoryOffer: allowIntroductoryOffer)
    }
}

/// A finished introductory-offer eligibility JWS.
public struct IntroductoryOfferEligibilitySignature: Sendable, Hashable {
    /// The compact JWS for StoreKit.
    public let jws: String
    /// What it says, so that nobody has to take it apart.
    public let allowIntroductoryOffer: Bool

    /// A signature as one reads it back from the store.
    public init(jws: String, allowIntroductoryOffer: Bool) {
        self.jws = jws
        self.allowIntroductoryOffer = allowIntroductoryOffer
    }
}

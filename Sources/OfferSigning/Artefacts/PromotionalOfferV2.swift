import JSON
public import OfferModel

/// What a promotional-offer JWS says (StoreKit's `promotionalOffer(_:compactJWS:)`).
///
/// Claims, sorted: `aud` "promotional-offer", `bid`, `iat` in seconds, `iss`, `nonce`, `offerIdentifier`, `productId`,
/// and `transactionId` where there is one. There is no `exp`: Apple refuses a request that has it.
///
/// Source: Apple, "Generating JWS to sign App Store requests".
public struct PromotionalOfferV2: Sendable, Hashable {
    /// The issuer id of App Store Connect, from the Keys page.
    public var issuerId: String
    /// The app.
    public var bundleId: BundleId
    /// The product to buy.
    public var productId: ProductId
    /// Apple's name of the offer.
    public var offerIdentifier: OfferIdentifier
    /// The customer; optional at Apple, and the only thing that binds the offer to one.
    public var transactionId: TransactionReference?
    /// Used once for ever.
    public var nonce: LowercaseUUID
    /// When it is issued; `iat` is rounded down to the second.
    public var timestamp: Instant

    /// An offer by its parts.
    public init(
        issuerId: String, bundleId: BundleId, productId: ProductId, offerIdentifier: OfferIdentifier,
        transactionId: TransactionReference? = nil, nonce: LowercaseUUID, timestamp: Instant
    ) {
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.productId = productId
        self.offerIdentifier = offerIdentifier
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
        try UnsignableText.check(offerIdentifier.rawValue, "offerIdentifier")
        if let transactionId { try UnsignableText.check(transactionId.rawValue, "transactionId") }
        var writer = JSONWriter.beginObject(.hexadecimal)
        writer.member("aud", "promotional-offer")
        writer.member("bid", bundleId.rawValue)
        writer.member("iat", timestamp.seconds)
        writer.member("iss", issuerId)
        writer.member("nonce", nonce.description)
        writer.member("offerIdentifier", offerIdentifier.rawValue)
        writer.member("productId", productId.rawValue)
        if let transactionId { writer.member("transactionId", transactionId.rawValue) }
        return writer.endObject()
    }

    /// Signs it.
    ///
    /// - Throws: ``UnsignableText``, or what the key throws; then nothing was signed.
    public func signed(by key: some SigningKey) throws -> PromotionalOfferSignatureV2 {
        PromotionalOfferSignatureV2(jws: try JWSSigning.compact(claims: try claims(), key: key))
    }
}

/// A finished promotional-offer JWS.
public struct PromotionalOfferSignatureV2: Sendable, Hashable {
    /// The compact JWS for StoreKit.
    public let jws: String

    /// A signature as one reads it back from the store.
    public init(jws: String) {
        self.jws = jws
    }
}

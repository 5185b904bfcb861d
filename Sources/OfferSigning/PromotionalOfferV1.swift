public import OfferModel

/// The content of a legacy promotional-offer signature (StoreKit's `SKPaymentDiscount` and
/// `Product.SubscriptionOffer.Signature`).
///
/// The bytes to sign are UTF-8, seven fields with one U+2063 INVISIBLE SEPARATOR (`E2 81 A3`) between each two, and
/// nothing after the last:
///
/// ```
/// bundleId | keyId | productId | offerIdentifier | appAccountToken | nonce | timestamp
///                                                       ^             ^         ^
///                               lower case, or empty ---+             |         +--- milliseconds, decimal
///                                            lower case ---------------+
/// ```
///
/// Source: Apple, "Generating a signature for promotional offers".
public struct PromotionalOfferV1: Sendable, Hashable {
    public var bundleId: BundleId
    public var productId: ProductId
    public var offerIdentifier: OfferIdentifier
    /// The app's account, exactly as the app passes it to StoreKit; `nil` leaves the field empty.
    public var appAccountToken: AppAccountToken?
    public var nonce: LowercaseUUID
    /// When the offer begins to be good for 24 hours.
    public var timestamp: Instant

    public init(
        bundleId: BundleId, productId: ProductId, offerIdentifier: OfferIdentifier,
        appAccountToken: AppAccountToken? = nil, nonce: LowercaseUUID, timestamp: Instant
    ) {
        self.bundleId = bundleId
        self.productId = productId
        self.offerIdentifier = offerIdentifier
        self.appAccountToken = appAccountToken
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// The exact bytes that a key with this id signs.
    ///
    /// - Throws: ``UnsignableText`` if a field is empty or could move the boundaries between the fields.
    public func bytesToSign(keyId: KeyId) throws(UnsignableText) -> [UInt8] {
        try UnsignableText.check(bundleId.rawValue, "bundleId")
        try UnsignableText.check(keyId.rawValue, "keyId")
        try UnsignableText.check(productId.rawValue, "productId")
        try UnsignableText.check(offerIdentifier.rawValue, "offerIdentifier")
        let fields = [
            bundleId.rawValue, keyId.rawValue, productId.rawValue, offerIdentifier.rawValue,
            appAccountToken?.description ?? "", nonce.description,
        ]
        var bytes = [UInt8]()
        bytes.reserveCapacity(256)
        for field in fields {
            bytes.append(contentsOf: field.utf8)
            bytes.append(contentsOf: Self.separator)
        }
        bytes.append(contentsOf: String(timestamp.milliseconds).utf8)
        return bytes
    }

    /// - Returns: the DER of the `ECDSA-Sig-Value` in standard Base64 with padding: StoreKit 1 takes the text, StoreKit
    ///   2 the bytes.
    public func signed(by key: some SigningKey) throws -> String {
        Base64.encode(try key.derSignature(of: try bytesToSign(keyId: key.keyId)))
    }

    /// U+2063 in UTF-8.
    private static let separator: [UInt8] = [0xE2, 0x81, 0xA3]
}

import JSON
public import OfferModel

/// The JWT that authorises a call of Apple's App Store Server API.
///
/// Claims, sorted: `aud` "appstoreconnect-v1", `bid`, `exp`, `iat`, `iss`. Unlike the JWS that StoreKit takes it must
/// have `exp`, at most 60 minutes after `iat`, and it has no nonce.
///
/// Source: Apple, "Generating JSON Web Tokens for API requests".
public struct ServerAPIToken: Sendable, Hashable {
    /// Apple refuses a token that lives longer.
    public static let longestLifeSeconds: Int64 = 3_600

    /// The issuer id of App Store Connect, from the Keys page.
    public var issuerId: String
    /// The app.
    public var bundleId: BundleId
    /// When it is issued; `iat` is rounded down to the second.
    public var issuedAt: Instant
    /// How long it may be used, in seconds; held between 1 and ``longestLifeSeconds``.
    public var lifeSeconds: Int64

    /// A token by its parts.
    public init(issuerId: String, bundleId: BundleId, issuedAt: Instant, lifeSeconds: Int64) {
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.issuedAt = issuedAt
        self.lifeSeconds = lifeSeconds
    }

    /// The JWT's payload: JSON with sorted names.
    ///
    /// - Throws: ``UnsignableText`` if a value is empty or has characters that no identifier has.
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

    /// Signs it.
    ///
    /// - Returns: the compact JWT: whoever holds it may call the API for this app until it expires.
    /// - Throws: ``UnsignableText``, or what the key throws; then nothing was signed.
    public func signed(by key: some SigningKey) throws -> String {
        try JWSSigning.compact(claims: try claims(), key: key)
    }
}

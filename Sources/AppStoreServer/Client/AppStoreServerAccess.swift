public import OfferModel
public import OfferSigning

/// As whom the App Store Server API is asked: an In-App Purchase key and the app it asks for.
public struct AppStoreServerAccess: Sendable {
    /// The issuer id of App Store Connect, from the Keys page.
    public let issuerId: String
    /// The app.
    public let bundleId: BundleId
    let key: any SigningKey

    /// Access by its parts.
    public init(issuerId: String, bundleId: BundleId, key: any SigningKey) {
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.key = key
    }

    /// The key's id, for messages.
    public var keyId: KeyId { key.keyId }

    /// Signed anew for each attempt: that costs less than keeping one and knowing when it is too old.
    func token(now: Instant) throws(AppStoreServerError) -> String {
        let token = ServerAPIToken(
            issuerId: issuerId, bundleId: bundleId, issuedAt: now, lifeSeconds: Self.tokenLifeSeconds)
        do {
            return try token.signed(by: key)
        } catch let error as UnsignableText {
            throw AppStoreServerError(.notSent, "the request cannot be authorised: \(error)", hint: error.hint)
        } catch {
            throw AppStoreServerError(
                .notSent, "the key `\(keyId)` cannot sign", hint: "check it with `offerd keys check`")
        }
    }

    /// As Apple's own libraries have it.
    private static let tokenLifeSeconds: Int64 = 300
}

public import OfferModel
public import OfferSigning

/// Where the App Store Server API of one environment answers.
public struct AppStoreServerHost: Sendable, Hashable, CustomStringConvertible {
    public let environment: AppStoreEnvironment
    /// The address that paths are put behind, without a final slash.
    public let address: String

    /// Apple's host of an environment; `nil` for those that Apple's servers do not know.
    public static func apple(_ environment: AppStoreEnvironment) -> AppStoreServerHost? {
        switch environment {
        case .production: AppStoreServerHost(environment, "https://api.storekit.apple.com")
        case .sandbox: AppStoreServerHost(environment, "https://api.storekit-sandbox.apple.com")
        case .localTesting, .xcode: nil
        }
    }

    /// Another server that answers like Apple's, for tests. The token it receives is valid at Apple too, so without
    /// encryption it must be on this machine.
    public init?(environment: AppStoreEnvironment, address: String) {
        let parts = address.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, parts[1].utf8.allSatisfy(Self.isAuthority) else { return nil }
        switch parts[0] {
        case "https": break
        case "http":
            let here = ["127.0.0.1", "[::1]", "localhost"]
            guard here.contains(where: { parts[1] == $0 || parts[1].hasPrefix("\($0):") }) else { return nil }
        default: return nil
        }
        self.init(environment, address)
    }

    private init(_ environment: AppStoreEnvironment, _ address: String) {
        self.environment = environment
        self.address = address
    }

    public var description: String { address }

    private static func isAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: ".-:[]".utf8.contains(byte)
        }
    }
}

/// Credentials for the App Store Server API: an In-App Purchase key and its app.
public struct AppStoreServerAccess: Sendable {
    /// The issuer id of App Store Connect, from the Keys page.
    public let issuerId: String
    public let bundleId: BundleId
    let key: any SigningKey

    public init(issuerId: String, bundleId: BundleId, key: any SigningKey) {
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.key = key
    }

    public var keyId: KeyId { key.keyId }

    /// Signed for each attempt: that costs less than caching one and tracking its age.
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

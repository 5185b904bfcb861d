import AppStoreData
public import AppStoreServer
public import OfferModel
public import OfferSigning
import Synchronization

/// An app this service may sign for, with its keys and the roots it believes.
public struct RegisteredApp: Sendable {
    public let bundleId: BundleId
    /// Apple's number of the app; needed in Production.
    public let appAppleId: Int64?
    /// The issuer id of the In-App Purchase key, the `iss` of every JWS.
    public let issuerId: String
    /// The key that signs in each environment where the app may be used.
    public let signingKeys: [AppStoreEnvironment: any SigningKey]
    /// The keys that signed there before.
    public let retiredKeys: [AppStoreEnvironment: [any SigningKey]]
    public let signsV1InSandbox: Bool
    public let verifier: any SignedDataVerifier
    /// The App Store Server API of each environment that has one.
    public let appStoreServers: [AppStoreEnvironment: AppStoreServerClient]

    public init(
        bundleId: BundleId, appAppleId: Int64?, issuerId: String,
        signingKeys: [AppStoreEnvironment: any SigningKey],
        retiredKeys: [AppStoreEnvironment: [any SigningKey]] = [:], signsV1InSandbox: Bool = false,
        verifier: any SignedDataVerifier, appStoreServers: [AppStoreEnvironment: AppStoreServerClient] = [:]
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.issuerId = issuerId
        self.signingKeys = signingKeys
        self.retiredKeys = retiredKeys
        self.signsV1InSandbox = signsV1InSandbox
        self.verifier = verifier
        self.appStoreServers = appStoreServers
    }

    /// The encodings of promotional offers that are signed in an environment.
    ///
    /// Neither encoding names an environment. In Sandbox, where purchases are free, V2 names a transaction that
    /// Production does not know; V1 names nothing that would keep it from being redeemed there.
    public func formats(in environment: AppStoreEnvironment) -> Set<SignatureFormat> {
        environment == .sandbox && !signsV1InSandbox ? [.v2] : SignatureFormat.all
    }

    /// The reader of the app's signed data in an environment, by its own verifier or that of one request.
    func reader(in environment: AppStoreEnvironment, _ own: (any SignedDataVerifier)? = nil) -> SignedDataReader {
        SignedDataReader(
            verifier: own ?? verifier, bundleId: bundleId, appAppleId: appAppleId, environment: environment)
    }
}

/// The apps of `keys.yaml`. A request takes its app once and finishes with it, whatever is replaced meanwhile.
public final class AppRegistry: Sendable {
    private struct State {
        var apps: [BundleId: RegisteredApp]
        /// Where the key failed its latest self-test.
        var broken: Set<Scope> = []
        /// How often the apps were replaced.
        var version = 0
    }

    private let state: Mutex<State>

    /// A registry; of two entries for one app the first counts, and the reader refuses the second.
    public init(_ apps: [RegisteredApp]) {
        state = Mutex(State(apps: Self.byBundleId(apps)))
    }

    /// Serves these apps and no others from the next request on.
    public func replace(with apps: [RegisteredApp]) {
        let new = Self.byBundleId(apps)
        // A key is tested when it is loaded.
        state.withLock { $0 = State(apps: new, version: $0.version + 1) }
    }

    private static func byBundleId(_ apps: [RegisteredApp]) -> [BundleId: RegisteredApp] {
        Dictionary(apps.map { ($0.bundleId, $0) }) { first, _ in first }
    }

    public var all: [RegisteredApp] {
        state.withLock { $0.apps.values.sorted { $0.bundleId < $1.bundleId } }
    }

    /// The app of a scope; `nil` if `keys.yaml` has no such app, or not in that environment.
    public subscript(scope: Scope) -> RegisteredApp? {
        guard let app = state.withLock({ $0.apps[scope.bundleId] }), app.signingKeys[scope.environment] != nil else {
            return nil
        }
        return app
    }

    /// - Throws: `notReady` if `keys.yaml` has no such app or not in that environment.
    public func app(for scope: Scope) throws -> RegisteredApp {
        guard let app = self[scope] else {
            throw RequestError.notReady(
                detail: "keys.yaml has no entry for `\(scope)`",
                hint: "add the app or the environment to keys.yaml")
        }
        return app
    }

    /// Tests the signing keys. One that fails signs nothing until a later test passes or `keys.yaml` is read again.
    ///
    /// - Returns: the scopes whose key failed.
    @discardableResult
    public func testKeys() -> [Scope] {
        let (apps, version) = state.withLock { ($0.apps.values, $0.version) }
        let broken = apps.flatMap { app in
            app.signingKeys.filter { !$0.value.works }.keys
                .map { Scope(bundleId: app.bundleId, environment: $0) }
        }
        state.withLock { if $0.version == version { $0.broken = Set(broken) } }
        return broken.sorted { "\($0)" < "\($1)" }
    }

    /// Tests the signing key of a scope because it failed to sign: a token may have lost its sessions.
    ///
    /// - Throws: `notReady` if it fails the test, too; it signs nothing then until a later test passes.
    func testKeyAgain(for scope: Scope) throws {
        let (key, version) = state.withLock {
            ($0.apps[scope.bundleId]?.signingKeys[scope.environment], $0.version)
        }
        guard key?.works == false else { return }
        state.withLock { if $0.version == version { $0.broken.insert(scope) } }
        try requireWorkingKeys(for: scope)
    }

    /// Whether the signing key of a scope passed its latest self-test.
    public func worked(_ scope: Scope) -> Bool { state.withLock { !$0.broken.contains(scope) } }

    /// - Throws: `notReady` if a signing key failed its latest self-test: of a scope, or any.
    func requireWorkingKeys(for scope: Scope? = nil) throws {
        let broken = state.withLock { $0.broken }
        guard scope.map(broken.contains) ?? !broken.isEmpty else { return }
        throw RequestError.notReady(
            detail: "a signing key fails its self-test",
            hint: "restart offerd; `offerd keys check` tells whether the key file, or the token, is sound")
    }
}

public import OfferModel

/// The content of `keys.yaml` (docs/design.md#commands): which apps are served, with which keys.
public struct KeysConfiguration: Sendable, Hashable {
    /// At least one, each bundle identifier once.
    public var apps: [AppConfiguration]
    /// The keys of the audit; without them it is kept, but not signed.
    public var audit: AuditConfiguration?

    /// A configuration by its parts.
    public init(apps: [AppConfiguration], audit: AuditConfiguration? = nil) {
        self.apps = apps
        self.audit = audit
    }

    /// The app with that bundle identifier.
    public func app(_ bundleId: BundleId) -> AppConfiguration? {
        apps.first { $0.bundleId == bundleId }
    }
}

/// The keys of the audit (docs/design.md#commands), none of which is Apple's.
public struct AuditConfiguration: Sendable, Hashable {
    /// Signs checkpoints.
    public var privateKey: PrivateKeySource
    /// Takes digests of what may be erased.
    public var digestKey: PrivateKeySource
    /// The file that each checkpoint is also written to.
    public var witness: String?

    /// A configuration by its parts.
    public init(privateKey: PrivateKeySource, digestKey: PrivateKeySource, witness: String? = nil) {
        self.privateKey = privateKey
        self.digestKey = digestKey
        self.witness = witness
    }
}

/// One app that is served.
public struct AppConfiguration: Sendable, Hashable {
    /// The app.
    public var bundleId: BundleId
    /// Apple's number of the app; always there if Production is served.
    public var appAppleId: Int64?
    /// The issuer of the App Store Connect keys.
    public var issuerId: LowercaseUUID
    /// The environments that are served, in the order of the file.
    public var environments: [AppStoreEnvironment]
    /// In each environment exactly one of them signs.
    public var keys: [KeyConfiguration]
    /// Whether V1 is signed in Sandbox: a V1 signature names no transaction, so Production accepts it too.
    public var signsV1InSandbox: Bool
    /// Paths of extra root certificates, as written; never for Production.
    public var trustedRoots: [AppStoreEnvironment: [String]]

    /// An app by its parts.
    public init(
        bundleId: BundleId, appAppleId: Int64? = nil, issuerId: LowercaseUUID, environments: [AppStoreEnvironment],
        keys: [KeyConfiguration], signsV1InSandbox: Bool = false,
        trustedRoots: [AppStoreEnvironment: [String]] = [:]
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.issuerId = issuerId
        self.environments = environments
        self.keys = keys
        self.signsV1InSandbox = signsV1InSandbox
        self.trustedRoots = trustedRoots
    }
}

/// One In-App Purchase key of an app.
public struct KeyConfiguration: Sendable, Hashable {
    /// Its identifier in App Store Connect.
    public var keyId: KeyId
    /// Where the private key is.
    public var privateKey: PrivateKeySource
    /// Whether it signs.
    public var use: KeyUse
    /// Where it is used; never both for tests and for Apple's environments.
    public var environments: [AppStoreEnvironment]
    /// Where it stands in the document, for errors that only its material shows.
    public var place: DocumentPlace?

    /// A key by its parts.
    public init(
        keyId: KeyId, privateKey: PrivateKeySource, use: KeyUse, environments: [AppStoreEnvironment],
        place: DocumentPlace? = nil
    ) {
        self.keyId = keyId
        self.privateKey = privateKey
        self.use = use
        self.environments = environments
        self.place = place
    }
}

/// A place in a document.
public struct DocumentPlace: Sendable, Hashable {
    /// Such as `apps[0].keys[1]`.
    public let path: String
    /// From 1.
    public let line: Int
    /// From 1.
    public let column: Int
}

/// Where a private key is; never the key itself.
public enum PrivateKeySource: Sendable, Hashable {
    /// The path of a file, as written; a relative one is relative to the file that names it.
    case path(String)
    /// The name of an environment variable that holds the PEM text.
    case environment(String)
}

/// What a key is for.
public enum KeyUse: String, Sendable, Hashable, CaseIterable {
    /// It signs new offers.
    case signing
    /// It signed earlier ones.
    case retired
}

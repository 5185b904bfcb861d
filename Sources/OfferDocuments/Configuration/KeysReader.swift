package import OfferModel

/// The content of `keys.yaml` (docs/design.md#keys): which apps are served, with which keys.
package struct KeysConfiguration: Sendable, Hashable {
    /// At least one, each bundle identifier once.
    package var apps: [AppConfiguration]
    /// Without it the audit is kept, but not signed.
    package var audit: AuditConfiguration?

    package func app(_ bundleId: BundleId) -> AppConfiguration? {
        apps.first { $0.bundleId == bundleId }
    }

    package var scopes: [Scope] {
        apps.flatMap { app in app.environments.map { Scope(bundleId: app.bundleId, environment: $0) } }
    }
}

/// The keys of the audit (docs/design.md#keys), none of which is Apple's.
package struct AuditConfiguration: Sendable, Hashable {
    /// Signs checkpoints.
    package var privateKey: PrivateKeySource
    /// Makes digests of what may be erased.
    package var digestKey: PrivateKeySource
    /// A file that each checkpoint is also written to.
    package var witness: String?
}

package struct AppConfiguration: Sendable, Hashable {
    package var bundleId: BundleId
    /// Apple's number of the app; required if Production is served.
    package var appAppleId: Int64?
    package var issuerId: LowercaseUUID
    /// In the order of the file.
    package var environments: [AppStoreEnvironment]
    /// In each environment exactly one of them signs.
    package var keys: [KeyConfiguration]
    /// Whether V1 is signed in Sandbox: a V1 signature names no transaction, so Production accepts it too.
    package var signsV1InSandbox = false
    /// Paths of extra root certificates, as written; never for Production.
    package var trustedRoots: [AppStoreEnvironment: [String]] = [:]
}

package struct KeyConfiguration: Sendable, Hashable {
    package var keyId: KeyId
    package var privateKey: PrivateKeySource
    package var use: KeyUse
    /// Never both for tests and for Apple's environments.
    package var environments: [AppStoreEnvironment]
    /// Its entry in the document, for errors that only the key's material shows: `apps[0].keys[1]`.
    var path = ""
    var position = DocumentPosition.start

    package init(
        keyId: KeyId, privateKey: PrivateKeySource, use: KeyUse, environments: [AppStoreEnvironment]
    ) {
        self.keyId = keyId
        self.privateKey = privateKey
        self.use = use
        self.environments = environments
    }
}

/// Where a private key is; never the key itself.
package enum PrivateKeySource: Sendable, Hashable {
    /// The path of a file, as written; a relative one is relative to the file that names it.
    case path(String)
    /// The name of an environment variable that holds the PEM text.
    case environment(String)
    /// In a token, which it never leaves.
    case token(TokenKey)
}

package enum KeyUse: String, Sendable, Hashable, CaseIterable {
    /// Signs new offers.
    case signing
    /// Signed earlier ones.
    case retired
}

/// Reads `keys.yaml` (docs/design.md#keys). It holds the places of keys; text that looks like a key itself is
/// refused unseen.
package enum KeysReader {
    package static func read(_ bytes: [UInt8]) throws(InvalidDocument) -> ValidDocument<KeysConfiguration> {
        try DocumentReading.read(bytes) { root in
            guard let mapping = root.mapping(["apps", "audit"]) else { return nil }
            var seen: Set<BundleId> = []
            let apps = mapping.required("apps")?.list()?.compactMap { app($0, &seen) }
            if let shared = KeySharing.issue(
                among: (apps ?? []).flatMap(\.keys), isSame: { $0.privateKey == $1.privateKey || $0.keyId == $1.keyId })
            {
                root.log.refuse(shared)
            }
            let audit = mapping.optional("audit").flatMap { auditKeys($0, apps: apps ?? []) }
            return apps.map { KeysConfiguration(apps: $0, audit: audit) }
        }
    }

    /// The audit answers for what the keys of apps sign, so it must not be one of them.
    private static func auditKeys(_ field: Field, apps: [AppConfiguration]) -> AuditConfiguration? {
        guard let mapping = field.mapping(["privateKey", "digestKey", "witness"]) else { return nil }
        let privateField = mapping.required("privateKey")
        let digestField = mapping.required("digestKey")
        let witness = mapping.optional("witness").flatMap { $0.text(.path) }
        let (privateKey, digestKey) = (
            privateField.flatMap(KeySourceReader.read), digestField.flatMap(KeySourceReader.read)
        )
        guard let privateKey, let digestKey else { return nil }
        if apps.flatMap(\.keys).contains(where: { $0.privateKey == privateKey }) {
            privateField?.refuse(
                .contradiction, "the audit's key is a key of an app",
                hint: "make one of its own: `offerd keys generate --out keys/audit.p8 --key-id AUDIT`")
        }
        if privateKey == digestKey {
            digestField?.refuse(
                .contradiction, "`digestKey` is the same as `privateKey`",
                hint: "make one of its own: `openssl rand -hex 32 > keys/digest.key`, mode 600")
        }
        return AuditConfiguration(privateKey: privateKey, digestKey: digestKey, witness: witness)
    }

    private static let keys = ["bundleId", "appAppleId", "issuerId", "environments", "keys", "sandbox", "trustedRoots"]

    private static func app(_ field: Field, _ seen: inout Set<BundleId>) -> AppConfiguration? {
        guard let mapping = field.mapping(keys) else { return nil }
        let bundleField = mapping.required("bundleId")
        let bundleId = bundleField?.text(.bundleId).map { BundleId($0) }
        if let bundleId, !seen.insert(bundleId).inserted {
            bundleField?.refuse(
                .duplicateValue, "app \(quoted(bundleId.rawValue)) is given twice",
                hint: "list all its environments in one entry")
        }
        let appAppleId = mapping.optional("appAppleId")?.wholeNumber(1...999_999_999_999)
        let issuerId = mapping.required("issuerId")?.uuid()
        let environments = mapping.required("environments")?.list()?.distinct { $0.choice(AppStoreEnvironment.self) }
        if let environments, environments.contains(.production), !mapping.has("appAppleId") {
            field.refuse(
                .missingKey, "missing key `appAppleId`, which Production needs",
                hint: "copy the number of the app from App Store Connect, App Information")
        }
        let keys = mapping.required("keys").flatMap { KeyListReader.read($0, environments) }
        let signsV1InSandbox = mapping.optional("sandbox").map { signsV1($0, environments ?? []) } ?? false
        let roots = mapping.optional("trustedRoots").map { TrustedRootsReader.read($0, environments ?? []) } ?? [:]
        guard let bundleId, let issuerId, let environments, let keys else { return nil }
        return AppConfiguration(
            bundleId: bundleId, appAppleId: appAppleId.map(Int64.init), issuerId: issuerId,
            environments: environments, keys: keys, signsV1InSandbox: signsV1InSandbox, trustedRoots: roots)
    }

    private static func signsV1(_ field: Field, _ environments: [AppStoreEnvironment]) -> Bool {
        guard let mapping = field.mapping(["v1"]), let allowed = mapping.required("v1")?.boolean() else { return false }
        if !environments.contains(.sandbox) {
            field.warn(
                .unused, "the app is not served in Sandbox",
                hint: "add it to `environments`, or delete this entry")
        }
        return allowed
    }
}

/// Reads the `keys` of an app: in each of its environments exactly one signs.
enum KeyListReader {
    /// - Parameter environments: where the app is served; `nil` if that could not be read.
    static func read(_ field: Field, _ environments: [AppStoreEnvironment]?) -> [KeyConfiguration]? {
        guard let items = field.list() else { return nil }
        var seen: Set<KeyId> = []
        let keys = items.compactMap { key($0, environments, &seen) }
        guard keys.count == items.count else { return nil }
        for environment in environments ?? [] {
            let signing = keys.count { $0.use == .signing && $0.environments.contains(environment) }
            guard signing != 1 else { continue }
            let found = signing == 0 ? "no key of the app has" : "\(signing) keys of the app have"
            field.refuse(
                .contradiction, "\(found) `use: signing` for \(environment.rawValue)",
                hint: "in each environment exactly one key signs; the others are `use: retired` or state other "
                    + "`environments`")
        }
        return keys
    }

    private static func key(
        _ field: Field, _ served: [AppStoreEnvironment]?, _ seen: inout Set<KeyId>
    ) -> KeyConfiguration? {
        guard let mapping = field.mapping(["keyId", "privateKey", "use", "environments"]) else { return nil }
        let idField = mapping.required("keyId")
        let id = idField?.text(.keyId).map { KeyId($0) }
        if let id, !seen.insert(id).inserted {
            idField?.refuse(.duplicateValue, "key \(quoted(id.rawValue)) is given twice", hint: "keep one")
        }
        let source = mapping.required("privateKey").flatMap(KeySourceReader.read)
        let use = mapping.required("use")?.choice(KeyUse.self)
        var environments = served
        if let stated = mapping.optional("environments") {
            environments = stated.list()?.distinct { $0.choice(AppStoreEnvironment.self) }
            if let served, let stranger = environments?.first(where: { !served.contains($0) }) {
                stated.refuse(
                    .contradiction, "the app is not served in `\(stranger.rawValue)`",
                    hint: "add it to the app's `environments`, or leave it out here")
            }
        } else if mapping.has("environments") {
            return nil
        }
        guard let id, let source, let use, let environments else { return nil }
        var key = KeyConfiguration(keyId: id, privateKey: source, use: use, environments: environments)
        (key.path, key.position) = (field.path, field.node.position)
        return key
    }
}

/// Reads `trustedRoots`: extra roots for tests, never for Production.
enum TrustedRootsReader {
    static func read(_ field: Field, _ environments: [AppStoreEnvironment]) -> [AppStoreEnvironment: [String]] {
        var roots: [AppStoreEnvironment: [String]] = [:]
        for (environment, entry) in field.testEnvironments("Production trusts only Apple's root") {
            roots[environment] = entry.list()?.distinct { $0.text(.path) }
            if !environments.contains(environment) {
                entry.warn(
                    .unused, "the app is not served in \(environment.rawValue)",
                    hint: "add it to `environments`, or delete this entry")
            }
        }
        return roots
    }
}

extension Field {
    /// The entries of a mapping by environment, of which Production must be none.
    func testEnvironments(_ refusal: String) -> [(environment: AppStoreEnvironment, entry: Field)] {
        guard let mapping = mapping(AppStoreEnvironment.allCases.map(\.rawValue)) else { return [] }
        mapping.key(AppStoreEnvironment.production.rawValue)?.refuse(
            .notAllowed, refusal, hint: "delete this entry")
        return [.sandbox, .localTesting, .xcode].compactMap { environment in
            mapping.optional(environment.rawValue).map { (environment, $0) }
        }
    }

    /// A UUID in any case.
    func uuid() -> LowercaseUUID? {
        guard let text = scalar("a UUID") else { return nil }
        if let uuid = LowercaseUUID(text) { return uuid }
        return refuse(
            .invalidValue, "\(quoted(text)) is not a UUID",
            hint: "write it like `57246542-96fe-1a63-e053-0824d011072a`")
    }
}

/// Reads where a secret key is: a path, `env:NAME` or a PKCS #11 URI.
enum KeySourceReader {
    /// A key pasted into the file must not be repeated in an error, so its text is never quoted.
    static func read(_ field: Field) -> PrivateKeySource? {
        guard let text = field.scalar("a path, `env:NAME` or a PKCS #11 URI") else { return nil }
        guard !text.lowercased().contains("pin-value=") else {
            return field.refuse(
                .invalidValue, "the PIN must not be in this file",
                hint: "name where it is: `pin-source=env:NAME`, or `pin-source=file:PATH` with mode 600")
        }
        if text.hasPrefix(TokenKey.scheme), text.utf8.count <= 1_024 {
            return TokenKey.read(text, of: field).map(PrivateKeySource.token)
        }
        let isSecret = text.contains("PRIVATE KEY") || isHexadecimalSecret(text)
        guard !isSecret, text.utf8.count <= 1_024, TextForm.path.accepts(text) else {
            return field.refuse(
                .invalidValue, "this is not a path, `env:NAME` or a PKCS #11 URI",
                hint: "put the key into a file of its own, mode 600, and write its path here")
        }
        guard text.hasPrefix("env:") else { return .path(text) }
        return variableName(text, of: field, example: "SIGNING_KEY").map { .environment($0) }
    }

    /// The name in `env:NAME`; the text is never quoted.
    static func variableName(_ text: String, of field: Field, example: String) -> String? {
        let name = String(text.dropFirst(4))
        guard isVariableName(name) else {
            return field.refuse(
                .invalidValue, "`env:` is not followed by the name of an environment variable",
                hint: "use letters, digits and `_`, as in `env:\(example)`")
        }
        return name
    }

    /// The content of a digest key's file.
    private static func isHexadecimalSecret(_ text: String) -> Bool {
        text.utf8.count >= 64 && text.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    static func isVariableName(_ text: String) -> Bool {
        text.isMade(of: "_", upTo: 128) && text.first?.isNumber == false
    }
}

/// Keys that sign both for tests and for Apple's environments.
///
/// The bytes that Apple verifies name no environment: a signature made for a test with the key of Production is one
/// that the App Store accepts.
package enum KeySharing {
    /// The first key that does, reported at the later of the two entries.
    ///
    /// - Parameter isSame: whether two entries are one key.
    package static func issue(
        among keys: [KeyConfiguration], isSame: (KeyConfiguration, KeyConfiguration) throws -> Bool
    ) rethrows -> DocumentIssue? {
        for (index, key) in keys.enumerated() {
            for other in keys[...index] {
                guard let test = (key.environments + other.environments).first(where: \.isForTests),
                    let real = (key.environments + other.environments).first(where: { !$0.isForTests }),
                    try key == other || isSame(key, other)
                else { continue }
                let whose =
                    key.keyId == other.keyId
                    ? "key `\(key.keyId)` is" : "keys `\(other.keyId)` and `\(key.keyId)` are one key,"
                return DocumentIssue(
                    .contradiction, at: key.position, path: key.path,
                    "\(whose) used in `\(test.rawValue)` and in `\(real.rawValue)`, where its test "
                        + "signatures are valid",
                    hint: "give each an entry with a key of its own: `environments: [\(test.rawValue)]` on one made by "
                        + "`offerd keys generate`, `environments: [\(real.rawValue)]` on the one from App Store Connect"
                )
            }
        }
        return nil
    }
}

extension AppStoreEnvironment {
    /// Whether signatures are redeemed on a developer's machine only.
    package var isForTests: Bool {
        switch self {
        case .localTesting, .xcode: true
        case .production, .sandbox: false
        }
    }
}

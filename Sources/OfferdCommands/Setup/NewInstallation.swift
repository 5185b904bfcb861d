import CommandLineSupport
import Foundation
import LocalAppStore
import OfferDocuments
import OfferModel
import OpenSSLCrypto

/// The files that `offerd init` creates, checked before anything is written.
struct NewInstallation {
    private static let localKeyId = "LOCALTEST1"
    private static let auditKey = "keys/audit.p8"
    private static let digestKey = "keys/digest.key"
    private static let xcodeCertificate = "xcode.cer"
    /// Where the tokens of the first API keys go.
    static let tokens = "tokens"

    let app: String
    private let issuerId: String
    private let appAppleId: Int64?
    let environments: [AppStoreEnvironment]
    /// The keys of the installation to which this is added.
    private let document: KeysConfiguration?
    private var present: AppConfiguration? { document?.app(BundleId(app)) }
    /// The key to copy, with its ID.
    private let given: (file: String, keyId: String, text: String)?
    /// Whether a key for LocalTesting is made.
    private let makesKey: Bool
    /// Xcode's signing certificate; `nil` in every other environment.
    private let certificate: [UInt8]?

    /// - Parameter document: the keys of an installation to which environments are added.
    /// - Throws: a failure for options that contradict each other or the document, and for a key that cannot sign.
    init(_ options: InitCommand, addingTo document: KeysConfiguration? = nil) throws {
        guard !options.environment.contains(.xcode) else {
            throw CommandFailure(
                .usage, "`offerd init` makes no installation for Xcode",
                hints: ["`offerd dev --storekit FILE` makes one from a StoreKit configuration file, and serves it"])
        }
        let asked = options.environment.isEmpty ? [.localTesting] : options.environment
        app = try options.app ?? Self.onlyApp(of: document) ?? FirstCatalog.example
        self.document = document
        let present = document?.app(BundleId(app))
        environments = asked.filter { !(present?.environments.contains($0) ?? false) }
        issuerId = options.issuerId ?? present?.issuerId.description ?? KeysAddition.exampleIssuer
        appAppleId = options.appAppleId ?? present?.appAppleId
        certificate = nil
        if let present { try options.requireNoContradiction(to: present, isAdding: !environments.isEmpty) }
        let apples = environments.filter { $0 != .localTesting }
        var missing: [(option: String, hint: String)] = []
        if !apples.isEmpty {
            // The example's is in App Store Connect only by mistake.
            if options.app == nil, app == FirstCatalog.example {
                missing.append(("--app", "the bundle ID of your app, as App Store Connect shows it"))
            }
            if options.key == nil, present?.appleKey == nil {
                missing.append(
                    ("--key", "download an In-App Purchase key: Users and Access, Integrations, in App Store Connect"))
            }
            if options.issuerId == nil, issuerId == KeysAddition.exampleIssuer {
                missing.append(("--issuer-id", "App Store Connect shows it above the list of keys"))
            }
            if apples.contains(.production), appAppleId == nil {
                missing.append(("--app-apple-id", "App Store Connect shows it under App Information"))
            }
        }
        guard missing.isEmpty else {
            let options = missing.map { "`\($0.option)`" }.joined(separator: ", ")
            let places = apples.map(\.rawValue).joined(separator: " and ")
            throw CommandFailure(
                .usage, "\(places) \(apples.count == 1 ? "needs" : "need") \(options)",
                hints: missing.map { missing.count == 1 ? $0.hint : "`\($0.option)`: \($0.hint)" })
        }
        let given = try Self.givenKey(options)
        // A key that the app has signs for more environments then.
        let known = present?.keys.first { $0.keyId.rawValue == given?.keyId }
        if let known, let given, case .path(let path) = known.privateKey {
            let file = URL(filePath: path, relativeTo: URL(filePath: options.folder, directoryHint: .isDirectory))
            if let text = try? InputFile.text(file.path, "key file"), text != given.text {
                throw Self.otherKey(at: path, than: given.file)
            }
        }
        self.given = known == nil ? given : nil
        makesKey = environments.contains(.localTesting) && (self.given == nil || asked.contains { $0 != .localTesting })
        if !environments.isEmpty { try check() }
    }

    /// The bundle ID of the only app; `nil` if there is no document.
    private static func onlyApp(of document: KeysConfiguration?) throws -> String? {
        let apps = document?.apps.map(\.bundleId.rawValue) ?? []
        guard apps.count <= 1 else {
            throw CommandFailure(
                .usage, "keys.yaml has several apps",
                hints: [
                    "add `--app` with one of them, or with a new one: " + apps.map { "`\($0)`" }.joined(separator: ", ")
                ])
        }
        return apps.first
    }

    /// An installation for Xcode.
    ///
    /// - Parameters:
    ///   - key: the Subscription Offers Key, and the file that has it.
    ///   - certificate: what Xcode signs purchases with.
    init(app: String, key: (file: String, keyId: String, text: String), certificate: [UInt8]) throws {
        environments = [.xcode]
        (given, makesKey) = (key, false)
        (self.app, issuerId, appAppleId, document) = (app, KeysAddition.exampleIssuer, nil, nil)
        self.certificate = certificate
        try check()
    }

    /// The files that are the same for the same options.
    var stated: [(name: String, content: [UInt8])] {
        [("keys.yaml", Array(keysDocument.utf8))]
            + (given.map { [(Self.path(ofKey: $0.keyId), Array($0.text.utf8))] } ?? [])
            + (certificate.map { [(Self.xcodeCertificate, $0)] } ?? [])
    }

    private static func givenKey(_ options: InitCommand) throws -> (file: String, keyId: String, text: String)? {
        guard let file = options.key else {
            guard options.keyId == nil else {
                throw CommandFailure(.usage, "`--key-id` needs `--key`", hints: ["name the key's file with `--key`"])
            }
            return nil
        }
        guard let keyId = options.keyId ?? DownloadedKeyName(file).id, KeyIdText.isValid(keyId) else {
            throw CommandFailure(
                .usage,
                options.keyId.map { "`\($0)` cannot be a key ID" } ?? "the ID of the key in `\(file)` is not known",
                hints: ["add `--key-id` with the ID that App Store Connect shows, such as `2X9R4HXF34`"])
        }
        _ = try OpenSSLSigningKey(file: file, keyId: KeyId(keyId))
        return (file, keyId, try InputFile.text(file, "key file"))
    }

    /// The reader of keys.yaml knows the form of everything in it.
    private func check() throws {
        var addition = addition
        if let key = addition.extendedKey {
            let signed = addition.keys.flatMap(\.environments)
            addition.keys.append(
                KeysAddition.Key(
                    id: key.rawValue, path: "keys/present.p8",
                    environments: environments.filter { !signed.contains($0) }))
        }
        let read: KeysConfiguration
        do throws(InvalidDocument) {
            read = try KeysReader.read(Array(Self.document(of: addition).utf8)).value
        } catch {
            throw CommandFailure(
                .usage,
                lines: error.errors.flatMap { ["error: \($0.detail)"] + ($0.hint.map { ["hint: \($0)"] } ?? []) })
        }
        guard read.apps.map(\.bundleId) == [BundleId(app)] else {
            throw CommandFailure(.usage, "`\(app)` is not a bundle ID", hints: ["write it like `com.example.pro`"])
        }
    }

    /// Files without secrets, which only the service's group can read.
    let documents = ["offerd.yaml", "keys.yaml"]

    var secrets: [String] {
        signingKeys.map(\.path) + [Self.auditKey, Self.digestKey] + (hasLocalAppStore ? ["root"] : [])
            + (certificate == nil ? [] : [Self.xcodeCertificate])
    }

    /// Whether its names need not have the app's in them.
    private var isFirst: Bool { document?.apps.first.map { $0.bundleId == BundleId(app) } ?? true }

    /// The first catalog of the app; it is written once.
    var catalog: String { isFirst ? "catalog.yaml" : "catalog-\(app).yaml" }

    private var makesCatalog: Bool { present == nil && certificate == nil }

    /// The token of the first API key of a role.
    func token(_ role: Role, in environment: AppStoreEnvironment) -> String {
        Self.tokens + (isFirst ? "/" : "/\(app)-") + "\(environment.rawValue)-\(role.rawValue)"
    }

    private var hasLocalAppStore: Bool { environments.contains(.localTesting) }

    private var signingKeys: [KeysAddition.Key] {
        func key(_ id: String, _ environments: [AppStoreEnvironment]) -> KeysAddition.Key {
            KeysAddition.Key(id: id, path: Self.path(ofKey: id), environments: environments)
        }
        let others = makesKey ? environments.filter { $0 != .localTesting } : environments
        return (given.map { [key($0.keyId, others)] } ?? [])
            + (makesKey ? [key(Self.localKeyId, [.localTesting])] : [])
    }

    private var addition: KeysAddition {
        var roots = hasLocalAppStore ? [AppStoreEnvironment.localTesting: "root/root.der"] : [:]
        if certificate != nil { roots[.xcode] = Self.xcodeCertificate }
        let isSigned = Set(signingKeys.flatMap(\.environments)).isSuperset(of: environments)
        return KeysAddition(
            bundleId: app, appAppleId: appAppleId, issuerId: issuerId, environments: environments, keys: signingKeys,
            extendedKey: isSigned ? nil : present?.appleKey, roots: roots)
    }

    /// The text of a keys.yaml with the app and environments of this one added to it.
    func added(to text: String) -> String? { addition.added(to: text) }

    private static func path(ofKey id: String) -> String { "keys/SubscriptionKey_\(id).p8" }

    /// Every file and folder that it consists of, with its meaning; of an addition only what it adds.
    var contents: [(name: String, meaning: String)] {
        let isNew = document == nil
        var contents = isNew ? [(name: "offerd.yaml", meaning: "listen address and database")] : []
        contents.append((name: "keys.yaml", meaning: "apps and the paths of their keys"))
        for key in signingKeys {
            let source =
                key.id == given?.keyId ? "a copy of `\(given?.file ?? "")`" : "a throwaway key that Apple does not know"
            let places = key.environments.map(\.rawValue).joined(separator: ", ")
            contents.append((name: key.path, meaning: "signs offers for \(places): \(source)"))
        }
        if isNew {
            contents.append((name: Self.auditKey, meaning: "signs the audit"))
            contents.append((name: Self.digestKey, meaning: "replaces erased data in the audit by digests"))
        }
        if hasLocalAppStore {
            contents.append((name: "root", meaning: "a local App Store, which signs test purchases"))
        }
        if makesCatalog { contents.append((name: catalog, meaning: "a first catalog of offers, to be edited")) }
        return contents
    }

    /// Refuses a file that an addition would use but that holds another key.
    func requireOwn(_ name: String) throws {
        guard let given, name == Self.path(ofKey: given.keyId),
            FileManager.default.contents(atPath: name) != Data(given.text.utf8)
        else { return }
        throw Self.otherKey(at: name, than: given.file)
    }

    private static func otherKey(at name: String, than file: String) -> CommandFailure {
        CommandFailure(
            .failed, "`\(name)` exists already and holds another key than `\(file)`",
            hints: ["name the file that was downloaded from App Store Connect, or move the other away"])
    }

    /// Writes its files to the current directory, but for `keys.yaml` of an installation that is there.
    ///
    /// - Parameter kept: what is in its place already.
    func write(except kept: [String]) throws {
        func make(_ name: String, _ body: () throws -> Void) throws { if !kept.contains(name) { try body() } }
        try Self.makeFolder("keys")
        for key in signingKeys {
            try make(key.path) {
                if let given, key.id == given.keyId {
                    try AtomicFile.create(given.text, at: key.path)
                } else {
                    _ = try OpenSSLSigningKey.generate(toNewFile: key.path, keyId: KeyId(key.id))
                }
            }
        }
        // A relative path would become one by the directory's name, which the owner of its parent can give to another.
        // macOS has no other name for it.
        #if os(macOS)
            let root = "root"
        #else
            let root = "/proc/self/cwd/root"
        #endif
        if hasLocalAppStore {
            try make("root") { try LocalRoot.make(now: .wallClock).write(to: root) }
        }
        if makesCatalog { try make(catalog) { try AtomicFile.create(FirstCatalog.text(for: app), at: catalog) } }
        if certificate == nil { try make(Self.tokens) { try Self.makeFolder(Self.tokens) } }
        guard document == nil else { return }
        _ = try OpenSSLSigningKey.generate(toNewFile: Self.auditKey, keyId: "AUDIT")
        let digits = Hexadecimal.lowercase(try OpenSSLRandom().bytes(32))
        try AtomicFile.create(digits + "\n", at: Self.digestKey)
        if let certificate { try Data(certificate).write(to: URL(filePath: Self.xcodeCertificate)) }
        try AtomicFile.create(keysDocument, at: "keys.yaml")
        try make("offerd.yaml") { try AtomicFile.create(Self.configuration, at: "offerd.yaml") }
    }

    static func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private static let configuration = """
        # Relative paths begin at this file's folder. docs/configuration.md lists every setting.
        listen: 127.0.0.1:8080
        database: offers.sqlite
        keys: keys.yaml

        """

    /// The text of keys.yaml, the same for the same options.
    var keysDocument: String { Self.document(of: addition) }

    private static func document(of addition: KeysAddition) -> String {
        let lines =
            ["# The apps that are served, and where their keys are. keys.example shows every setting.", "apps:"]
            + addition.entry() + ["audit: { privateKey: \(auditKey), digestKey: \(digestKey) }"]
        return lines.map { $0 + "\n" }.joined()
    }
}

extension AppConfiguration {
    /// The key that signs for one of Apple's environments.
    fileprivate var appleKey: KeyId? {
        keys.first { $0.use == .signing && $0.environments.contains { !$0.isForTests } }?.keyId
    }
}

extension InitCommand {
    /// Refuses options that say something else than an app's entry: a setting is never overwritten.
    ///
    /// - Parameter isAdding: whether environments are added, which may get a key of their own.
    fileprivate func requireNoContradiction(to present: AppConfiguration, isAdding: Bool) throws {
        func refuse(_ option: String, _ setting: String, _ value: String) -> CommandFailure {
            CommandFailure(
                .usage, "keys.yaml has `\(setting): \(value)`, and `\(option)` says something else",
                hints: ["`offerd init` overwrites no setting: correct keys.yaml, or leave the option out"])
        }
        let issuer = present.issuerId.description
        if let issuerId, issuer != issuerId.lowercased(), issuer != KeysAddition.exampleIssuer {
            throw refuse("--issuer-id", "issuerId", issuer)
        }
        if let appAppleId, let present = present.appAppleId, present != appAppleId {
            throw refuse("--app-apple-id", "appAppleId", "\(present)")
        }
        guard let key, !isAdding else { return }
        // The same command again, after an interruption.
        let id = keyId ?? DownloadedKeyName(key).id
        let apples = environment.filter { $0 != .localTesting }
        let asked = apples.isEmpty ? [.localTesting] : apples
        if present.keys.contains(where: {
            $0.keyId.rawValue == id && $0.use == .signing && asked.allSatisfy($0.environments.contains)
        }) {
            return
        }
        throw CommandFailure(
            .usage, "`\(present.bundleId)` has keys for these environments already",
            hints: ["to replace a key, add the new one to keys.yaml and mark the old one `use: retired`"])
    }
}

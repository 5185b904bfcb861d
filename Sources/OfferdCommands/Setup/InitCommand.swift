import ArgumentParser
import CommandLineSupport
import Foundation
import LocalAppStore
import OfferDocuments
import OfferModel
import OpenSSLCrypto

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a first installation: configuration, keys and, for tests, a local App Store.",
        discussion: """
            Creates offerd.yaml, keys.yaml, and the keys they name, readable by their owner only. Overwrites nothing: an \
            offerd.yaml that names this keys.yaml is kept, and any other file in the way is named. After an interruption, run \
            it again with the same options.

            Without options the installation is for LocalTesting, with a throwaway key and a local App Store that signs test \
            purchases. Production and Sandbox need the In-App Purchase key from App Store Connect (Users and Access, \
            Integrations, In-App Purchase) and the issuer ID shown above it. The key file is copied.

            Example:
              offerd init
              offerd init /etc/offerd --owner offerd --environment Production \\
                --key SubscriptionKey_2X9R4HXF34.p8 --app-apple-id 1234567890 \\
                --issuer-id 57246542-96fe-1a63-e053-0824d011072a
            """)

    @Argument(help: "The folder to create it in; made if it does not exist.", completion: .directory)
    var folder = "."

    @Option(help: "The app's bundle ID.")
    var app = "com.example.pro"

    @Option(help: "Production, Sandbox or LocalTesting; repeat it for several. (default: LocalTesting)")
    var environment: [AppStoreEnvironment] = []

    @Option(help: "The private key that signs offers (PKCS#8 PEM, such as Apple's .p8).", completion: .file())
    var key: String?

    @Option(help: "The key's ID. (default: the one in a file name such as SubscriptionKey_2X9R4HXF34.p8)")
    var keyId: String?

    @Option(help: "The issuer ID of the keys, from App Store Connect.")
    var issuerId: String?

    @Option(help: "The app's Apple ID, a number; Production needs it.")
    var appAppleId: Int64?

    @Option(help: "The user that runs the service, who gets the keys. Needs root. (default: the current user)")
    var owner: String?

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("the name of the folder is empty") }
    }

    func run() throws {
        let account = try owner.map(Account.init)
        let installation = try NewInstallation(self)
        let outcome = try StagedFiles(folder, owner: account).create(installation)
        let place = folder == "." ? "this folder" : "`\(folder)`"
        switch outcome {
        case .finished:
            try Console.output("finished the installation in \(place), which an interrupted `offerd init` had begun")
        case .created(let kept):
            try Console.output("created an installation of `\(app)` in \(place):")
            for (name, meaning) in installation.contents {
                try Console.output("  \(name.padded(to: 40))\(name == kept ? "kept as it was" : meaning)")
            }
        }
        try Console.output("\nnext:")
        for command in try nextCommands() { try Console.output("  \(command)") }
    }

    /// The commands that lead to a running server, as a shell takes them; the process is in the folder by now.
    private func nextCommands() throws -> [String] {
        let path = folder == "." ? "offerd.yaml" : URL(filePath: folder).appending(path: "offerd.yaml").relativePath
        let setup = try ServerSetup.read(config: "offerd.yaml", environment: [:])
        guard let app = setup.keys.apps.first, let environment = app.environments.first else { return [] }
        let program = owner.map { "runuser -u \($0) -- offerd" } ?? "offerd"
        let config = "--config \(path.shellWord)"
        return [
            "\(program) migrate \(config)",
            "\(program) api-keys create --app \(app.bundleId) --environment \(environment.rawValue) --role marketing \(config)",
            "\(program) serve \(config)",
        ]
    }
}

extension String {
    /// The text as one word of a shell's command line.
    fileprivate var shellWord: String {
        let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@".contains($0)) }
        return isPlain && !isEmpty ? self : "'" + replacing("'", with: #"'\''"#) + "'"
    }
}

/// The files that `offerd init` creates, checked before anything is written.
struct NewInstallation {
    private static let localKeyId = "LOCALTEST1"
    private static let auditKey = "keys/audit.p8"
    private static let digestKey = "keys/digest.key"
    /// App Store Connect's in examples; LocalTesting takes any.
    private static let exampleIssuer = "57246542-96fe-1a63-e053-0824d011072a"
    private static let xcodeCertificate = "xcode.cer"

    private let app: String
    private let issuerId: String
    private let appAppleId: Int64?
    private let environments: [AppStoreEnvironment]
    /// The key to copy, with its ID.
    private let given: (file: String, keyId: String, text: String)?
    /// Whether a key for LocalTesting is made.
    private let makesKey: Bool
    /// Xcode's signing certificate; `nil` in every other environment.
    private let certificate: [UInt8]?

    /// - Throws: a failure for options that contradict each other, and for a key that cannot sign.
    init(_ options: InitCommand) throws {
        guard !options.environment.contains(.xcode) else {
            throw CommandFailure(
                .usage, "`offerd init` makes no installation for Xcode",
                hints: ["`offerd dev --storekit FILE` makes one from a StoreKit configuration file, and serves it"])
        }
        environments = options.environment.isEmpty ? [.localTesting] : options.environment
        let isApples = environments.contains { $0 != .localTesting }
        given = try Self.givenKey(options, isApples ? environments : [])
        makesKey = given == nil || isApples && environments.contains(.localTesting)
        app = options.app
        issuerId = options.issuerId ?? Self.exampleIssuer
        appAppleId = options.appAppleId
        certificate = nil
        try check()
    }

    /// An installation for Xcode.
    ///
    /// - Parameters:
    ///   - key: the Subscription Offers Key, and the file that has it.
    ///   - certificate: what Xcode signs purchases with.
    init(app: String, key: (file: String, keyId: String, text: String), certificate: [UInt8]) throws {
        environments = [.xcode]
        (given, makesKey) = (key, false)
        (self.app, issuerId, appAppleId) = (app, Self.exampleIssuer, nil)
        self.certificate = certificate
        try check()
    }

    /// The files that are the same for the same options.
    var stated: [(name: String, content: [UInt8])] {
        [("keys.yaml", Array(keysDocument.utf8))]
            + (given.map { [(Self.path(ofKey: $0.keyId), Array($0.text.utf8))] } ?? [])
            + (certificate.map { [(Self.xcodeCertificate, $0)] } ?? [])
    }

    /// - Parameter environments: those that need a key from App Store Connect.
    private static func givenKey(
        _ options: InitCommand, _ environments: [AppStoreEnvironment]
    ) throws -> (file: String, keyId: String, text: String)? {
        func required(_ option: String, _ hint: String) -> CommandFailure {
            let places = environments.map(\.rawValue).joined(separator: " and ")
            return CommandFailure(.usage, "\(places) needs `\(option)`", hints: [hint])
        }
        guard let file = options.key else {
            if options.keyId != nil {
                throw CommandFailure(.usage, "`--key-id` needs `--key`", hints: ["name the key's file with `--key`"])
            }
            guard environments.isEmpty else {
                throw required(
                    "--key", "download an In-App Purchase key: Users and Access, Integrations, in App Store Connect")
            }
            return nil
        }
        guard let keyId = options.keyId ?? DownloadedKeyName(file).id, KeyIdText.isValid(keyId) else {
            throw CommandFailure(
                .usage,
                options.keyId.map { "`\($0)` cannot be a key ID" } ?? "the ID of the key in `\(file)` is not known",
                hints: ["add `--key-id` with the ID that App Store Connect shows, such as `2X9R4HXF34`"])
        }
        if !environments.isEmpty, options.issuerId == nil {
            throw required("--issuer-id", "App Store Connect shows it above the list of keys")
        }
        if environments.contains(.production), options.appAppleId == nil {
            throw required("--app-apple-id", "App Store Connect shows it under App Information")
        }
        _ = try OpenSSLSigningKey(file: file, keyId: KeyId(keyId))
        return (file, keyId, try InputFile.text(file, "key file"))
    }

    /// The reader of keys.yaml knows the form of everything in it.
    private func check() throws {
        let document: KeysConfiguration
        do throws(InvalidDocument) {
            document = try KeysReader.read(Array(keysDocument.utf8)).value
        } catch {
            throw CommandFailure(
                .usage,
                lines: error.errors.flatMap { ["error: \($0.detail)"] + ($0.hint.map { ["hint: \($0)"] } ?? []) })
        }
        guard document.apps.map(\.bundleId) == [BundleId(app)] else {
            throw CommandFailure(.usage, "`\(app)` is not a bundle ID", hints: ["write it like `com.example.pro`"])
        }
    }

    /// Files without secrets, which only the service's group can read.
    let documents = ["offerd.yaml", "keys.yaml"]

    var secrets: [String] {
        signingKeys.map(\.path) + [Self.auditKey, Self.digestKey] + (hasLocalAppStore ? ["root"] : [])
            + (certificate == nil ? [] : [Self.xcodeCertificate])
    }

    private var hasLocalAppStore: Bool { environments.contains(.localTesting) }

    private typealias NewKey = (id: String, path: String, environments: [AppStoreEnvironment])

    private var signingKeys: [NewKey] {
        func key(_ id: String, _ environments: [AppStoreEnvironment]) -> NewKey {
            (id, Self.path(ofKey: id), environments)
        }
        let others = makesKey ? environments.filter { $0 != .localTesting } : environments
        return (given.map { [key($0.keyId, others)] } ?? [])
            + (makesKey ? [key(Self.localKeyId, [.localTesting])] : [])
    }

    private static func path(ofKey id: String) -> String { "keys/SubscriptionKey_\(id).p8" }

    var contents: [(name: String, meaning: String)] {
        var contents = [
            (name: "offerd.yaml", meaning: "listen address and database"),
            (name: "keys.yaml", meaning: "apps and the paths of their keys"),
        ]
        for key in signingKeys {
            let source =
                key.id == given?.keyId ? "a copy of `\(given?.file ?? "")`" : "a throwaway key that Apple does not know"
            let places = key.environments.map(\.rawValue).joined(separator: ", ")
            contents.append((name: key.path, meaning: "signs offers for \(places): \(source)"))
        }
        contents.append((name: Self.auditKey, meaning: "signs the audit"))
        contents.append((name: Self.digestKey, meaning: "replaces erased data in the audit by digests"))
        if hasLocalAppStore {
            contents.append((name: "root", meaning: "a local App Store, which signs test purchases"))
        }
        return contents
    }

    /// Writes everything to the current directory.
    func write() throws {
        try FileManager.default.createDirectory(
            atPath: "keys", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for key in signingKeys {
            if let given, key.id == given.keyId {
                try AtomicFile.create(given.text, at: key.path)
            } else {
                _ = try OpenSSLSigningKey.generate(toNewFile: key.path, keyId: KeyId(key.id))
            }
        }
        _ = try OpenSSLSigningKey.generate(toNewFile: Self.auditKey, keyId: "AUDIT")
        let digits = Hexadecimal.lowercase(try OpenSSLRandom().bytes(32))
        try AtomicFile.create(digits + "\n", at: Self.digestKey)
        if let certificate { try Data(certificate).write(to: URL(filePath: Self.xcodeCertificate)) }
        // A relative path would become one by the directory's name, which the owner of its parent can give to another.
        if hasLocalAppStore { try LocalRoot.make(now: .wallClock).write(to: "/proc/self/cwd/root") }
        try AtomicFile.create(keysDocument, at: "keys.yaml")
        try AtomicFile.create(Self.configuration, at: "offerd.yaml")
    }

    private static let configuration = """
        # Relative paths begin at this file's folder. docs/configuration.md lists every setting.
        listen: 127.0.0.1:8080
        database: offers.sqlite
        keys: keys.yaml

        """

    /// The text of keys.yaml, the same for the same options.
    var keysDocument: String {
        func list(_ environments: [AppStoreEnvironment]) -> String {
            "[\(environments.map(\.rawValue).joined(separator: ", "))]"
        }
        var lines = [
            "# The apps that are served, and where their keys are. keys.example shows every setting.",
            "apps:",
            "  - bundleId: \(app)",
        ]
        if let appAppleId { lines.append("    appAppleId: \(appAppleId)") }
        lines += ["    issuerId: \(issuerId)", "    environments: \(list(environments))", "    keys:"]
        lines += signingKeys.map { key in
            #"      - { keyId: "\#(key.id)", privateKey: \#(key.path), use: signing, environments: \#(list(key.environments)) }"#
        }
        if hasLocalAppStore { lines.append("    trustedRoots: { LocalTesting: [root/root.der] }") }
        if certificate != nil { lines.append("    trustedRoots: { Xcode: [\(Self.xcodeCertificate)] }") }
        lines.append("audit: { privateKey: \(Self.auditKey), digestKey: \(Self.digestKey) }")
        return lines.map { $0 + "\n" }.joined()
    }
}

import AppStoreServer
import CommandLineSupport
import Foundation
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferSigning
import OpenSSLCrypto

/// A configuration, complete: every path absolute, every document read strictly.
///
/// Later wins: file, `OFFERD_LISTEN|METRICS|DATABASE|KEYS`, flags; a path in the file is relative to the file, any
/// other to the working directory (docs/design.md#configuration).
struct ServerSetup {
    /// The file's, with absolute paths; the address of `/metrics` may be the environment's.
    var configuration: ServerConfiguration
    var listen: ListenAddress
    var database: DatabaseAddress
    var keys: KeysConfiguration
    /// Paths in `keys.yaml` are relative to it.
    private var keysFile: URL
    private var configurationFile: String

    /// Reads a configuration and the `keys.yaml` it names; `listen`, `database` and `keys` are the flags.
    static func read(
        config path: String, listen: String? = nil, database: String? = nil, keys: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ServerSetup {
        var file = try document(path, what: "configuration", ConfigurationReader.read)
        let directory = URL(filePath: path).deletingLastPathComponent()
        // A variable that is set to nothing says nothing.
        let environment = environment.filter { !$0.value.isEmpty }
        let listen =
            try (listen ?? environment["OFFERD_LISTEN"]).map(address) ?? file.listen
            ?? ListenAddress(host: "127.0.0.1", port: 8080)
        file.metrics = try environment["OFFERD_METRICS"].map(address) ?? file.metrics
        if let metrics = file.metrics, metrics.isTaken(by: listen) {
            throw CommandFailure(
                .usage, "`metrics` and `listen` are one address, `\(metrics)`", hints: [ListenAddress.metricsHint])
        }
        if let taken = file.console.conflict(with: [("listen", listen), ("metrics", file.metrics)]) {
            throw CommandFailure(.usage, taken, hints: [ConsoleSetting.hint])
        }
        /// A text and the directory that a path in it is relative to.
        func place(_ name: String, _ given: String?, _ own: String?, example: String) throws -> (String, URL?) {
            if let given = given ?? environment["OFFERD_\(name.uppercased())"] { return (given, nil) }
            if let own { return (own, directory) }
            throw CommandFailure(
                .usage, "`\(path)` names no \(name)", hints: ["add a line such as `\(name): \(example)`"])
        }
        let (database, beside) = try place("database", database, file.database, example: "data/offers.sqlite")
        let (keysPath, keysBeside) = try place("keys", keys, file.keys, example: "keys.yaml")
        let keys = URL(filePath: keysPath, relativeTo: keysBeside)
        file.resolvePaths { URL(filePath: $0, relativeTo: directory).path }
        return ServerSetup(
            configuration: file, listen: listen, database: try DatabaseAddress(database, relativeTo: beside),
            keys: try document(keys.path, what: "keys file", KeysReader.read), keysFile: keys, configurationFile: path)
    }

    /// Every file that the configuration comes from.
    var files: [String] {
        let entries = keys.apps.flatMap(\.keys).map(\.privateKey)
        let keyFiles = entries.compactMap(\.file).map(absolute)
        let roots = keys.apps.flatMap { $0.trustedRoots.values.joined().map(absolute) }
        let tls = configuration.tls
        let certificates = [tls?.certificate, tls?.key, tls?.clientCertificates].compactMap(\.self)
        let keySets = configuration.customerTokens.compactMap { entry -> String? in
            guard case .file(let path) = entry.keys else { return nil }
            return path
        }
        return [configurationFile, keysFile.path] + keyFiles + roots + certificates + keySets
    }

    func load(_ entry: KeyConfiguration) throws -> OpenSSLSigningKey {
        switch entry.privateKey {
        case .path(let path):
            return try OpenSSLSigningKey(file: absolute(path), keyId: entry.keyId)
        case .environment(let name):
            let text = try text(ofVariable: name, for: "key `\(entry.keyId)`")
            return try OpenSSLSigningKey(
                pem: Array(text.utf8), keyId: entry.keyId, source: "environment variable `\(name)`")
        case .token(let token):
            let pin: TokenPIN =
                switch token.pin {
                case .file(let path): .file(absolute(path))
                case .environment(let name):
                    .text(
                        Array(
                            try text(
                                ofVariable: name, for: "the PIN of key `\(entry.keyId)`",
                                hint: "set it to the PIN, or name a file with `pin-source=file:PATH`"
                            ).utf8))
                }
            return try OpenSSLSigningKey(token: token.uri, module: token.module, pin: pin, keyId: entry.keyId)
        }
    }

    func text(
        ofVariable name: String, for key: String,
        hint: String = "set it to the text of the key's file, or name the file itself"
    ) throws -> String {
        guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else {
            throw CommandFailure(
                .usage, "environment variable `\(name)` is not set, and keys.yaml takes \(key) from it",
                hints: [hint])
        }
        return text
    }

    typealias SigningKeys = [AppStoreEnvironment: any SigningKey]

    /// Every app with its checked keys and the roots it believes.
    ///
    /// - Parameters:
    ///   - transport: how Apple's servers are asked; without it there are no clients of them.
    ///   - percent: how much of Apple's limits this process takes, because another may ask at the same time.
    func apps(asking transport: HTTPTransport? = nil, sharing percent: Int = 100) throws -> [RegisteredApp] {
        try requireSeparateKeys()
        return try keys.apps.map { app in
            try registered(app) { keys in
                try transport.map { try clients(of: app, keys, $0, sharing: percent) } ?? [:]
            }
        }
    }

    /// Looks at the keys themselves: two entries may name one key by different paths or identifiers.
    func requireSeparateKeys() throws {
        let all = keys.apps.flatMap(\.keys)
        let fingerprints = Dictionary(try all.map { ($0, try load($0).publicKey.fingerprint) }) { first, _ in first }
        guard let shared = KeySharing.issue(among: all, isSame: { fingerprints[$0] == fingerprints[$1] }) else {
            return
        }
        throw CommandFailure(
            .usage, "\(shared.detail) at \(shared.path) (\(keysFile.path):\(shared.line))",
            hints: [shared.hint].compactMap(\.self))
    }

    private func registered(
        _ app: AppConfiguration, _ clients: (SigningKeys) throws -> [AppStoreEnvironment: AppStoreServerClient]
    ) throws -> RegisteredApp {
        var signing: SigningKeys = [:]
        var retired: [AppStoreEnvironment: [any SigningKey]] = [:]
        for entry in app.keys {
            let key = try load(entry)
            for environment in entry.environments {
                switch entry.use {
                case .signing: signing[environment] = key
                case .retired: retired[environment, default: []].append(key)
                }
            }
        }
        if let missing = app.environments.first(where: { signing[$0] == nil }) {
            throw CommandFailure(
                .usage, "app `\(app.bundleId)` has no key with `use: signing` for \(missing.rawValue)")
        }
        var roots: [AppStoreEnvironment: [[UInt8]]] = [:]
        for (environment, paths) in app.trustedRoots {
            roots[environment] = try paths.map { try root(absolute($0), for: environment) }
        }
        return RegisteredApp(
            bundleId: app.bundleId, appAppleId: app.appAppleId, issuerId: app.issuerId.description,
            signingKeys: signing, retiredKeys: retired, signsV1InSandbox: app.signsV1InSandbox,
            verifier: try AppStoreChainVerifier(additionalRoots: roots), appStoreServers: try clients(signing))
    }

    /// The certificate in a file, checked as the only one, so that a mistake names its file.
    private func root(_ path: String, for environment: AppStoreEnvironment) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(
                .usage, "root certificate `\(path)` cannot be read", hints: ["`offerd dev root --out DIR` makes one"])
        }
        do throws(CertificateError) {
            _ = try AppStoreChainVerifier(additionalRoots: [environment: [Array(data)]])
        } catch {
            throw CommandFailure(.usage, "root certificate `\(path)`: \(error.detail)", hints: [error.hint])
        }
        return Array(data)
    }

    func absolute(_ path: String) -> String {
        URL(filePath: path, relativeTo: keysFile.deletingLastPathComponent()).path
    }

    private static func address(_ text: String) throws -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw CommandFailure(
                .usage, "`\(text)` is not an address to listen on",
                hints: ["write a host and a port, such as `127.0.0.1:8080`"])
        }
        return address
    }

    private static func document<Value>(
        _ path: String, what: String, _ read: ([UInt8]) throws(InvalidDocument) -> ValidDocument<Value>
    ) throws -> Value {
        let text = try InputFile.text(path, what)
        do throws(InvalidDocument) {
            return try read(Array(text.utf8)).value
        } catch {
            throw CommandFailure(.usage, lines: IssueText.lines(error.errors, file: path))
        }
    }
}

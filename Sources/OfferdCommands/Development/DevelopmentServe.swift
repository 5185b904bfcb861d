import ArgumentParser
import CommandLineSupport
import Foundation
import Logging
import NIOCore
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferStore
import OpenSSLCrypto

struct DevelopmentServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve an app that runs in Xcode, with the key and the offers of its StoreKit configuration file.",
        discussion: """
            Makes an installation for the environment Xcode in a folder, or uses the one that is there, and serves it on \
            this machine. It signs with the file's Subscription Offers Key and accepts the purchases that Xcode \
            signs with the given certificate. In Xcode, open the file and choose Editor, Subscription Offers Key, and \
            Editor, Save Public Certificate.

            The catalog is made from the file: every offer is active and has no limits, so it can be issued again and \
            again. It follows the file until you apply another, and is in the folder as catalog.yaml. The tokens of the \
            API keys are there too, one file for each role.

            Example:
              offerd dev serve --storekit Store.storekit --app com.example.pro \\
                --certificate StoreKitTestCertificate.cer
            """)

    @Option(help: "The StoreKit configuration file.", completion: .file(extensions: ["storekit"]))
    var storekit: String

    @Option(help: "The certificate that Xcode signs purchases with.", completion: .file(extensions: ["cer"]))
    var certificate: String

    @Option(help: "The app's bundle ID, which the file does not have.")
    var app: String

    @Option(help: "A catalog to apply instead of the file's offers.", completion: .file(extensions: ["yaml", "yml"]))
    var catalog: String?

    @Option(help: "The folder of the installation. (default: .offerd-xcode beside the file)", completion: .directory)
    var folder: String?

    @Option(
        help: "The address to listen on; port 0 takes a free one. Addresses that other machines can reach need `--yes`."
    )
    var listen = "127.0.0.1:8080"

    @Flag(help: "Let other machines of the network reach the server, if `--listen` says so.")
    var yes = false

    @Option(help: "The least severe level that is logged.")
    var logLevel = Logger.Level.info

    func validate() throws {
        guard ListenAddress(listen) != nil else {
            throw ValidationError("`\(listen)` is not an address to listen on: write `127.0.0.1:8080`")
        }
        guard folder?.isEmpty != true else { throw ValidationError("the name of the folder is empty") }
    }

    func run() async throws {
        try requireConsent()
        // What is set for another installation would open its database, or let others read the metrics.
        for name in ["OFFERD_DATABASE", "OFFERD_KEYS", "OFFERD_METRICS"] { unsetenv(name) }
        let file = try StoreKitFile(path: storekit)
        let installation = try newInstallation(file)
        let given = try catalog.map { try InputFile.text($0, "catalog") }
        let derived = given == nil ? try derivedCatalog(file) : nil
        let beside = URL(filePath: storekit).deletingLastPathComponent().appending(path: ".offerd-xcode")
        let folder = (folder.map { URL(filePath: $0) } ?? beside).absoluteURL.standardizedFileURL
        try prepare(folder, installation)
        let setup = try ServerSetup.read(config: folder.appending(path: "offerd.yaml").path)
        _ = try setup.database.migrate()
        let database = try setup.database.open()
        let filled: (token: String, question: String)
        do {
            defer { try? database.close() }
            filled = try await fill(folder, setup, database, catalog: given, derived: derived)
        }
        let serve = try Serve.parse([
            "--config", folder.appending(path: "offerd.yaml").path, "--listen", listen, "--log-level",
            logLevel.rawValue,
        ])
        try await serve.run { bound in
            let urls = Self.urls(of: bound)
            let ask = [
                "curl -sS -w '\\n' \(urls[0])/v1/decisions -H 'Authorization: Bearer \(filled.token)'",
                "-H 'Content-Type: application/json' -d '\(filled.question)'",
            ]
            return urls.dropFirst().map { "from other machines: \($0)" } + [
                "folder: \(folder.path)", "API pages: \(urls[0])/docs", "client token: \(filled.token)",
                ask.joined(separator: " "),
            ]
        }
    }

    /// Refuses an address that other machines can reach, unless the user knows what that means.
    private func requireConsent() throws {
        guard !yes, let address = ListenAddress(listen), !address.isLoopback else { return }
        throw CommandFailure(
            .usage,
            "every machine of the network could reach `\(listen)`: the server has no TLS, so tokens and customers' data "
                + "can be read on the way, and used",
            hints: [
                "its offers are valid in Xcode alone; to try an app on a device, in a network that you trust, add `--yes`"
            ])
    }

    /// The URLs under which a server can be reached: the first from this machine, the others from other machines.
    ///
    /// - Parameter bound: the one it announces, which names no machine if it listens on every address.
    static func urls(of bound: String) -> [String] {
        for (everywhere, here) in [("//0.0.0.0:", "//127.0.0.1:"), ("//[::]:", "//[::1]:")]
        where bound.contains(everywhere) {
            let addresses = (try? System.enumerateDevices())?.compactMap(\.address) ?? []
            let others = addresses.filter { $0.protocol == .inet }.compactMap(\.ipAddress)
                .filter { !$0.hasPrefix("127.") && !$0.hasPrefix("169.254.") }
            return [bound.replacing(everywhere, with: here)]
                + others.map { bound.replacing(everywhere, with: "//\($0):") }
        }
        return [bound]
    }

    /// Checks the key and the certificate before anything is written.
    private func newInstallation(_ file: StoreKitFile) throws -> NewInstallation {
        guard let pair = file.subscriptionOffersKeyPair else {
            throw CommandFailure(.usage, "`\(storekit)` has no Subscription Offers Key", hints: [Self.keyHint])
        }
        guard KeyIdText.isValid(pair.id) else {
            throw CommandFailure(.usage, "`\(pair.id.prefix(64))` cannot be a key ID", hints: [Self.keyHint])
        }
        let pem = StoreKitFile.pem(pair)
        do {
            _ = try OpenSSLSigningKey(
                pem: Array(pem.utf8), keyId: KeyId(pair.id), source: "the Subscription Offers Key of `\(storekit)`")
        } catch let error as SigningKeyError {
            throw CommandFailure(.usage, error.detail, hints: [Self.keyHint])
        }
        let der = try InputFile.bytes(certificate, "certificate", most: 64 * 1_024)
        do throws(CertificateError) {
            _ = try AppStoreChainVerifier(additionalRoots: [.xcode: [der]])
        } catch {
            throw CommandFailure(
                .usage, "certificate `\(certificate)`: \(error.detail)",
                hints: ["in Xcode, open the StoreKit configuration file and choose Editor, Save Public Certificate"])
        }
        return try NewInstallation(app: app, key: (storekit, pair.id, pem), certificate: der)
    }

    private static let keyHint = "in Xcode, open the file and generate one: Editor, Subscription Offers Key"

    private func derivedCatalog(_ file: StoreKitFile) throws -> String {
        guard file.hasSubscriptions else {
            throw CommandFailure(
                .usage, "`\(storekit)` has no subscription",
                hints: ["add an auto-renewable subscription and a promotional offer to it in Xcode"])
        }
        let text = CatalogWriter.yaml(try file.catalog(for: app) { Console.note("warning: \($0)") })
        do throws(InvalidDocument) {
            _ = try CatalogReader.read(text)
        } catch {
            throw CommandFailure(
                .usage,
                lines: error.errors.flatMap { issue in
                    ["error: \(issue.detail) in the catalog made from `\(storekit)`, at \(issue.path)"]
                } + ["hint: correct it in Xcode, or name a catalog of your own with `--catalog`"])
        }
        return text
    }

    /// Creates the installation, or finds the same one there.
    private func prepare(_ folder: URL, _ installation: NewInstallation) throws {
        let isComplete = ["keys.yaml": true, StagedFiles.complete: false].allSatisfy { name, exists in
            FileManager.default.fileExists(atPath: folder.appending(path: name).path) == exists
        }
        guard isComplete else {
            let place = FileManager.default.currentDirectoryPath
            defer { _ = FileManager.default.changeCurrentDirectoryPath(place) }
            _ = try StagedFiles(folder.path, owner: nil).create(installation)
            return
        }
        for (name, content) in installation.stated
        where FileManager.default.contents(atPath: folder.appending(path: name).path) != Data(content) {
            throw CommandFailure(
                .failed, "`\(folder.path)` was made for another app, key or certificate: `\(name)` differs",
                hints: ["delete the folder to start again, or name another with `--folder`"])
        }
    }

    /// Applies the catalog and makes the API keys that are missing.
    ///
    /// - Returns: the token for the app, and the body of a first request for a decision.
    private func fill(
        _ folder: URL, _ setup: ServerSetup, _ database: any DatabaseDriver, catalog: String?, derived: String?
    ) async throws -> (token: String, question: String) {
        let audit = try setup.auditKeys()
        let useCases = UseCases(
            registry: AppRegistry(try setup.apps()), database: database, digest: OpenSSLDigest(),
            random: OpenSSLRandom(), digestKey: audit?.digestKey, checkpointSigner: audit?.signer,
            clock: { .wallClock })
        let scope = Scope(bundleId: BundleId(app), environment: .xcode)
        let ignored = folder.appending(path: ".gitignore").path
        if !FileManager.default.fileExists(atPath: ignored) { try AtomicFile.create("*\n", at: ignored) }
        var tokens: [Role: String] = [:]
        for role in Role.allCases {
            let path = folder.appending(path: "\(role.rawValue).token").path
            if FileManager.default.fileExists(atPath: path) {
                tokens[role] = try InputFile.text(path, "token").trimmingCharacters(in: .whitespacesAndNewlines)
            } else {
                let token = try await useCases.apiKeys.create(scope: scope, role: role, label: "offerd dev").text
                try AtomicFile.create(token + "\n", at: path)
                tokens[role] = token
            }
        }
        let key = tokens[.marketing].flatMap { APIToken($0) }?.id ?? "offerd dev"
        let caller = Caller(apiKeyId: key, scope: scope, role: .marketing)
        let inForce = try await useCases.catalogs.current(caller: caller)
        let made = folder.appending(path: "catalog.yaml")
        let isMade = inForce.revision == 0 || Data(inForce.text.utf8) == FileManager.default.contents(atPath: made.path)
        if let text = catalog ?? (isMade ? derived : nil) {
            do {
                _ = try await useCases.catalogs.apply(
                    text, format: self.catalog?.hasSuffix(".json") == true ? .json : .yaml,
                    expectedRevision: inForce.revision, message: "offerd dev", dryRun: false, caller: caller)
            } catch RequestError.invalidCatalog(let issues) {
                throw CommandFailure(
                    .failed, lines: IssueText.lines(issues, file: self.catalog ?? made.path))
            }
            if catalog == nil {
                let file = try AtomicFile(path: made.path)
                try file.write(text)
                try file.finish()
            }
        }
        let current = try await useCases.catalogs.current(caller: caller)
        return (tokens[.client] ?? "", Self.question(try? CatalogReader.read(current.text).value))
    }

    /// Asks about one offer, so that the answer can be read without a tool. With one product, the request needs none; a
    /// promotional offer has the fewest reasons.
    private static func question(_ catalog: Catalog?) -> String {
        let offers = catalog?.offers.filter { $0.status == .active && $0.products.count == 1 } ?? []
        let offer = offers.first { $0.type == .promotional } ?? offers.first
        let ids = offer.map { #""offerIds": ["\#($0.id)"], "# } ?? ""
        return "{\(ids)\"customer\": {\"customerId\": \"tester\"}}"
    }
}

extension ListenAddress {
    /// Whether only programs on this machine can reach it. Any name but `localhost` may be that of another address.
    var isLoopback: Bool {
        host.lowercased() == "localhost" || (try? SocketAddress(ipAddress: host, port: port))?.isLoopback == true
    }
}

public import ArgumentParser
import CommandLineSupport
public import Logging
import OfferDocuments
public import OfferModel
import OfferStore
import OpenSSLCrypto

/// The options of every command that works on the service's database.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: "The configuration file. (default: offerd.yaml here, or /etc/offerd/offerd.yaml)",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(help: "The database file or PostgreSQL URL, instead of the configuration's.", completion: .file())
    var database: String?

    @Option(help: "The keys file, instead of the configuration's.", completion: .file(extensions: ["yaml", "yml"]))
    var keys: String?

    func setup(listen: String? = nil) throws -> ServerSetup {
        try ServerSetup.read(
            config: try ConfigurationFile.path(config), listen: listen, database: database, keys: keys)
    }

    func withDatabase(_ body: (ServerSetup, any DatabaseDriver) async throws -> Void) async throws {
        let setup = try setup()
        let database = try setup.database.open()
        defer { try? database.close() }
        try await body(setup, database)
    }
}

struct ScopeOptions: ParsableArguments {
    @Option(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "Production, Sandbox, LocalTesting or Xcode.")
    var environment: AppStoreEnvironment

    func scope(_ setup: ServerSetup) throws -> Scope {
        guard let known = setup.keys.app(BundleId(app)) else {
            throw CommandFailure(
                .usage, "keys.yaml has no app `\(app)`",
                hints: ["it has \(setup.keys.apps.map { "`\($0.bundleId)`" }.joined(separator: ", "))"])
        }
        guard known.environments.contains(environment) else {
            throw CommandFailure(
                .usage, "app `\(app)` has no environment `\(environment.rawValue)` in keys.yaml",
                hints: ["it has \(known.environments.map { "`\($0.rawValue)`" }.joined(separator: ", "))"])
        }
        return Scope(bundleId: BundleId(app), environment: environment)
    }
}

extension ServerSetup {
    func ledger(_ database: any StoreDatabase) throws -> Ledger {
        Ledger(database, digest: OpenSSLDigest(), key: try auditKeys()?.digestKey)
    }
}

extension AppStoreEnvironment: ExpressibleByArgument {}
extension Role: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}

extension Period {
    static func argument(_ text: String) throws -> Period {
        guard let period = Period(text) else { throw ValidationError("write a period such as `P7D`, `P1M` or `PT1H`") }
        return period
    }
}

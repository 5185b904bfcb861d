import ArgumentParser
import Foundation
import OfferApplication
import OfferCatalog
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore

struct APIKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api-keys", abstract: "Make, list and revoke the keys that callers hold.",
        discussion: """
            Example:
              offerd api-keys create --app com.example.pro --environment Sandbox --role client --config offerd.yaml
              offerd api-keys list --config offerd.yaml
            """,
        subcommands: [APIKeysCreate.self, APIKeysList.self, APIKeysRevoke.self])
}

struct APIKeysCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make an API key and print its token, once.",
        discussion: """
            The token is printed alone on standard output and stored nowhere. May run beside the server.

            Example:
              offerd api-keys create --app com.example.pro --environment Sandbox --role client --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "Production, Sandbox or LocalTesting.")
    var environment: AppStoreEnvironment

    @Option(help: "client, support, marketing or admin.")
    var role: Role

    @Option(help: "What to call the key in lists.")
    var label: String?

    @Option(help: "How long it is valid, such as P90D; for good if left out.")
    var validFor: Period?

    func validate() throws {
        guard let label else { return }
        guard (1...100).contains(label.count),
            label.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw ValidationError("a label has 1 to 100 characters on one line") }
        guard !label.hasPrefix(Redacted.prefix) else {
            throw ValidationError("a label does not begin with `\(Redacted.prefix)`, which marks a removed one")
        }
    }

    func run() async throws {
        let setup = try options.setup()
        guard let known = setup.keys.app(BundleId(app)) else {
            throw CommandFailure.configuration(
                "keys.yaml has no app `\(app)`",
                hints: ["it has \(setup.keys.apps.map { "`\($0.bundleId)`" }.joined(separator: ", "))"])
        }
        guard known.environments.contains(environment) else {
            throw CommandFailure.configuration(
                "app `\(app)` has no environment `\(environment.rawValue)` in keys.yaml",
                hints: ["it has \(known.environments.map { "`\($0.rawValue)`" }.joined(separator: ", "))"])
        }
        try await APIKeysAccess.use(setup, command: "create") { keys in
            let token = try await keys.create(
                scope: Scope(bundleId: BundleId(app), environment: environment), role: role, label: label,
                expiresAt: validFor.map { Instant.wallClock().adding($0) })
            do {
                try Terminal.output(token.text)
            } catch let failure as CommandFailure {
                throw CommandFailure.failed(
                    failure.message,
                    hints: ["the key is in force and its token lost: offerd api-keys revoke \(token.id)"])
            }
        }
    }
}

struct APIKeysList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the API keys; secrets are not known.",
        discussion: """
            Example:
              offerd api-keys list --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        try await APIKeysAccess.use(try options.setup(), command: "list") { keys in
            let now = Instant.wallClock()
            let rows = try await keys.list().map { key in
                [
                    key.id, key.scope.bundleId.rawValue, key.scope.environment.rawValue, key.role.rawValue,
                    key.state(at: now), key.createdAt.description, key.expiresAt?.description ?? "never",
                    key.label ?? "",
                ]
            }
            for line in Columns.lines(
                ["ID", "APP", "ENVIRONMENT", "ROLE", "STATE", "CREATED", "EXPIRES", "LABEL"], rows)
            {
                try Terminal.output(line)
            }
        }
    }
}

struct APIKeysRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke an API key for good, from the next request on.",
        discussion: """
            Example:
              offerd api-keys revoke 0123456789abcdef --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The key's id, the second part of its token; the whole token is taken too.")
    var id: String

    func run() async throws {
        try await APIKeysAccess.use(try options.setup(), command: "revoke") { keys in
            // Whoever has a leaked token at hand may give it whole; it is never shown again.
            let name = APIToken(id)?.id ?? id
            guard try await keys.revoke(name) else {
                let shown = name.hasPrefix("offerd_") ? "with that token" : "`\(name)`"
                throw CommandFailure.failed(
                    "there is no API key \(shown) in force", hints: ["`offerd api-keys list` shows them"])
            }
            try Terminal.output("revoked \(name)")
        }
    }
}

/// The API keys in the configured database.
enum APIKeysAccess {
    static func use(
        _ setup: ServerSetup, command: String, _ body: (APIKeys) async throws -> Void
    ) async throws {
        let digestKey = try setup.auditKeys()?.digestKey
        let database = try SQLiteDatabase(path: setup.databasePath)
        let keys = APIKeys(
            database: Ledger(database, digest: OpenSSLDigest(), key: digestKey), digest: OpenSSLDigest(),
            random: OpenSSLRandom(), author: AuditAuthor(actor: "offerd api-keys \(command)"),
            clock: { .wallClock() })
        do {
            try await body(keys)
        } catch {
            try? database.close()
            throw error
        }
        try database.close()
    }
}

extension APIKeySummary {
    fileprivate func state(at now: Instant) -> String {
        if revokedAt != nil { return "revoked" }
        guard let expiresAt, expiresAt <= now else { return "valid" }
        return "expired"
    }
}

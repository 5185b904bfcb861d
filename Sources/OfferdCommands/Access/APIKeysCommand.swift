import ArgumentParser
import CommandLineSupport
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto

struct APIKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api-keys", abstract: "Create, list and revoke API keys.",
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
        abstract: "Create an API key and print its token, once.",
        discussion: """
            The token is printed alone on standard output and stored nowhere. May run beside the server.

            Example:
              offerd api-keys create --app com.example.pro --environment Sandbox --role client --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var owner: ScopeOptions

    @Option(help: "client, support, marketing or admin.")
    var role: Role

    @Option(help: "What to call the key in lists.")
    var label: String?

    @Option(help: "How long it is valid, such as P90D. (default: no expiry)")
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
        let scope = try owner.scope(try options.setup())
        try await options.withAPIKeys(command: "create") { keys in
            let token = try await keys.create(
                scope: scope, role: role, label: label, expiresAt: validFor.map { Instant.wallClock.adding($0) })
            do {
                try Console.output(token.text)
            } catch let failure as CommandFailure {
                throw CommandFailure(
                    .failed, failure.message,
                    hints: ["the key is in force and its token lost: offerd api-keys revoke \(token.id)"])
            }
        }
    }
}

struct APIKeysList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the API keys; their secrets are not stored.",
        discussion: """
            Example:
              offerd api-keys list --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        try await options.withAPIKeys(command: "list") { keys in
            let now = Instant.wallClock
            let rows = try await keys.list().map { key in
                let isExpired = key.expiresAt.map { $0 <= now } ?? false
                return [
                    key.id, key.scope.bundleId.rawValue, key.scope.environment.rawValue, key.role.rawValue,
                    key.revokedAt != nil ? "revoked" : isExpired ? "expired" : "valid",
                    TimeText.absolute(key.createdAt),
                    key.expiresAt.map(TimeText.absolute) ?? "never", key.label ?? "",
                ]
            }
            let table = TextTable(
                ["ID", "APP", "ENVIRONMENT", "ROLE", "STATE", "CREATED", "EXPIRES", "LABEL"], rows: rows)
            for line in table.lines(.plain) { try Console.output(line) }
        }
    }
}

struct APIKeysRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke an API key permanently, from the next request on.",
        discussion: """
            Example:
              offerd api-keys revoke 0123456789abcdef --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The key's id, the second part of its token; the whole token also works.")
    var id: String

    func run() async throws {
        try await options.withAPIKeys(command: "revoke") { keys in
            // An operator with a leaked token at hand may give it whole; it is never shown again.
            let name = APIToken(id)?.id ?? id
            guard try await keys.revoke(name) else {
                let shown = name.hasPrefix("offerd_") ? "with that token" : "`\(name)`"
                throw CommandFailure(
                    .failed, "there is no active API key \(shown)", hints: ["`offerd api-keys list` shows them"])
            }
            try Console.output("revoked \(name)")
        }
    }
}

extension ConfigurationOptions {
    fileprivate func withAPIKeys(command: String, _ body: (APIKeys) async throws -> Void) async throws {
        try await withDatabase { setup, database in
            try await body(
                APIKeys(
                    database: try setup.ledger(database), digest: OpenSSLDigest(), random: OpenSSLRandom(),
                    author: AuditAuthor(actor: "offerd api-keys \(command)"), clock: { .wallClock }))
        }
    }
}

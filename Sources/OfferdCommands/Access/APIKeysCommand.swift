import ArgumentParser
import CommandLineSupport
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto

struct APIKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api-keys", abstract: "Create, list, rotate and revoke API keys.",
        discussion: """
            Example:
              offerd api-keys create --app com.example.pro --environment Sandbox \\
                --role client --config offerd.yaml
              offerd api-keys list --config offerd.yaml
            """,
        subcommands: [APIKeysCreate.self, APIKeysList.self, APIKeysRotate.self, APIKeysRevoke.self])
}

struct APIKeysCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an API key and print its token, once.",
        discussion: """
            The token is printed alone on standard output and stored nowhere. May run beside the server.

            Example:
              offerd api-keys create --app com.example.pro --environment Sandbox \\
                --role client --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var owner: ScopeOptions

    @Option(help: "client, app, support, marketing or admin.")
    var role: Role

    @Option(help: "What to call the key in lists.")
    var label: String?

    @Option(help: "How long it is valid, such as P90D. (default: no expiry)", transform: Period.argument)
    var validFor: Period?

    @Option(help: "A network it may be used from, such as 10.0.0.0/8; repeat it for more. (default: everywhere)")
    var network: [String] = []

    private static let mostNetworks = 16

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
        let networks = try networks()
        let scope = try owner.scope(try options.setup())
        try await options.withAPIKeys(command: "create") { keys in
            let token = try await keys.create(
                scope: scope, role: role, label: label, expiresAt: validFor.map { Instant.wallClock.adding($0) },
                networks: networks)
            try token.show()
        }
    }

    private func networks() throws -> [IPNetwork] {
        var networks: [IPNetwork] = []
        for text in network {
            let read: IPNetwork
            do {
                read = try IPNetwork(text)
            } catch {
                throw CommandFailure(.usage, "`\(text)` is not a network", hints: [error.hint])
            }
            guard !networks.contains(read) else {
                throw CommandFailure(.usage, "the network `\(read)` is given twice", hints: ["leave one out"])
            }
            networks.append(read)
        }
        guard networks.count <= Self.mostNetworks else {
            throw CommandFailure(
                .usage, "a key has at most \(Self.mostNetworks) networks, and these are `\(networks.count)`",
                hints: ["combine neighbouring networks, or create another key"])
        }
        return networks
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
            let rows = try await keys.list().map { key in
                [
                    key.id, key.scope.bundleId.rawValue, key.scope.environment.rawValue, key.role.rawValue,
                    key.state.text, TimeText.absolute(key.createdAt), key.expiresAt.map(TimeText.absolute) ?? "never",
                    key.lastUsedAt.map(TimeText.absolute) ?? "–",
                    key.networks.isEmpty ? "any" : key.networks.map(\.description).joined(separator: " "),
                    key.label ?? "",
                ]
            }
            let table = TextTable(
                ["ID", "APP", "ENVIRONMENT", "ROLE", "STATE", "CREATED", "EXPIRES", "LAST USED", "NETWORKS", "LABEL"],
                rows: rows)
            for line in table.lines(.plain) { try Console.output(line) }
        }
    }
}

struct APIKeysRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Rotate an API key: print a new token and accept the old one for a while.",
        discussion: """
            The new key has the app, environment, role, label, networks and lifetime of the old one. Its token is \
            printed alone on standard output and stored nowhere. If the old one has leaked, revoke it.

            Example:
              offerd api-keys rotate 0123456789abcdef --overlap P2D --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The old key's id, in its token before the secret; the whole token also works.")
    var id: String

    @Option(
        help: "How long the old key is still accepted, such as PT1H; at most P90D. (default: P7D)",
        transform: Self.overlap)
    var overlap = Period(days: 7)

    @Option(
        help: "How long the new key is valid, such as P90D. (default: as long as the old one)",
        transform: Period.argument)
    var validFor: Period?

    private static let longestOverlap = 90 * Instant.Duration.day

    private static func overlap(_ text: String) throws -> Period {
        guard let period = Period(text), let length = period.fixedMilliseconds else {
            throw ValidationError("write days or hours, such as `P7D` or `PT1H`")
        }
        guard length <= longestOverlap else { throw ValidationError("an overlap has at most 90 days, `P90D`") }
        return period
    }

    func run() async throws {
        try await options.withAPIKeys(command: "rotate") { keys in
            let name = APIToken.id(in: id)
            do {
                let (token, end) = try await keys.rotate(name, overlap: overlap, lifetime: validFor)
                // First, so that a token that is lost leaves no doubt about the old key.
                Console.note("`\(name)` works until \(TimeText.absolute(end))")
                try token.show()
            } catch let error as APIKeyNotActive {
                throw CommandFailure(error, key: name)
            }
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

    @Argument(help: "The key's id, in its token before the secret; the whole token also works.")
    var id: String

    func run() async throws {
        try await options.withAPIKeys(command: "revoke") { keys in
            let name = APIToken.id(in: id)
            guard try await keys.revoke(name) else { throw CommandFailure.noActiveKey(name) }
            try Console.output("revoked \(name)")
        }
    }
}

extension APIToken {
    /// An operator who has a leaked token may give it whole; it is never shown again.
    fileprivate static func id(in argument: String) -> String { APIToken(argument)?.id ?? argument }

    fileprivate func show() throws {
        do {
            try Console.output(text)
        } catch let failure as CommandFailure {
            throw CommandFailure(
                .failed, failure.message,
                hints: ["the key is active, but its token is lost: offerd api-keys revoke \(id)"])
        }
    }
}

extension CommandFailure {
    static func noActiveKey(_ name: String) -> CommandFailure {
        let shown = name.hasPrefix("offerd_") ? "with that token" : "`\(name)`"
        return CommandFailure(
            .failed, "there is no active API key \(shown)", hints: ["`offerd api-keys list` shows them"])
    }

    fileprivate init(_ error: APIKeyNotActive, key name: String) {
        let create = "create a new key: `offerd api-keys create`"
        switch error.state {
        case nil, .active: self = .noActiveKey(name)
        case .ends(let end):
            self.init(
                .failed, "`\(name)` has been rotated and works until \(TimeText.absolute(end))",
                hints: ["rotate the key that replaced it; to end `\(name)` sooner: offerd api-keys revoke \(name)"])
        case .expired: self.init(.failed, "`\(name)` has expired", hints: [create])
        case .revoked: self.init(.failed, "`\(name)` has been revoked", hints: [create])
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

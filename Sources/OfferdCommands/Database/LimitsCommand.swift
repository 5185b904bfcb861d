import ArgumentParser
import CommandLineSupport
import OfferApplication
import OfferDocuments
import OfferModel
import OfferStore

struct LimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "Keep limits exact after the database was restored from a copy.",
        discussion: """
            Offers issued after the copy was made are unknown, and their signatures may be redeemed for 24 hours. Until \
            they cannot be, offers with a limit are not issued for new uses. `offerd restore` pauses them by \
            itself; after a restore with the tools of PostgreSQL, run `offerd limits pause` before the first server starts.

            Example:
              offerd limits pause --config offerd.yaml --issued-until 2026-12-01T03:12:00Z
              offerd limits resume --config offerd.yaml
            """,
        subcommands: [LimitsPause.self, LimitsResume.self])
}

struct LimitsPause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Issue offers with a limit for new uses only once unknown signatures have ended.",
        discussion: """
            May run beside the server. An offer without a limit is issued as before, and signatures that were issued \
            before the copy are returned again.

            Example:
              offerd limits pause --config offerd.yaml --issued-until 2026-12-01T03:12:00Z
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: "The last moment at which something unknown may have been issued. (default: now)",
        transform: Instant.argument)
    var issuedUntil: Instant?

    func run() async throws {
        try await options.withDatabase { setup, database in
            let lines = try await Self.pause(setup, database, issuedUntil: issuedUntil, by: "offerd limits pause")
            for line in lines { try Console.output(line) }
        }
    }

    /// - Returns: what to say about it.
    static func pause(
        _ setup: ServerSetup, _ database: any StoreDatabase, issuedUntil last: Instant?, unlessPaused: Bool = false,
        by actor: String
    ) async throws -> [String] {
        let uses = ForgottenUses(
            ledger: try setup.ledger(database), author: AuditAuthor(actor: actor), clock: { .wallClock })
        switch try await uses.pause(in: setup.keys.scopes, issuedUntil: last, unlessPaused: unlessPaused) {
        case .none: return ["offers with a limit are issued: nothing unknown can still be redeemed"]
        case .paused(let end):
            return [
                "offers with a limit are not issued for new uses until \(TimeText.absolute(end)): signatures issued since the "
                    + "copy may be redeemed until then",
                "before that, `offerd backfill --notifications --from TIME`, with the newest moment of the copy, fetches what "
                    + "was redeemed meanwhile",
            ]
        }
    }
}

struct LimitsResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Issue offers with a limit again at once.",
        discussion: """
            Limits may then be exceeded by what was issued after the copy was made: run it only if nothing was. May run \
            beside the server.

            Example:
              offerd limits resume --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        try await options.withDatabase { setup, database in
            let uses = ForgottenUses(
                ledger: try setup.ledger(database), author: AuditAuthor(actor: "offerd limits resume"),
                clock: { .wallClock })
            let resumed = try await uses.resume()
            guard !resumed.isEmpty else {
                return try Console.output("nothing was changed: offers with a limit are not paused")
            }
            for scope in resumed { try Console.output("offers with a limit are issued again in \(scope)") }
        }
    }
}

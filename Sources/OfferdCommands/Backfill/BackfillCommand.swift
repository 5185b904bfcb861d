import AppStoreServer
import ArgumentParser
import CommandLineSupport
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto
import Synchronization

struct BackfillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill",
        abstract: "Fetch history from Apple: of the customers in a list of ids, or the notifications of a period.",
        discussion: """
            With --ids it fetches everything of each customer in a file with one id per line: an originalTransactionId, a \
            transactionId or an appTransactionId. With --notifications it stores every notification that Apple sent \
            or tried to send between --from and --to, at most 180 days back; known ones stay as they are.

            It respects Apple's limits and waits when Apple asks it to. SIGINT and SIGTERM stop it; the same command \
            continues where it stopped, from the state file that it keeps until its end. May run beside the server.

            Exit status: 0 finished (even if something was refused: the summary says what), 1 stopped before the \
            end, 2 wrong use or configuration.

            Example:
              offerd backfill --config offerd.yaml --app com.example.pro \\
                --environment Production --ids customers.txt
              offerd backfill --config offerd.yaml --app com.example.pro \\
                --environment Production --notifications --from 2026-11-20T00:00:00Z
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "Production or Sandbox; LocalTesting with `appStoreServer` in the configuration.")
    var environment: AppStoreEnvironment

    @Option(help: "A file with one id per line.", completion: .file())
    var ids: String?

    @Flag(help: "Fetch notifications.")
    var notifications = false

    @Option(
        help: "The first moment of the notifications, such as 2026-11-20T00:00:00Z.", transform: Instant.argument)
    var from: Instant?

    @Option(help: "The last moment of the notifications. (default: now)", transform: Instant.argument)
    var to: Instant?

    @Option(
        help: "The file that stores its progress. (default: beside the list or the database, ending in .backfill)",
        completion: .file())
    var state: String?

    func validate() throws {
        guard (ids != nil) != notifications else { throw ValidationError("give `--ids` or `--notifications`") }
        guard notifications || (from == nil && to == nil) else {
            throw ValidationError("`--from` and `--to` are of `--notifications`")
        }
        guard !notifications || from != nil else { throw ValidationError("`--notifications` needs `--from`") }
        if let from, let to, from >= to { throw ValidationError("`--from` is not before `--to`") }
    }

    func run() async throws {
        let setup = try options.setup()
        let scope = Scope(bundleId: BundleId(app), environment: environment)
        let audit = try setup.auditKeys()
        try await ServerSetup.withTransport { transport in
            let registry = AppRegistry(try setup.apps(asking: transport, sharing: Self.share))
            _ = try registry.appStoreServer(for: scope)
            let list = try ids.map(BackfillList.init(file:))
            let database = try setup.database.open()
            defer { try? database.close() }
            let useCases = UseCases(
                registry: registry, database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
                digestKey: audit?.digestKey, clock: { .wallClock })
            let log = BackfillLog(
                ledger: Ledger(database, digest: OpenSSLDigest(), key: audit?.digestKey), author: Self.author,
                clock: { .wallClock })
            let waits = BackfillWaits()
            let patience = RetryPolicy(
                sleep: { try await Task.sleep(for: .milliseconds($0)) }, onWait: { waits.tell($0) })
            let beside = try setup.database.path ?? ConfigurationFile.path(options.config)
            let file = BackfillStateFile(
                path: state ?? ids.map { "\($0).backfill" }
                    ?? "\(beside).\(app).\(environment.rawValue).backfill")
            if let list {
                try await BackfillOfCustomers(
                    list: list, file: file, scope: scope, refresh: useCases.refresh, log: log, patience: patience
                ).run()
            } else if let from {
                let work = try NotificationBackfill(
                    registry, useCases.notifications, in: scope, by: Self.author, patience: patience,
                    clock: { .wallClock })
                try await BackfillOfNotifications(
                    from: from, to: to, file: file, scope: scope, work: work, log: log
                ).run()
            }
        }
    }

    static let author = AuditAuthor(actor: "offerd backfill")

    /// Percent of Apple's limits; the rest is left to support.
    private static let share = 80
}

/// Reports once that Apple is limiting requests, however many requests were under way.
final class BackfillWaits: Sendable {
    private let reported = Mutex(Instant.distantPast)

    func tell(_ failure: AppStoreFailure) {
        let end = failure.at.adding(milliseconds: Int64(failure.secondsToWait) * Instant.Duration.second)
        let isNews = reported.withLock { reported in
            guard end > reported.adding(milliseconds: Instant.Duration.second) else { return false }
            reported = end
            return true
        }
        if isNews { Console.note("waiting until \(end): \(failure.detail)") }
    }
}

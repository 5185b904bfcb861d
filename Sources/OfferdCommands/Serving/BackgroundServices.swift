import ArgumentParser
import CommandLineSupport
import Logging
import Metrics
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore
import ServiceLifecycle
import Synchronization

/// Work that is repeated beside the server until it stops.
struct RepeatedWork: Service {
    /// How long the first round waits.
    var start = Duration.zero
    var runsAtStop = false
    /// Whether it is this process's turn, where only one of several does the work.
    private var isElected: @Sendable () async -> Bool = { true }
    /// A round, and how long the next one waits.
    let round: @Sendable (_ isLast: Bool) async -> Duration

    /// How soon the end of the process that does the work is noticed.
    private static let lookout = Duration.seconds(1)

    init(
        start: Duration = .zero, runsAtStop: Bool = false, round: @escaping @Sendable (_ isLast: Bool) async -> Duration
    ) {
        self.start = start
        self.runsAtStop = runsAtStop
        self.round = round
    }

    /// The same work, done only where a process is elected for it.
    func onlyOnce(of database: any DatabaseDriver) -> RepeatedWork {
        var work = self
        work.isElected = { await database.isElected() }
        return work
    }

    func run() async {
        try? await cancelWhenGracefulShutdown {
            try await Task.sleep(for: start)
            while true { try await Task.sleep(for: await isElected() ? await round(false) : Self.lookout) }
        }
        if runsAtStop, await isElected() { _ = await round(true) }
    }
}

/// An attempt that the next round repeats if it fails. Of failures in a row, one in five minutes is logged, and the last
/// round's in any case.
final class RepeatedAttempt: Sendable {
    private let failure: Logger.Message
    private let level: Logger.Level
    private let logger: Logger
    private let quietUntil = Mutex<ContinuousClock.Instant?>(nil)

    init(_ failure: Logger.Message, _ logger: Logger, level: Logger.Level = .warning) {
        self.failure = failure
        self.level = level
        self.logger = logger
    }

    /// - Returns: `nil` if it failed.
    @discardableResult
    func callAsFunction<T>(isLast: Bool = false, _ body: () async throws -> T) async -> T? {
        do {
            let value = try await body()
            quietUntil.withLock { $0 = nil }
            return value
        } catch is CancellationError {
            return nil
        } catch {
            let isLogged = quietUntil.withLock { quietUntil in
                if let quietUntil, !isLast, ContinuousClock.now < quietUntil { return false }
                quietUntil = .now + .seconds(300)
                return true
            }
            if isLogged {
                let words = CommandFailure.words(error)?.message ?? "\(error)"
                logger.log(level: level, failure, metadata: ["error": "\(words)"])
            }
            return nil
        }
    }
}

extension RepeatedWork {
    /// Signs the audit whenever a checkpoint is due, and once more when the server stops. Writes to the witness what
    /// it does not have yet; offers are issued even if that fails.
    static func checkpoints(
        _ audit: LedgerAudit, _ witness: WitnessFile?, _ logger: Logger, _ notes: ServerNotes
    ) -> RepeatedWork {
        // The events of a checkpoint that failed stay, and the next one signs them too.
        let signing = RepeatedAttempt("the audit could not be signed", logger)
        let telling = RepeatedAttempt(
            "the newest checkpoints could not be written to the witness", logger, level: .error)
        return RepeatedWork(runsAtStop: true) { isLast in
            await signing(isLast: isLast) {
                guard let checkpoint = try await audit.checkpoint(now: isLast) else { return }
                logger.info(
                    "signed the audit",
                    metadata: [
                        "audit.checkpoint": .stringConvertible(checkpoint.number),
                        "audit.events": .stringConvertible(checkpoint.eventSequence),
                        "audit.head": "\(Hexadecimal.lowercase(checkpoint.head))",
                    ])
            }
            if let witness {
                let isTold: Void? = await telling(isLast: isLast) { try await witness.catchUp(audit.checkpoints) }
                notes.told(witness: isTold != nil)
            }
            return .seconds(2)
        }
    }

    /// Tests the signing keys every hour, as they were tested when they were loaded.
    static func keyTests(_ registry: AppRegistry, _ logger: Logger) -> RepeatedWork {
        let interval = Duration.seconds(3_600)
        return RepeatedWork(start: interval) { _ in
            for scope in registry.testKeys() {
                logger.critical(
                    "a signing key fails its self-test and signs nothing until it passes",
                    metadata: [
                        "scope": "\(scope)",
                        "hint":
                            "restart offerd; `offerd keys check` tells whether the key file, or the token, is sound",
                    ])
            }
            return interval
        }
    }

    /// Keeps room for a pause again, soon after a full disk has room, and notes how much of it is left.
    ///
    /// - Parameter path: the database's file; `nil` on a server.
    static func room(_ database: any DatabaseDriver, _ path: String?, _ notes: ServerNotes) -> RepeatedWork {
        RepeatedWork { _ in
            database.keepRoom()
            if let free = path.flatMap(DiskReserve.freeSpace(beside:)) { notes.told(freeSpace: free, at: .wallClock) }
            return .seconds(5)
        }
    }

    /// Stores when API keys were last used, each key once an hour.
    static func keyUses(_ apiKeys: APIKeys, _ logger: Logger) -> RepeatedWork {
        let interval = Duration.seconds(600)
        let storing = RepeatedAttempt("the last-used times of API keys could not be stored", logger)
        return RepeatedWork(start: interval, runsAtStop: true) { isLast in
            await storing(isLast: isLast) { try await apiKeys.storeUses() }
            return interval
        }
    }

    /// Ends the simulations that the server counts when it stops.
    static func simulations(_ simulations: Simulations) -> RepeatedWork {
        RepeatedWork(runsAtStop: true) { isLast in
            if isLast { await simulations.stop() }
            return .seconds(3_600)
        }
    }

    /// Keeps the events that become due by themselves. Each process looks every second; the first one that writes has
    /// them. Between two transactions, requests have the writer for themselves.
    static func dueEvents(_ events: DueEvents, _ logger: Logger) -> RepeatedWork {
        let sending = RepeatedAttempt("due events could not be kept", logger)
        return RepeatedWork { _ in
            let isMore = await sending { try await events.send() } ?? false
            return isMore ? .milliseconds(20) : .seconds(1)
        }
    }

    /// Fetches the keys of login providers at the start, hourly, and a minute after a failure; looks every second for
    /// what is due.
    static func customerTokens(_ tokens: CustomerTokens) -> RepeatedWork {
        RepeatedWork { _ in
            // Not waited for: a provider that does not answer must not delay the shutdown.
            Task { await tokens.refresh() }
            return .seconds(1)
        }
    }

    static func retention(
        _ retention: Retention, _ logger: Logger, _ metrics: any MetricsFactory
    ) -> RepeatedWork {
        // Requests report the same cause.
        let sweeping = RepeatedAttempt("retention failed; the next round tries again", logger)
        return RepeatedWork { _ in
            await sweeping {
                let sum = try await retention.sweep()
                let removed = [
                    ("signatures", sum.signatures), ("refusals", sum.refusals), ("answers", sum.answers),
                    ("notifications", sum.notifications), ("events", sum.events),
                ]
                for (kind, number) in removed {
                    Counter(label: "offerd_retention_removed_total", dimensions: [("kind", kind)], factory: metrics)
                        .increment(by: number)
                }
                Gauge(label: "offerd_retention_last_success_timestamp_seconds", factory: metrics)
                    .record(Double(Instant.wallClock.milliseconds) / 1_000)
                if sum.isHeld { logger.warning("retention keeps all texts: the audit's digest key has changed") }
                guard !sum.isEmpty else { return }
                var counts: Logger.Metadata = [:]
                for (kind, number) in removed { counts[kind] = .stringConvertible(number) }
                logger.info("removed what retention no longer keeps", metadata: counts)
            }
            return .seconds(600)
        }
    }

    /// How far back the first round of a process looks for notifications, and the minimum for later ones: Apple
    /// retries for a week. In Sandbox it keeps them for 30 days and refuses a request for more.
    private static let firstRecheck = 29 * Instant.Duration.day
    private static let leastRecheck = 7 * Instant.Duration.day

    /// Fetches notifications that did not arrive from Apple, a minute after the start and then at an interval, in
    /// milliseconds.
    static func recheck(_ recheck: NotificationRecheck, every interval: Int64, _ logger: Logger) -> RepeatedWork {
        let begun = Mutex<Set<Scope>>([])
        return RepeatedWork(start: .seconds(60)) { _ in
            for scope in recheck.scopes {
                var logger = logger
                logger[metadataKey: "scope"] = "\(scope)"
                let isFirst = !begun.withLock { $0.contains(scope) }
                let span = isFirst ? firstRecheck : max(leastRecheck, interval.saturatingAdding(interval))
                let fetching = RepeatedAttempt("missing notifications could not be fetched from Apple", logger)
                guard let sum = await fetching({ try await recheck.run(scope, over: span) }) else { continue }
                begun.withLock { _ = $0.insert(scope) }
                if sum.added > 0 {
                    logger.notice(
                        "missing notifications were fetched from Apple",
                        metadata: ["added": .stringConvertible(sum.added)])
                }
                if sum.refused > 0 {
                    logger.warning(
                        "notifications that Apple could not deliver were refused again",
                        metadata: ["refused": .stringConvertible(sum.refused)])
                }
            }
            return .milliseconds(interval)
        }
    }
}

/// Serves `/metrics` on a separate address.
struct MetricsService: Service {
    /// More than a few that scrape are a mistake, and must not take the server's files.
    private static let connections = 16

    let address: ListenAddress
    let logger: Logger
    let announce: @Sendable (String) -> Void
    let text: @Sendable () async -> String

    func run() async throws {
        var limits = HTTPLimits()
        limits.connections = Self.connections
        let server = OfferServer.metrics(
            settings: HTTPSettings(host: address.host, port: address.port, limits: limits), logger: logger, text: text
        ) { [address, logger, announce] port, isLoopback in
            let bound = ListenAddress(host: address.host, port: port)
            announce("metrics on http://\(bound)/metrics")
            if !isLoopback {
                logger.warning(
                    "other machines can reach `\(bound)`, which names apps and offers without a key or TLS: listen on 127.0.0.1, or let only Prometheus reach it"
                )
            }
        }
        do {
            try await server.run()
        } catch {
            throw ListenFailure.translate(
                error, address: address, of: "metrics", place: "`metrics` in the configuration")
        }
    }
}

struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Remove what is no longer needed, as `serve` does by itself.",
        discussion: """
            The terms are those of `retention` in the configuration. May run beside the server.

            Example:
              offerd retention --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        try await options.withDatabase { setup, database in
            let retention = Retention(
                ledger: try setup.ledger(database), terms: setup.configuration.retention,
                author: AuditAuthor(actor: "offerd retention"), clock: { .wallClock })
            let sum = try await retention.sweep()
            try Console.output(
                "removed: the text of \(sum.signatures) signatures, the record of \(sum.refusals) refusals, "
                    + "\(sum.answers) kept answers, the text of \(sum.notifications) notifications, "
                    + "\(sum.events) events")
            guard sum.isHeld else { return }
            try Console.output(
                "texts stay: the audit's digest key has changed, and without them rows could not be proven")
        }
    }
}

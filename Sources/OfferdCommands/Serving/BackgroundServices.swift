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

/// Signs checkpoints of the audit while the server runs, and once more when it stops.
struct CheckpointService: Service {
    let audit: LedgerAudit
    let witness: WitnessFile?
    let logger: Logger

    /// How often it checks whether a checkpoint is due.
    private static let rest = Duration.seconds(2)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isQuietUntil = ContinuousClock.now
            while !Task.isCancelled {
                await sign(now: false)
                await tell(&isQuietUntil)
                try? await Task.sleep(for: Self.rest)
            }
        }
        await sign(now: true)
        var isQuietUntil = ContinuousClock.now
        await tell(&isQuietUntil)
    }

    /// Writes to the witness what it does not have yet. Where that fails, offers are issued all the same, it is tried
    /// again with every look, and logged every five minutes.
    private func tell(_ isQuietUntil: inout ContinuousClock.Instant) async {
        guard let witness else { return }
        do {
            try await witness.catchUp(audit.checkpoints)
        } catch is CancellationError {
            return
        } catch {
            guard ContinuousClock.now >= isQuietUntil else { return }
            isQuietUntil = .now + .seconds(300)
            logger.error(
                "the newest checkpoints could not be written to the witness",
                metadata: ["error": "\(CommandFailure.words(error)?.message ?? "\(error)")"])
        }
    }

    /// A failure does not end the service: the events stay, and the next checkpoint signs them too.
    private func sign(now isWanted: Bool) async {
        do {
            guard let checkpoint = try await audit.checkpoint(now: isWanted) else { return }
            logger.info(
                "signed the audit",
                metadata: [
                    "audit.checkpoint": "\(checkpoint.number)", "audit.events": "\(checkpoint.eventSequence)",
                    "audit.head": "\(Hexadecimal.lowercase(checkpoint.head))",
                ])
        } catch is CancellationError {
            return
        } catch {
            logger.warning("the audit could not be signed", metadata: ["error": "\(error)"])
        }
    }
}

/// Tests the signing keys every hour, as they were tested when they were loaded.
struct KeyTestService: Service {
    private static let interval = Duration.seconds(3_600)

    let registry: AppRegistry
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try await Task.sleep(for: Self.interval)
                for scope in registry.testKeys() {
                    logger.critical(
                        "a signing key fails its self-test and signs nothing until it passes",
                        metadata: [
                            "scope": "\(scope)",
                            "hint":
                                "restart offerd; `offerd keys check` tells whether the key file, or the token, is sound",
                        ])
                }
            }
        }
    }
}

/// Stores when API keys were last used, every ten minutes and when the server stops: each key once an hour.
struct KeyUseService: Service {
    private static let interval = Duration.seconds(600)

    let apiKeys: APIKeys
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil { await store() }
        }
        await store()
    }

    /// What fails now is tried again in the next round.
    private func store() async {
        do {
            try await apiKeys.storeUses()
        } catch is CancellationError {
            return
        } catch {
            logger.warning("it could not be stored when API keys were last used", metadata: ["error": "\(error)"])
        }
    }
}

/// Keeps the events that become due by themselves. Each process looks every second; the first one that writes has them.
struct DueEventService: Service {
    private static let interval = Duration.seconds(1)
    /// How long requests have the writer for themselves between two transactions.
    private static let rest = Duration.milliseconds(20)

    let events: DueEvents
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var isQuietUntil = ContinuousClock.now
            while !Task.isCancelled {
                let isMore = await send(&isQuietUntil)
                try await Task.sleep(for: isMore ? Self.rest : Self.interval)
            }
        }
    }

    /// What fails now is tried again in the next round, and logged every five minutes.
    private func send(_ isQuietUntil: inout ContinuousClock.Instant) async -> Bool {
        do {
            return try await events.send()
        } catch is CancellationError {
            return false
        } catch {
            guard ContinuousClock.now >= isQuietUntil else { return false }
            isQuietUntil = .now + .seconds(300)
            logger.warning("due events could not be kept", metadata: ["error": "\(error)"])
            return false
        }
    }
}

/// Runs retention beside the server, at its start and then every ten minutes.
struct RetentionService: Service {
    private static let interval = Duration.seconds(600)

    let retention: Retention
    let logger: Logger
    let metrics: any MetricsFactory

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    /// What fails now is tried again in the next round; requests report the same cause.
    private func sweep() async {
        do {
            let sum = try await retention.sweep()
            count(sum)
            if sum.isHeld { logger.warning("retention keeps all texts: the audit's digest key has changed") }
            guard !sum.isEmpty else { return }
            logger.info(
                "what is no longer needed was removed",
                metadata: [
                    "signatures": "\(sum.signatures)", "refusals": "\(sum.refusals)", "answers": "\(sum.answers)",
                    "notifications": "\(sum.notifications)", "events": "\(sum.events)",
                ])
        } catch is CancellationError {
            return
        } catch {
            logger.warning("retention could not go on", metadata: ["error": "\(error)"])
        }
    }

    private func count(_ sum: RetentionStep) {
        for (kind, number) in [
            ("signatures", sum.signatures), ("refusals", sum.refusals), ("answers", sum.answers),
            ("notifications", sum.notifications), ("events", sum.events),
        ] {
            Counter(label: "offerd_retention_removed_total", dimensions: [("kind", kind)], factory: metrics)
                .increment(by: number)
        }
        Gauge(label: "offerd_retention_last_success_timestamp_seconds", factory: metrics)
            .record(Double(Instant.wallClock.milliseconds) / 1_000)
    }
}

/// Serves `/metrics` beside the server, on an address of its own.
struct MetricsService: Service {
    /// More than a few that scrape are a mistake, and must not take the server's files.
    private static let connections = 16

    let address: ListenAddress
    let logger: Logger
    let text: @Sendable () async -> String

    func run() async throws {
        var limits = HTTPLimits()
        limits.connections = Self.connections
        let server = OfferServer.metrics(
            settings: HTTPSettings(host: address.host, port: address.port, limits: limits), logger: logger, text: text
        ) { [address, logger] port, isLoopback in
            let bound = ListenAddress(host: address.host, port: port)
            try? Console.output("metrics on http://\(bound)/metrics")
            if !isLoopback {
                logger.warning(
                    "other machines can reach `\(bound)`, which names apps and offers without a key or TLS: listen on 127.0.0.1, or let only Prometheus reach it"
                )
            }
        }
        do {
            try await server.run()
        } catch {
            throw ListenFailure.translate(error, address: address)
        }
    }
}

/// Fetches notifications that did not arrive from Apple, a minute after the start and then at an interval.
struct RecheckService: Service {
    private static let start = Duration.seconds(60)
    /// How far back the first round of a process looks, and the minimum for later ones: Apple retries for a week. In
    /// Sandbox it keeps notifications for 30 days and refuses a request for more.
    private static let firstSpan = 29 * Instant.Duration.day
    private static let leastSpan = 7 * Instant.Duration.day

    let recheck: NotificationRecheck
    /// In milliseconds.
    let interval: Int64
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var begun: Set<Scope> = []
            try await Task.sleep(for: Self.start)
            while !Task.isCancelled {
                for scope in recheck.scopes {
                    let span =
                        begun.contains(scope)
                        ? max(Self.leastSpan, interval.saturatingAdding(interval)) : Self.firstSpan
                    if await look(scope, over: span) { begun.insert(scope) }
                }
                try await Task.sleep(for: .milliseconds(interval))
            }
        }
    }

    /// What fails now is tried again in the next round.
    private func look(_ scope: Scope, over span: Int64) async -> Bool {
        do {
            let sum = try await recheck.run(scope, over: span)
            if sum.added > 0 {
                logger.notice(
                    "missing notifications were fetched from Apple",
                    metadata: ["scope": "\(scope)", "added": "\(sum.added)"])
            }
            if sum.refused > 0 {
                logger.warning(
                    "notifications that Apple could not deliver were refused again",
                    metadata: ["scope": "\(scope)", "refused": "\(sum.refused)"])
            }
            return true
        } catch is CancellationError {
            return false
        } catch {
            logger.warning(
                "missing notifications could not be fetched from Apple",
                metadata: ["scope": "\(scope)", "error": "\(CommandFailure.words(error)?.message ?? "\(error)")"])
            return false
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
                ledger: try setup.ledger(database), terms: setup.retention,
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

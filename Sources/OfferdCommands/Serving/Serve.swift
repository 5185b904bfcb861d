import AppStoreServer
import ArgumentParser
import CommandLineSupport
import Foundation
import Hummingbird
import Logging
import Metrics
import NIOCore
import OfferApplication
import OfferConsole
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answer requests until SIGTERM or SIGINT.",
        discussion: """
            Prints `listening on http://HOST:PORT` once requests are accepted, or `https://` with `tls` in the \
            configuration; its log goes to standard error. On SIGTERM it finishes the requests in progress and exits 0. \
            With `metrics` in the configuration it also prints `metrics on http://HOST:PORT/metrics`.

            Reads the configuration, the keys and the certificate again when one of their files changes, and on SIGHUP. \
            Everything but apps, keys, `rateLimits`, `tls`, `webhooks` and `customerTokens` needs a restart.

            Exit status: 0 ended by a signal; 1 failed, and starting it again may help, as when an address is in use or \
            the database is busy; 2 the command line, the configuration or the database has to be corrected first.

            With --clock-file the time is what a file holds, in milliseconds since 1970, read for each request: it \
            lets a test go through days in seconds. keys.yaml may have no environment but LocalTesting.

            Example:
              offerd serve --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help:
            "The address to listen on, such as 127.0.0.1:8080, instead of the configuration's; port 0 takes a free one."
    )
    var listen: String?

    @Option(help: "A file with the time to go by, for tests in LocalTesting alone.", completion: .file())
    var clockFile: String?

    @Option(help: "The least severe level that is logged.")
    var logLevel = Logger.Level.info

    func run() async throws {
        try await run { _ in [] }
    }

    /// - Parameter more: the lines that follow the one with the URL, once requests are accepted.
    func run(announcing more: @escaping @Sendable (_ url: String) -> [String]) async throws {
        // Loops only read and write, a fifth of a request's work at most; the tasks that answer have a thread for each
        // processor already. With a loop for each, too, they wake each other twice as often for the same work.
        NIOSingletons.groupLoopCountSuggestion = max(1, System.coreCount / 2)
        let setup = try options.setup(listen: listen)
        let watch = ConfigurationWatch(setup)
        let output = ServerOutput(setup.configuration.log)
        // From here on a hangup does not end the process.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        do {
            try await output.whileRunning {
                try await ServerSetup.withTransport { transport in
                    try await HTTPWebhookSender.with { sender in
                        try await serve(setup, asking: transport, sender, hangups, watch, output) { url in
                            output.announce("listening on \(url)")
                            more(url).forEach(output.announce)
                        }
                    }
                }
            }
        } catch let error as StoreError where error.isPermanent {
            // What supervises the server need not start it again where another start would end the same way.
            throw CommandFailure.words(error)?.with(.usage) ?? error
        }
    }

    private func serve(
        _ setup: ServerSetup, asking transport: HTTPTransport, _ sender: HTTPWebhookSender,
        _ hangups: UnixSignalsSequence, _ watch: ConfigurationWatch, _ output: ServerOutput,
        _ announce: @escaping @Sendable (_ url: String) -> Void
    ) async throws {
        let registry = AppRegistry(try setup.apps(asking: transport))
        let certificate = try setup.configuration.tls.map(TLSCertificate.init)
        let audit = try setup.auditKeys()
        let webhooks = WebhookRegistry(try setup.webhooks())
        var logger = Logger(label: "offerd") { LineLogHandler(label: $0, lines: output.log) }
        logger.logLevel = logLevel
        let clock = try clock(setup, logger: logger)
        let customerTokens = CustomerTokens(
            try setup.customerTokenProviders(), clock: clock,
            fetch: CustomerTokens.fetch(by: transport, logger: logger))
        let exporter = setup.configuration.metrics.map { _ in PrometheusMetrics() }
        let metrics: any MetricsFactory = exporter ?? NOOPMetricsHandler.instance
        let commits = Metrics.Timer(label: "offerd_commit_duration_seconds", factory: metrics)
        let commitWrites = Recorder(label: "offerd_commit_writes", aggregate: true, factory: metrics)
        let requests = RequestsInProgress()
        let database = try setup.database.open(isServer: true, isQuiet: { requests.areQuiet }) { writes, duration in
            commits.record(duration: duration)
            commitWrites.record(writes)
        }
        try await database.read { try StoredNumberCheck($0).run() }
        try database.makeDurable()
        let rates = RequestRates(setup.configuration.rateLimits)
        let useCases = UseCases(
            registry: registry, database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            digestKey: audit?.digestKey, checkpointSigner: audit?.signer, metrics: metrics, rates: rates,
            webhooks: webhooks, outlet: WebhookOutlet(sender: sender, clock: { .wallClock }),
            customerTokens: customerTokens, timeZones: .ofFoundation, grants: setup.configuration.grants, clock: clock,
            inProgress: { requests.count },
            freeSpace: { [path = setup.database.path] in path.flatMap(DiskReserve.freeSpace(beside:)) })
        if let audit, let witness = audit.witness {
            try await witness.require(database, judge: audit.keys.isSigned, newer: useCases.audit.checkpoints)
        }
        let retention = Retention(
            ledger: Ledger(database, digest: OpenSSLDigest(), key: audit?.digestKey),
            terms: setup.configuration.retention,
            author: .service, clock: clock)
        let address = setup.listen
        let console = setup.configuration.console
        let announcements = Announcements(of: 1 + (exporter == nil ? 0 : 1) + (console.address == nil ? 0 : 1))
        let keys = try setup.shownKeys(audit: audit)
        do {
            try await useCases.audit.note(keys: keys)
        } catch {
            // The next start records them: a database that cannot be written now still answers what it can.
            logger.warning("the keys were not recorded in the audit", metadata: ["error": "\(error)"])
        }
        var limits = HTTPLimits()
        limits.connections = OpenFiles.connections(wanted: limits.connections, limit: OpenFiles.raiseLimit())
        let notes = ServerNotes()
        let (started, signsAudit) = (logger, audit != nil)
        let shutdown = Shutdown(requests, readiness: useCases.readiness, logger: logger)
        let settings = HTTPSettings(
            host: address.host, port: address.port, limits: limits, certificate: certificate,
            trustedProxies: setup.configuration.trustedProxies)
        let look = ServerLook(
            states: useCases.states, database: database, databasePath: setup.database.path, notes: notes,
            certificate: certificate, retention: setup.configuration.retention)
        let pages = ConsoleSite.routes(
            useCases, state: look.state, proxyUsers: setup.configuration.proxyUsers, clock: clock)
        let besides = console.isWithAPI(isLoopback: address.isLoopback) ? pages : nil
        let server = OfferServer.application(
            useCases: useCases, settings: settings, logger: logger, metrics: metrics, inProgress: requests,
            further: besides
        ) { port, isLoopback in
            let bound = ListenAddress(host: address.host, port: port)
            let url = "\(certificate == nil ? "http" : "https")://\(bound)"
            announcements.add(0) { announce(url) }
            if certificate == nil, !isLoopback {
                started.warning(
                    "API keys and customers' data travel unencrypted, because other machines can reach `\(bound)` and it has no TLS: set `tls`, or listen on 127.0.0.1 behind a proxy with TLS"
                )
            }
            if let files = setup.configuration.tls { certificate?.warn(files, started) }
            if !signsAudit {
                started.warning("checkpoints of the audit are not signed: keys.yaml has no `audit`")
            }
            if setup.database.path != nil, SQLiteVersion.hasResetFault(SQLiteVersion.current) {
                started.warning(
                    "this SQLite can lose commits where several processes write the log back at once",
                    metadata: [
                        "sqlite": "\(SQLiteVersion.text(SQLiteVersion.current))", "hint": "\(SQLiteVersion.faultHint)",
                    ])
            }
        }
        let reload = Reload(
            read: { [self] in
                let new = try options.setup(listen: listen)
                try requireTestsAlone(new)
                return new
            }, transport: transport, registry: registry, rates: rates, webhooks: webhooks,
            customerTokens: customerTokens, certificate: certificate, audit: useCases.audit, auditKeys: audit,
            started: setup, logger: logger, noted: { notes.reloaded($0, at: clock()) })
        // The first is stopped last: the final checkpoint signs what the last requests did.
        var services: [any Service] = [
            RepeatedWork.checkpoints(useCases.audit, audit?.witness, logger, notes).onlyOnce(of: database),
            RepeatedWork.keyUses(useCases.apiKeys, logger), RepeatedWork.simulations(useCases.simulations),
            DrainService(shutdown: shutdown), server,
            RepeatedWork.dueEvents(useCases.dueEvents, logger).onlyOnce(of: database),
            RepeatedWork.retention(retention, logger, metrics).onlyOnce(of: database),
            RepeatedWork.keyTests(registry, logger), RepeatedWork.customerTokens(customerTokens),
            RepeatedWork.room(database, setup.database.path, notes),
            ReloadService(reload: reload, watch: watch, hangups: hangups),
        ]
        if let address = console.address {
            services.append(
                ConsoleService(
                    address: address, useCases: useCases, settings: settings, metrics: metrics, inProgress: requests,
                    pages: pages, logger: logger,
                    announce: { line in announcements.add(announcements.last) { output.announce(line) } }))
        }
        if let exporter, let address = setup.configuration.metrics {
            let samples = ServerSamples(look: look, registry: registry, log: output.log)
            services.append(
                MetricsService(
                    address: address, logger: logger,
                    announce: { line in announcements.add(1) { output.announce(line) } }
                ) {
                    exporter.text(with: await samples.all())
                })
        }
        let (holder, webhookMetrics) = (try OpenSSLRandom().uuid().description, WebhookMetrics(metrics))
        services.append(
            WebhookService(webhooks: webhooks, database: database, logger: logger) { webhook in
                WebhookDelivery(
                    webhook, database: database, sender: sender, holder: holder,
                    isAlone: setup.database.path == nil, clock: clock, realClock: { .wallClock },
                    metrics: webhookMetrics
                ) {
                    started.log($1, of: $0)
                } onFailure: {
                    webhooks.noteFailure($1, of: $0)
                }
            })
        if let interval = setup.configuration.recheck {
            let patience = RetryPolicy(sleep: { try await Task.sleep(for: .milliseconds($0)) }, onWait: { _ in })
            let recheck = NotificationRecheck(registry, useCases.notifications, patience: patience, clock: clock)
            services.append(RepeatedWork.recheck(recheck, every: interval, logger).onlyOnce(of: database))
        }
        let signals = SignalService(
            signals: await UnixSignalsSequence(trapping: .sigterm, .sigint, .sigusr1), shutdown: shutdown)
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }
                + [.init(service: signals, successTerminationBehavior: .gracefullyShutdownGroup)],
            logger: logger)
        configuration.maximumGracefulShutdownDuration = Shutdown.patience
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch {
            try? database.close()
            throw ListenFailure.translate(
                error, address: address, of: "listen",
                place: listen == nil ? "`listen` in the configuration" : "`--listen`")
        }
        let events = try? await useCases.audit.newestEvent()
        try database.close()
        shutdown.closed(events: events)
    }

    /// The machine's time, or a file's where nothing but `LocalTesting` could be signed by it.
    private func clock(_ setup: ServerSetup, logger: Logger) throws -> @Sendable () -> Instant {
        guard let clockFile else { return { .wallClock } }
        try requireTestsAlone(setup)
        let file = try ClockFile(path: clockFile, logger: logger)
        return { file.now }
    }

    /// Refuses environments that sign by the machine's time alone, where the time is a file's.
    private func requireTestsAlone(_ setup: ServerSetup) throws {
        guard clockFile != nil else { return }
        let real = setup.keys.apps.flatMap { app in
            app.environments.filter { $0 != .localTesting }.map { "`\(app.bundleId)` in `\($0.rawValue)`" }
        }
        guard real.isEmpty else {
            throw CommandFailure(
                .usage, "`--clock-file` is for LocalTesting alone, and keys.yaml has \(real.joined(separator: ", "))",
                hints: ["leave `--clock-file` out, or name a keys.yaml whose every environment is `LocalTesting`"])
        }
    }
}

/// The copy of a process's memory that some systems write when it crashes.
enum CoreFiles {
    /// Forbids them for this process: the signing keys are in its memory (invariant 9).
    static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(ProcessLimit.cores, &none)
    }
}

private enum ProcessLimit {
    #if os(macOS)
        static let (cores, files) = (RLIMIT_CORE, RLIMIT_NOFILE)
    #else
        static let cores = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
}

/// How many files and connections the system lets this process have open.
enum OpenFiles {
    /// Kept for the database, the log and what the runtime opens.
    private static let reserve = 64

    /// Raises the limit as far as the system lets this process, and says where it is then.
    ///
    /// Accepting connections that the system refuses for lack of descriptors would be retried in a loop, with which one
    /// core is busy: it is better never to get there.
    static func raiseLimit() -> Int {
        guard let limit = system() else { return 0 }
        var raised = limit
        #if os(macOS)
            // It refuses more, whatever it says the most is: setrlimit(2).
            raised.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #else
            raised.rlim_cur = limit.rlim_max
        #endif
        return Int(clamping: setrlimit(ProcessLimit.files, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur)
    }

    /// The limit as it is; `nil` where the system does not say.
    static func limit() -> Int? { system().map { Int(clamping: $0.rlim_cur) } }

    private static func system() -> rlimit? {
        var limit = rlimit()
        return getrlimit(ProcessLimit.files, &limit) == 0 ? limit : nil
    }

    /// How many connections may be open under a limit of open files: at least one, at most `wanted`.
    static func connections(wanted: Int, limit: Int) -> Int {
        max(1, min(wanted, limit - reserve))
    }
}

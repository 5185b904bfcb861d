import ArgumentParser
import Hummingbird
import Logging
import NIOCore
import OfferApplication
import OfferCatalog
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
            Prints `listening on http://HOST:PORT` once requests are accepted; its log goes to standard error. On SIGTERM \
            it finishes the requests in progress and exits 0.

            With --clock-file the time is what a file holds, in milliseconds since 1970, read anew for each request: to \
            let a test go through days in seconds. keys.yaml must know no environment but LocalTesting.

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
    var logLevel: LogLevel = .info

    /// How long requests in progress may take after SIGTERM.
    private static let patience = Duration.seconds(20)

    func run() async throws {
        // Loops only read and write, a fifth of a request's work at most; the tasks that answer have a thread for each
        // processor already. With a loop for each, too, they wake each other twice as often for the same work.
        NIOSingletons.groupLoopCountSuggestion = max(1, System.coreCount / 2)
        let setup = try options.setup(listen: listen)
        defer { LogLines.standardError.flush() }
        try await setup.withRegistry { try await serve(setup, $0) }
    }

    private func serve(_ setup: ServerSetup, _ registry: AppRegistry) async throws {
        let audit = try setup.auditKeys()
        var logger = Logger(label: "offerd") { LineLogHandler(label: $0) }
        logger.logLevel = logLevel.level
        let clock = try clock(setup, logger: logger)
        let path = setup.databasePath
        let database = try SQLiteDatabase(path: path, isServer: true)
        try await database.read { try StoredNumberCheck($0).run() }
        try database.makeDurable()
        let useCases = UseCases(
            registry: registry, database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            digestKey: audit?.digestKey, checkpointSigner: audit?.signer,
            rates: RequestRates(setup.rateLimits), clock: clock,
            freeSpace: { DiskSpace.free(beside: path) })
        if let audit, let witness = audit.witness {
            try await witness.require(database, judge: audit.isSigned, newer: useCases.audit.checkpoints)
        }
        let retention = Retention(
            ledger: Ledger(database, digest: OpenSSLDigest(), key: audit?.digestKey), terms: setup.retention,
            author: .service, clock: clock)
        let address = setup.listen
        let keys = try setup.shownKeys(audit: audit)
        do {
            try await useCases.audit.note(keys: keys)
        } catch {
            // The next start tells of them: a database that cannot be written now still answers what it can.
            logger.warning("the audit was not told of the keys", metadata: ["error": "\(error)"])
        }
        var limits = HTTPLimits()
        limits.connections = OpenFiles.connections(wanted: limits.connections, limit: OpenFiles.raiseLimit())
        let (started, signsAudit) = (logger, audit != nil)
        let server = OfferServer.application(
            useCases: useCases, settings: HTTPSettings(host: address.host, port: address.port, limits: limits),
            logger: logger
        ) { port in
            let host = address.host.contains(":") ? "[\(address.host)]" : address.host
            try? Terminal.output("listening on http://\(host):\(port)")
            if !signsAudit {
                started.warning("checkpoints of the audit are not signed: keys.yaml has no `audit`")
            }
            if SQLiteVersion.hasResetFault(SQLiteVersion.current) {
                started.warning(
                    "this SQLite can lose commits where several processes write the log back at once",
                    metadata: [
                        "sqlite": "\(SQLiteVersion.text(SQLiteVersion.current))", "hint": "\(SQLiteVersion.faultHint)",
                    ])
            }
        }
        var configuration = ServiceGroupConfiguration(
            // The first is stopped last: the final checkpoint signs what the last requests did.
            services: [
                .init(service: CheckpointService(audit: useCases.audit, witness: audit?.witness, logger: logger)),
                .init(service: server),
                .init(service: RetentionService(retention: retention, logger: logger)),
            ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.patience
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch {
            try? database.close()
            throw ListenFailure.translate(error, address: address)
        }
        try database.close()
    }

    /// The machine's time, or a file's where nothing but `LocalTesting` could be signed by it.
    private func clock(_ setup: ServerSetup, logger: Logger) throws -> @Sendable () -> Instant {
        guard let clockFile else { return { .wallClock() } }
        let real = setup.keys.apps.flatMap { app in
            app.environments.filter { $0 != .localTesting }.map { "`\(app.bundleId)` in `\($0.rawValue)`" }
        }
        guard real.isEmpty else {
            throw CommandFailure.configuration(
                "`--clock-file` is for LocalTesting alone, and keys.yaml has \(real.joined(separator: ", "))",
                hints: ["leave `--clock-file` out, or name a keys.yaml whose every environment is `LocalTesting`"])
        }
        let file = try ClockFile(path: clockFile, logger: logger)
        return { file.now }
    }
}

/// The least severe level that is logged.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}

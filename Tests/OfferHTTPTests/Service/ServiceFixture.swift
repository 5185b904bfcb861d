import AppStoreServer
import Foundation
import LocalAppStore
import Logging
import OfferAPI
import OfferApplication
import OfferHTTP
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import SQLiteStore
import ServiceLifecycle

/// A whole service on a free port: real database file, real keys, a local App Store, a key for every role.
struct ServiceFixture: Sendable {
    static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)
    static let otherApp = Scope(bundleId: "com.example.other", environment: .localTesting)
    static let otherEnvironment = Scope(bundleId: "com.example.pro", environment: .sandbox)
    static let production = Scope(bundleId: "com.example.pro", environment: .production)
    static let start = Instant(milliseconds: 1_780_000_000_000)

    let port: Int
    let clock: TestClock
    let log: CapturedLog
    let useCases: UseCases
    let appStore: LocalAppStore
    /// Its signer.
    let root: LocalRoot
    /// The answers of Apple's server about the app of ``scope``; it knows no customer of the others.
    let apple: PlayedAppStore
    let services: ServiceGroup
    /// The threads of requests that may take long.
    let threads: RequestThreads
    let directory: TemporaryDirectory
    /// The database of the requests, shared with a test that holds the writer.
    let database: SQLiteDatabase
    /// The statements that the requests have run.
    let statements: RecordedStatements

    /// Starts a service, lets the body use it, and stops it as SIGTERM would.
    ///
    /// - Parameters:
    ///   - patience: how long a write waits for another process that holds the database.
    ///   - waitingWrites: how many writes may wait.
    ///   - rates: how fast requests may come.
    ///   - signsV1InSandbox: what keys.yaml says of it.
    ///   - trustedProxies: what offerd.yaml says of them.
    ///   - random: where ids and nonces come from.
    static func run(
        limits: HTTPLimits = .patient, patience: Duration = .seconds(5), waitingWrites: Int = 4_096,
        rates: RequestRates = RequestRates(.off), signsV1InSandbox: Bool = false,
        trustedProxies: [IPNetwork] = [], random: any RandomSource = OpenSSLRandom(),
        _ body: @escaping @Sendable (ServiceFixture) async throws -> Void
    ) async throws {
        let (apple, stranger) = (PlayedAppStore(), PlayedAppStore())
        let transport = HTTPTransport()
        do {
            try await apple.serve { server in
                try await stranger.serve { other in
                    try await run(
                        limits: limits, patience: patience, waitingWrites: waitingWrites, rates: rates,
                        signsV1InSandbox: signsV1InSandbox, trustedProxies: trustedProxies, random: random,
                        apple: apple,
                        servers: AppleServers(own: server, strangers: other, transport: transport), body)
                }
            }
            await transport.shutdown()
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    private static func run(
        limits: HTTPLimits, patience: Duration, waitingWrites: Int, rates: RequestRates, signsV1InSandbox: Bool,
        trustedProxies: [IPNetwork], random: any RandomSource, apple: PlayedAppStore,
        servers: AppleServers,
        _ body: @escaping @Sendable (ServiceFixture) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        try SQLiteDatabase.migrate(path: directory.path("offers.sqlite"))
        let database = try SQLiteDatabase(
            path: directory.path("offers.sqlite"),
            limits: SQLiteDatabase.Limits(writes: WriteLimits(waiting: waitingWrites, patience: patience)))
        let statements = RecordedStatements()
        let clock = TestClock(start)
        let root = try LocalRoot.make(now: start)
        let verifier = try AppStoreChainVerifier(additionalRoots: [
            .localTesting: [root.rootDER], .sandbox: [root.rootDER],
        ])
        let apps = try [scope, otherApp].map { scope in
            let key = try OpenSSLSigningKey.generate(
                toNewFile: directory.path("\(scope.bundleId).p8"), keyId: "LOCALTEST1")
            let sandboxKey = try OpenSSLSigningKey.generate(
                toNewFile: directory.path("\(scope.bundleId).Sandbox.p8"), keyId: "2X9R4HXF34")
            return RegisteredApp(
                bundleId: scope.bundleId, appAppleId: nil, issuerId: AppleServers.issuerId,
                signingKeys: [.localTesting: key, .sandbox: sandboxKey, .production: sandboxKey],
                signsV1InSandbox: signsV1InSandbox, verifier: LocalRootInProduction(verifier),
                appStoreServers: try servers.clients(of: scope.bundleId, key: key, clock: clock))
        }
        let webhooks = WebhookRegistry([
            Webhook(
                name: "w", url: "https://example.com/events", secrets: [], events: [.offerIssued, .offerRefused],
                perSecond: 1, digest: OpenSSLDigest())
        ])
        let transport = servers.transport
        let customerTokens = CustomerTokens(clock: { clock.now }) { url in
            let request = AppStoreServerRequest(method: .get, url: url)
            let reply = try await transport.reply(to: request, withinMilliseconds: 5_000, atMostBytes: 65_536)
            return try JSONWebKeySet.keys(reply.body)
        }
        let useCases = UseCases(
            registry: AppRegistry(apps), database: RecordingDatabase(database, statements), digest: OpenSSLDigest(),
            random: random, rates: rates, webhooks: webhooks, customerTokens: customerTokens,
            timeZones: Self.timeZones, clock: { clock.now })
        let log = CapturedLog()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let settings = HTTPSettings(host: "127.0.0.1", port: 0, limits: limits, trustedProxies: trustedProxies)
        let application = OfferServer.application(
            useCases: useCases, settings: settings,
            logger: Logger(label: "test") { _ in CapturedLogHandler(log) },
            onListening: { bound, _ in port.yield(bound) })
        let services = ServiceGroup(
            services: [application], logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { port.finish() }
                try await services.run()
            }
            if let port = await ports.first(where: { _ in true }) {
                let service = ServiceFixture(
                    port: port, clock: clock, log: log, useCases: useCases, appStore: LocalAppStore(root: root),
                    root: root, apple: apple,
                    services: services, threads: settings.threads, directory: directory, database: database,
                    statements: statements)
                defer { Task { await services.triggerGracefulShutdown() } }
                try await body(service)
            }
            try await group.waitForAll()
        }
        try await RequestStatements.judge(statements, in: database)
        try database.close()
    }

    /// The id of the newest event of a type.
    func eventId(_ type: EventType) async throws -> String {
        let page = try await ask(
            "GET", "/v1/events?type=\(type.rawValue)&limit=200", token: try await token(.support))
        return (page.json["items"] as? [[String: Any]])?.last?["id"] as? String ?? page.text
    }

    /// Besides UTC the one of India, without its history.
    private static let timeZones = TimeZones { name in
        guard name == "Asia/Kolkata" else { return nil }
        return { _ in 19_800_000 }
    }

    /// A token of a new key.
    func token(
        _ role: Role, scope: Scope = ServiceFixture.scope, expiresAt: Instant? = nil, networks: [IPNetwork] = []
    ) async throws -> String {
        try await useCases.apiKeys.create(scope: scope, role: role, expiresAt: expiresAt, networks: networks).text
    }

    /// Asks with a token; a body is sent as JSON unless a header says otherwise.
    func ask(
        _ method: String, _ target: String, token: String? = nil, body: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> RawAnswer {
        var all = headers
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
            all.append(("Content-Type", "application/json"))
        }
        return try await RawHTTP.send(port: port, method, target, headers: all, body: body.map { Array($0.utf8) })
    }

    /// Changes the database behind the server's back, from another process.
    func sql(_ statement: String) throws {
        let program = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"
        let result = try Command.run("python3", ["-c", program, directory.path("offers.sqlite"), statement])
        guard result.status == 0 else { throw RawHTTP.Broken(reason: result.errorText) }
    }

    /// Holds the database, as another process that writes would, while the body runs.
    func whileLocked(_ body: () async throws -> RawAnswer) async throws -> RawAnswer {
        let other = try SQLiteDatabase(path: directory.path("offers.sqlite"))
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let end = DispatchSemaphore(value: 0)
        let lock = Task {
            try await other.write { _ in
                begin.yield()
                end.wait()
            }
        }
        _ = await begun.first { _ in true }
        let answer: Result<RawAnswer, any Error>
        do {
            answer = .success(try await body())
        } catch {
            answer = .failure(error)
        }
        end.signal()
        try await lock.value
        try other.close()
        return try answer.get()
    }

    /// The rows of a query, every column as text.
    func rows(_ query: String) throws -> [[String]] {
        let program = """
            import json, sqlite3, sys
            rows = sqlite3.connect(sys.argv[1]).execute(sys.argv[2])
            print(json.dumps([[str(column) for column in row] for row in rows]))
            """
        let result = try Command.run("python3", ["-c", program, directory.path("offers.sqlite"), query])
        guard result.status == 0 else { throw RawHTTP.Broken(reason: result.errorText) }
        return try JSONDecoder().decode([[String]].self, from: Data(result.output))
    }

    /// Puts the test catalog in force.
    func applyCatalog(scope: Scope = ServiceFixture.scope) async throws {
        let answer = try await ask(
            "PUT", "/v1/catalog", token: try await token(.marketing, scope: scope),
            body: TestCatalog.yaml.replacingOccurrences(of: "com.example.pro\n", with: "\(scope.bundleId)\n"),
            headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
        guard answer.status == 200 else { throw RawHTTP.Broken(reason: answer.text) }
    }
}

extension HTTPLimits {
    /// Deadlines that no busy machine misses: all servers and clients of the tests share two threads.
    static let patient: HTTPLimits = {
        var limits = HTTPLimits()
        for part in [\HTTPTimeouts.idle, \.headers, \.body, \.answer] { limits.patience[keyPath: part] = .seconds(300) }
        return limits
    }()
}

/// Trusts the local root in Production too, which the real verifier never does: so that it is the environment of the
/// data that a test refuses.
private struct LocalRootInProduction: SignedDataVerifier {
    private let verifier: any SignedDataVerifier

    init(_ verifier: any SignedDataVerifier) { self.verifier = verifier }

    func verify(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        try verifier.verify(jws, effectiveDate: date, environment: Self.played(environment))
    }

    func examine(
        _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) {
        try verifier.examine(jws, effectiveDate: date, environment: Self.played(environment))
    }

    func forOneRequest() -> any SignedDataVerifier { LocalRootInProduction(verifier.forOneRequest()) }

    private static func played(_ environment: AppStoreEnvironment) -> AppStoreEnvironment {
        environment == .production ? .sandbox : environment
    }
}

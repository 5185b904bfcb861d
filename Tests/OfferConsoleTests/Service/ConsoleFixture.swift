import Foundation
import LocalAppStore
import Logging
import OfferAPI
import OfferApplication
import OfferConsole
import OfferHTTP
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import SQLiteStore
import ServiceLifecycle
import Testing

/// A server with the console on a free port: a real database file, real keys, a local App Store.
struct ConsoleFixture: Sendable {
    static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)
    static let start = Instant(milliseconds: 1_780_000_000_000)

    let port: Int
    let clock: TestClock
    let useCases: UseCases
    let appStore: LocalAppStore
    /// What signs for it.
    let root: LocalRoot
    let database: SQLiteDatabase

    /// Starts a server, lets the body use it, and stops it.
    ///
    /// - Parameters:
    ///   - isOn: whether it has the console.
    ///   - alone: whether it has nothing else.
    ///   - webhooks: each answers with the status 500.
    ///   - proxyUsers: the people that a proxy signs in, with keys that are made here.
    ///   - own: what the process adds to the state of the server.
    static func run(
        isOn: Bool = true, alone: Bool = false, trustedProxies: [IPNetwork] = [],
        rates: RequestRates = RequestRates(.off), webhooks: [Webhook] = [],
        proxyUsers: (@Sendable (UseCases) async throws -> ProxyUsers)? = nil,
        own: @escaping @Sendable (inout ServerState) -> Void = { _ in },
        _ body: @escaping @Sendable (ConsoleFixture) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        try SQLiteDatabase.migrate(path: directory.path("offers.sqlite"))
        let database = try SQLiteDatabase(path: directory.path("offers.sqlite"))
        let statements = RecordedStatements()
        let clock = TestClock(start)
        let root = try LocalRoot.make(now: start)
        let key = try OpenSSLSigningKey.generate(toNewFile: directory.path("key.p8"), keyId: "LOCALTEST1")
        let app = RegisteredApp(
            bundleId: scope.bundleId, appAppleId: nil, issuerId: "57246542-96fe-1a63-e053-0824d011072a",
            signingKeys: [.localTesting: key],
            verifier: try AppStoreChainVerifier(additionalRoots: [.localTesting: [root.rootDER]]))
        let useCases = UseCases(
            registry: AppRegistry([app]), database: RecordingDatabase(database, statements), digest: OpenSSLDigest(),
            random: OpenSSLRandom(), rates: rates, webhooks: WebhookRegistry(webhooks),
            outlet: WebhookOutlet(sender: FailingReceiver(), clock: { clock.now }), timeZones: Self.timeZones,
            clock: { clock.now })
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var limits = HTTPLimits()
        for part in [\HTTPTimeouts.idle, \.headers, \.body, \.answer] { limits.patience[keyPath: part] = .seconds(300) }
        let users = try await proxyUsers?(useCases)
        let routes = ConsoleSite.routes(
            useCases, state: { await useCases.states.read(adding: own) }, proxyUsers: users, clock: { clock.now })
        let pages = isOn ? routes : nil
        let application = OfferServer.application(
            useCases: useCases,
            settings: HTTPSettings(host: "127.0.0.1", port: 0, limits: limits, trustedProxies: trustedProxies),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            further: pages, alone: alone,
            onListening: { bound, _ in port.yield(bound) })
        let services = ServiceGroup(
            services: [application], logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { port.finish() }
                try await services.run()
            }
            if let port = await ports.first(where: { _ in true }) {
                defer { Task { await services.triggerGracefulShutdown() } }
                try await body(
                    ConsoleFixture(
                        port: port, clock: clock, useCases: useCases, appStore: LocalAppStore(root: root), root: root,
                        database: database))
            }
            try await group.waitForAll()
        }
        let plans = try await database.write { transaction in
            try statements.all.map { try QueryPlan(of: $0, in: transaction) }
        }
        for plan in plans {
            for fault in plan.faults { Issue.record("a page runs a statement without an index: \(fault)\n\(plan.sql)") }
        }
        try database.close()
    }

    /// Those of Foundation.
    private static let timeZones = TimeZones { name in
        guard let zone = TimeZone(identifier: name) else { return nil }
        return { instant in
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000))) * 1_000
        }
    }

    func token(_ role: Role, scope: Scope = ConsoleFixture.scope, expiresAt: Instant? = nil) async throws -> String {
        try await useCases.apiKeys.create(scope: scope, role: role, expiresAt: expiresAt).text
    }

    /// A call of the API.
    func ask(
        _ method: String, _ target: String, token: String, body: String? = nil, more: [(String, String)] = []
    ) async throws -> [String: Any] {
        let type = more.contains { $0.0 == "Content-Type" } ? [] : [("Content-Type", "application/json")]
        let headers = [("Authorization", "Bearer \(token)")] + type + more
        let answer = try await Browser.send(port: port, method, target, headers, body: body)
        guard answer.status < 300 else { throw Browser.Broken(reason: answer.text) }
        return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
    }

    func applyCatalog() async throws {
        let yaml = TestCatalog.head + TestCatalog.comeback(to: "expired") + TestCatalog.either
        _ = try await ask(
            "PUT", "/v1/catalog", token: try await token(.marketing), body: yaml,
            more: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
    }

    /// Issues `comeback` to a customer who had a trial and paid twice, months ago.
    ///
    /// - Returns: the id of the issued offer.
    func issue(_ subscription: String, customerId: String = "ada") async throws -> String {
        let now = clock.now
        let signed = try appStore.sign(
            Scenario(
                bundleId: Self.scope.bundleId, environment: .localTesting,
                customer: ScenarioCustomer(
                    appTransactionId: AppTransactionId("app-\(subscription)"),
                    originalTransactionId: TransactionId(subscription)),
                steps: [
                    .trial(
                        product: "monthly", group: "21500001", at: .fixed(now.adding(months: -4)),
                        length: Period(days: 7), period: Period(months: 1),
                        price: Money(milliunits: 9_990, currency: "USD")),
                    .renew(times: 2), .cancel(at: .fixed(now.adding(months: -2))), .expire(),
                ]), now: now)
        let order: [String: Any] = [
            "offerId": "comeback", "customer": ["customerId": customerId], "historyComplete": true,
            "signedTransactions": signed.signedTransactions, "signedRenewalInfo": signed.signedRenewalInfo,
        ]
        let body = String(decoding: try JSONSerialization.data(withJSONObject: order), as: UTF8.self)
        let answer = try await ask("POST", "/v1/issued-offers", token: try await token(.client), body: body)
        return try #require(answer["issuedOfferId"] as? String)
    }

    // MARK: As a person at a browser

    /// A page, as a browser asks for it.
    func get(_ target: String, _ session: String? = nil, _ more: [(String, String)] = []) async throws -> Page {
        try await Browser.send(port: port, "GET", target, (session.map { [("Cookie", $0)] } ?? []) + more)
    }

    /// A form, as a browser sends it from a page of the console.
    ///
    /// - Parameter origin: where the form comes from, in the headers that say so.
    func post(
        _ target: String, _ fields: [(String, String)], _ session: String? = nil,
        origin: [(String, String)] = [("Sec-Fetch-Site", "same-origin")]
    ) async throws -> Page {
        let body = fields.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        return try await Browser.send(
            port: port, "POST", target,
            [("Content-Type", "application/x-www-form-urlencoded")] + origin
                + (session.map { [("Cookie", $0)] } ?? []), body: body)
    }

    /// The cookie of a new session.
    func signIn(
        _ token: String, name: String = "anna", headers: [(String, String)] = [("Sec-Fetch-Site", "same-origin")]
    ) async throws -> String {
        let answer = try await post(
            "/console/sign-in", [("token", token), ("name", name), ("next", "")], origin: headers)
        try #require(answer.status == 303, "\(answer.text)")
        return try #require(answer.cookie).pair
    }

    func signIn(_ role: Role = .support) async throws -> String { try await signIn(try await token(role)) }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// The actors of the audit's events of one kind.
    func actors(_ kind: String) async throws -> [String] {
        try await texts("SELECT actor FROM audit_event WHERE kind = '\(kind)' ORDER BY sequence")
    }

    /// The first column of a query.
    func texts(_ query: String) async throws -> [String] {
        try await database.read { try $0.rows(Statement(query)).map { try $0.value(0) } }
    }
}

private struct FailingReceiver: WebhookSender {
    func send(_ message: WebhookMessage) async -> WebhookReply { .status(500) }
}

import Foundation
import Metrics
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Synchronization

@testable import OfferApplication
@testable import OfferStore

/// A database with events, and a receiver that answers as a test says.
final class DeliveryBench: Sendable {
    static let start = Instant(milliseconds: 1_793_491_200_123)
    static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)

    let directory: TemporaryDirectory
    let database: any DatabaseDriver
    let clock = TestClock(start)
    /// Dates leases and attempts.
    let leaseClock = TestClock(start)
    let receiver = ScriptedReceiver()
    let notes = Mutex<[WebhookDelivery.Note]>([])

    init() throws {
        directory = try TemporaryDirectory()
        database = try TestStore(in: directory).open()
    }

    func webhook(
        events: Set<EventType> = Set(EventType.allCases), app: BundleId? = nil,
        environment: AppStoreEnvironment? = nil, perSecond: Int = 10_000
    ) -> Webhook {
        let digest = OpenSSLDigest()
        return Webhook(
            name: "example.com", url: "https://example.com/events",
            secrets: [digest.keyed(by: Array("a secret of 24 bytes ....".utf8), name: "webhook")], events: events,
            app: app, environment: environment, perSecond: perSecond, digest: digest)
    }

    /// A process that delivers; one that has seen the webhook before there are events.
    ///
    /// - Parameter database: instead of the bench's own.
    func process(
        _ holder: String = "one", _ webhook: Webhook? = nil, over database: (any StoreDatabase)? = nil,
        metrics: WebhookMetrics = WebhookMetrics(NOOPMetricsHandler.instance)
    ) async throws -> WebhookDelivery {
        let webhook = webhook ?? self.webhook()
        try await self.database.write { try WebhookStore($0).add(webhook.id) }
        return WebhookDelivery(
            webhook, database: database ?? self.database, sender: receiver, holder: holder,
            clock: { [clock] in clock.now }, realClock: { [leaseClock] in leaseClock.now }, metrics: metrics
        ) { [self] _, note in notes.withLock { $0.append(note) } }
    }

    /// Adds an event of a customer, and gives its id.
    @discardableResult
    func happen(
        _ type: EventType = .renewed, to customer: Int?, in scope: Scope = DeliveryBench.scope
    ) async throws -> EventId {
        let now = clock.now
        return try await database.write { transaction in
            let number = try ScopeStore(transaction).findOrAdd(scope)
            if let customer { try Self.add(customer, in: number, at: now, transaction) }
            let cause = "\(try StoreClock(transaction).newestSequence())"
            try EventStore(transaction).append(
                type, of: customer.map { TransactionId("\($0)") }, cause: cause, data: Array(#"{"a":1}"#.utf8), at: now,
                in: number)
            return EventId(at: now, sequence: try StoreClock(transaction).newestSequence())
        }
    }

    private static func add(
        _ customer: Int, in scope: ScopeNumber, at now: Instant, _ transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            Statement(
                """
                INSERT INTO customer (id, scope_id, rollout_key, first_stored_at, version) VALUES (?1, ?2, ?3, ?4, 0)
                ON CONFLICT DO NOTHING
                """, customer, scope, "\(customer)", now))
        try transaction.execute(
            Statement(
                """
                INSERT INTO customer_identifier VALUES (?1, 'originalTransactionId', ?2, ?3, 1, ?4, 'client', NULL)
                ON CONFLICT DO NOTHING
                """, scope, "\(customer)", customer, now))
    }

    func merge(_ customer: Int, into survivor: Int) async throws {
        try await database.write { transaction in
            try transaction.execute(
                Statement("UPDATE customer SET merged_into = ?1 WHERE id = ?2", survivor, customer))
            try transaction.execute(
                Statement(
                    "UPDATE customer_identifier SET customer_id = ?1 WHERE customer_id = ?2", survivor, customer))
        }
    }

    /// The rounds of a process do not end.
    struct Endless: Error {}

    /// Runs rounds until there is nothing more to do at once.
    func run(_ process: WebhookDelivery) async throws {
        for _ in 0..<1_000 where try await process.round() == false { return }
        throw Endless()
    }

    func state(_ webhook: Webhook? = nil) async throws -> WebhookState? {
        let id = (webhook ?? self.webhook()).id
        return try await database.read { try WebhookStore($0).state(id) }
    }

    func waiting() async throws -> Int {
        let id = webhook().id
        return try await database.read { try WebhookStore($0).waiting(id) }
    }
}

/// A receiver that notes what it gets.
final class ScriptedReceiver: WebhookSender {
    private struct State {
        var messages: [WebhookMessage] = []
        var answer: @Sendable (WebhookMessage) -> WebhookReply = { _ in .status(204) }
    }

    private let state = Mutex(State())

    func answer(_ answer: @escaping @Sendable (WebhookMessage) -> WebhookReply) {
        state.withLock { $0.answer = answer }
    }

    func send(_ message: WebhookMessage) async -> WebhookReply {
        let answer = state.withLock { state in
            state.messages.append(message)
            return state.answer
        }
        return answer(message)
    }

    var messages: [WebhookMessage] { state.withLock { $0.messages } }
    /// The ids of all attempts, in order.
    var ids: [String] { messages.map(\.id) }

    func forget() { state.withLock { $0.messages = [] } }
}

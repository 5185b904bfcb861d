package import OfferAPI
package import OfferModel
import OfferStore

/// Reads events and sends them again: `/v1/events`.
public struct EventFeed: Sendable {
    let database: any StoreDatabase
    let webhooks: WebhookRegistry
    let clock: RequestClock

    /// The next events after another, earliest first. The cursor of the next page is the id of the last one.
    ///
    /// - Parameter from: only those that occurred then or later.
    package func page(
        type: EventType?, from: Instant?, limit: Int, after: EventId?, caller: Caller
    ) async throws -> PageBody<EventBody> {
        try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                return PageBody(items: [], next: nil)
            }
            let start = try from.map { try Self.place(before: $0, in: number, transaction) } ?? 0
            // One more than asked for tells whether there is another page.
            let found = try EventStore(transaction).page(
                after: max(start, after?.sequence ?? 0), scope: number, types: type.map { [$0] }, limit: limit + 1)
            let shown = found.prefix(limit)
            var told = ToldEvents(transaction, at: try clock.instantOfLooking(transaction))
            return PageBody(
                items: try shown.map { try told.body(of: $0) },
                next: found.count > limit ? shown.last?.id.description : nil)
        }
    }

    /// A place before which every event is older. Events have no index by time, but their order is that of time.
    private static func place(
        before from: Instant, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> Int64 {
        var (low, high): (Int64, Int64) = (0, try StoreClock(transaction).newestSequence())
        while low < high {
            let middle = low + (high - low) / 2
            let next = try EventStore(transaction).page(after: middle, scope: scope, limit: 1).first
            if let next, next.occurredAt < from { low = next.sequence } else { high = middle }
        }
        return low
    }

    /// - Throws: `unknownEvent`.
    package func event(_ id: EventId, caller: Caller) async throws -> EventBody {
        try await database.read { transaction in
            var told = ToldEvents(transaction, at: try clock.instantOfLooking(transaction))
            return try told.body(of: Self.event(id, for: caller, transaction))
        }
    }

    /// Sends an event once more to every webhook that takes it.
    ///
    /// - Returns: to how many.
    /// - Throws: `unknownEvent`, `noWebhook`.
    package func resend(_ id: EventId, caller: Caller) async throws -> EventResendBody {
        let webhooks = webhooks.all
        return try await database.write { transaction in
            let event = try Self.event(id, for: caller, transaction)
            let takers = webhooks.filter { $0.takes(event.type, in: event.scope) }
            guard !takers.isEmpty else { throw RequestError.noWebhook(event.type) }
            let now = try clock.instantOfLooking(transaction)
            for webhook in takers {
                try WebhookStore(transaction).resend(
                    webhook.id, sequence: event.sequence, at: now,
                    until: now.adding(milliseconds: WebhookDelivery.patience))
            }
            return EventResendBody(webhooks: takers.count)
        }
    }

    private static func event(
        _ id: EventId, for caller: Caller, _ transaction: any StoreTransaction
    ) throws -> StoredEvent {
        guard let event = try EventStore(transaction).event(id), event.scope == caller.scope else {
            throw RequestError.unknownEvent(id)
        }
        return event
    }
}

/// Keeps the events that become due by themselves, such as the end of a trial (docs/events.md).
public struct DueEvents: Sendable {
    /// How many one transaction takes, so that no request waits long for it.
    static let limit = 200

    let ledger: Ledger
    let clock: RequestClock

    /// Keeps the next events that are due.
    ///
    /// - Returns: whether more may be due.
    /// - Throws: `clockBehind`, ``StoreError``, `CancellationError`; events that were kept stay kept.
    public func send() async throws -> Bool {
        let isDue = try await ledger.readInline { transaction in
            let now = try clock.instant(transaction)
            return try DueEventStore(transaction).next().map { $0 <= now } ?? false
        }
        guard isDue else { return false }
        return try await ledger.write(by: .service) { transaction in
            let now = try clock.instant(transaction)
            return try DueEventStore(transaction).send(at: now, limit: Self.limit) == Self.limit
        }
    }
}

/// Events as they are told at an instant: with the customer, and what they have, as known then. So a table that is kept
/// from the events is right once the last one has arrived, in whatever order they come.
struct ToldEvents {
    private let transaction: any StoreTransaction
    private let now: Instant
    private var statuses: [CustomerNumber: CustomerStatus] = [:]

    init(_ transaction: any StoreTransaction, at now: Instant) {
        self.transaction = transaction
        self.now = now
    }

    mutating func body(of event: StoredEvent) throws -> EventBody {
        EventBody(
            id: event.id.uuid, type: event.type, occurredAt: event.occurredAt, app: event.scope.bundleId,
            environment: event.scope.environment, customer: event.customer.map(KnownIdentifiers.init),
            status: event.type.changesStatus
                ? try event.customer.map { try status(of: $0, in: event.scope.environment) } : nil,
            data: try WireJSON.decode(JSONValue.self, from: event.data))
    }

    private mutating func status(
        of customer: StoredCustomer, in environment: AppStoreEnvironment
    ) throws -> CustomerStatus {
        if let known = statuses[customer.number] { return known }
        let status = CustomerStatus(
            of: customer.identifiers, try HistoryStore(transaction).history(of: [customer.number]), at: now,
            in: environment)
        statuses[customer.number] = status
        return status
    }
}

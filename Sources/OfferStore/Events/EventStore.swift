public import OfferModel

/// Something that happened, as it is told to the app's backend (docs/events.md).
public struct StoredEvent: Sendable, Hashable {
    /// Its place in the store-wide order, which is the order of commits: a reader that has come this far has missed
    /// nothing.
    public var sequence: Int64
    public var scope: Scope
    public var type: EventType
    /// When `offerd` recorded it.
    public var occurredAt: Instant
    /// The customer it is about, as known now; absent if it is about none, and once the customer's data was erased.
    public var customer: StoredCustomer?
    /// A JSON object whose members depend on the type.
    public var data: [UInt8]

    public var id: EventId { EventId(at: occurredAt, sequence: sequence) }
}

/// Every event, in the order of commits.
///
/// Issued offers, refusals and notifications are events by their own rows, so that they cost no other. What else
/// happens has rows of its own (docs/decisions/0057-events.md).
public struct EventStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// How long an event can be read, in milliseconds: 30 days.
    public static let life = 30 * Instant.Duration.day

    /// The next events after a place in the order, earliest first.
    ///
    /// - Parameters:
    ///   - scope: of this one only.
    ///   - types: of these types only.
    public func page(
        after sequence: Int64, scope: ScopeNumber? = nil, types: Set<EventType>? = nil, limit: Int
    ) throws -> [StoredEvent] {
        let start = max(sequence, try endOfLife())
        let found = try EventRows.all(of: types, in: scope).flatMap {
            try $0.read(transaction, after: start, in: scope, limit: limit)
        }
        return try complete(found.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    /// `nil` if there is no such event, or it can no longer be read.
    public func event(_ id: EventId) throws -> StoredEvent? {
        guard id.sequence > (try endOfLife()) else { return nil }
        for rows in EventRows.all() {
            let found = try rows.read(transaction, after: id.sequence - 1, limit: 1)
            guard let event = try complete(found[...]).first, event.id == id else { continue }
            return event
        }
        return nil
    }

    /// Adds an event that no row of the ledger tells, once for its cause; one that is known already adds nothing.
    ///
    /// - Parameters:
    ///   - subscription: the subscription that it is about; `nil` if it is about no customer.
    ///   - cause: identifies what happened among the events of this type and subscription.
    ///   - data: a JSON object.
    func append(
        _ type: EventType, of subscription: TransactionId?, cause: String, data: [UInt8], at now: Instant,
        in scope: ScopeNumber
    ) throws {
        let clock = StoreClock(transaction)
        try clock.advance(to: now)
        let sequence = try clock.nextSequence()
        try transaction.execute(
            """
            INSERT INTO event (sequence, scope_id, type, occurred_at, original_transaction_id, cause, data)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (scope_id, original_transaction_id, type, cause) DO NOTHING
            """, sequence, scope, type, now, subscription ?? "", cause, String(decoding: data, as: UTF8.self))
    }

    /// The events of a subscription that can be read.
    func causes(of subscription: TransactionId, in scope: ScopeNumber) throws -> [EventCause] {
        let causes: [(EventType, String)] = try transaction.all(
            "SELECT type, cause FROM event WHERE scope_id = ?1 AND original_transaction_id = ?2", scope, subscription)
        return causes.map { EventCause(type: $0, cause: $1) }
    }
}

/// What makes an event one of its subscription's.
struct EventCause: Hashable {
    let type: EventType
    let cause: String
}

extension EventType: Storable {}

// Who an event is about is looked up when it is read: a merge or an erasure since then counts.
extension EventStore {
    private func complete(_ rows: ArraySlice<EventRow>) throws -> [StoredEvent] {
        var scopes: [ScopeNumber: Scope] = [:]
        var customers: [CustomerNumber: (customer: StoredCustomer, erasedUpTo: Int64)?] = [:]
        return try rows.map { row in
            let scope = try scopes[row.scope] ?? ScopeStore(transaction).scope(row.scope)
            scopes[row.scope] = scope
            var event = StoredEvent(
                sequence: row.sequence, scope: scope, type: row.type, occurredAt: row.occurredAt, data: row.data)
            guard let number = row.customer else { return event }
            let survivor = try customers[number] ?? survivor(of: number)
            customers[number] = survivor
            if let survivor, row.sequence > survivor.erasedUpTo { event.customer = survivor.customer }
            return event
        }
    }

    /// Who a customer is now; events up to the last erasure are shown without them.
    private func survivor(of number: CustomerNumber) throws -> (customer: StoredCustomer, erasedUpTo: Int64)? {
        let survivor: (CustomerNumber, Int64?)? = try transaction.first(
            """
            SELECT s.id, s.erasure_sequence FROM customer c JOIN customer s ON s.id = COALESCE(c.merged_into, c.id)
            WHERE c.id = ?1
            """, number)
        guard let (number, erasure) = survivor,
            let customer = try CustomerStore(transaction).customers([number]).first
        else { return nil }
        return (customer, erasure ?? 0)
    }
}

// What is older than an event's life.
extension EventStore {
    private static let subject = "event"

    /// The place up to which events can no longer be read.
    private func endOfLife() throws -> Int64 {
        try transaction.retentionProgress(of: Self.subject)
    }

    /// Removes the next events whose life has ended, from the feed and, where they have rows of their own, from the
    /// store.
    ///
    /// - Returns: how many rows were removed, and whether there may be more.
    func removeOld(at now: Instant, atMost limit: Int) throws -> (removed: Int, isLast: Bool) {
        let start = try endOfLife()
        let end = now.adding(milliseconds: -Self.life)
        let next = try EventRows.all().flatMap { try $0.dates(transaction, after: start, limit: limit) }
            .sorted { $0.0 < $1.0 }.prefix(limit)
        let old = next.prefix { _, date in date <= end }
        guard let last = old.last?.0 else { return (0, true) }
        let removed = try transaction.changes(
            by: "DELETE FROM event WHERE sequence > ?1 AND sequence <= ?2", start, last)
        try transaction.noteRetention(of: Self.subject, upTo: last)
        return (removed, old.count < limit)
    }
}

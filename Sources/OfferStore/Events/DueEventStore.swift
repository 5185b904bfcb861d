public import OfferModel

/// When the next events of subscriptions are due, found by an index of dates: no history is searched for them.
public struct DueEventStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// When the next event is due; `nil` if none is.
    public func next() throws -> Instant? {
        try transaction.first("SELECT due_at FROM due_event ORDER BY due_at LIMIT 1")
    }

    func dates(of subscription: TransactionId, in scope: ScopeNumber) throws -> [DueEvent] {
        try transaction.all(
            "SELECT type, due_at, announced FROM due_event WHERE scope_id = ?1 AND original_transaction_id = ?2", scope,
            subscription
        ).map(DueEvent.init)
    }

    /// Replaces the dates of a subscription. What was sent already has none.
    ///
    /// - Parameter new: the events that are kept with it.
    func replace(
        of subscription: TransactionId, with due: [DueEvent], beside new: [EventCause], at now: Instant,
        in scope: ScopeNumber
    ) throws {
        let known = try dates(of: subscription, in: scope)
        let isAnyPast = due.contains { $0.dueAt <= now }
        let sent = Set(isAnyPast ? try EventStore(transaction).causes(of: subscription, in: scope) + new : [])
        // A subscription whose transactions name several groups has several ends: the last one counts.
        let latest = Dictionary(due.map { ($0.type, $0) }) { $0.announced < $1.announced ? $1 : $0 }
        let unsent = latest.values.filter { event in
            event.dueAt > now || !sent.contains(EventCause(type: event.type, cause: event.cause))
        }
        for event in known where !unsent.contains(event) {
            try remove(event.type, of: subscription, in: scope)
        }
        for event in unsent where !known.contains(event) {
            try transaction.execute(
                """
                INSERT INTO due_event (scope_id, original_transaction_id, type, due_at, announced)
                VALUES (?1, ?2, ?3, ?4, ?5)
                """, scope, subscription, event.type, event.dueAt, event.announced)
        }
    }

    private func remove(_ type: EventType, of subscription: TransactionId, in scope: ScopeNumber) throws {
        try transaction.execute(
            "DELETE FROM due_event WHERE scope_id = ?1 AND original_transaction_id = ?2 AND type = ?3", scope,
            subscription, type)
    }

    /// Takes what is due and keeps those events that still hold, each with its date's removal in one transaction: so
    /// each is kept once, however many processes look.
    ///
    /// - Parameters:
    ///   - policy: how long Apple tries to charge and gives grace.
    /// - Returns: how many dates were taken; fewer than the limit if nothing else is due.
    public func send(at now: Instant, limit: Int, policy: Policy = .standard) throws -> Int {
        let due: [(EventType, Instant, Instant, ScopeNumber, TransactionId)] = try transaction.all(
            """
            SELECT type, due_at, announced, scope_id, original_transaction_id FROM due_event
            WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2
            """, now, limit)
        var policies: [ScopeNumber: Policy] = [:]
        for (type, dueAt, announced, scope, subscription) in due {
            let policy =
                try policies[scope] ?? policy.scaled(for: ScopeStore(transaction).scope(scope).environment)
            policies[scope] = policy
            let event = DueEvent(type: type, dueAt: dueAt, announced: announced)
            try send(event, of: subscription, at: now, in: scope, policy)
        }
        return due.count
    }

    /// How long an event waits whose customer's history cannot be read, in milliseconds: it must not hold up others.
    private static let unreadableDelay = Instant.Duration.hour

    private func send(
        _ due: DueEvent, of subscription: TransactionId, at now: Instant, in scope: ScopeNumber, _ policy: Policy
    ) throws {
        do {
            let owner = try CustomerStore(transaction).customer(.originalTransactionId(subscription), in: scope)
            let history = try HistoryStore(transaction).history(of: owner.map { [$0] } ?? [])
            if let event = due.event(of: subscription, in: history, at: now, policy: policy) {
                try SubscriptionEvents(transaction: transaction, scope: scope, now: now)
                    .append(event, of: subscription)
            }
            try remove(due.type, of: subscription, in: scope)
        } catch StoreError.corruptFacts {
            try transaction.execute(
                """
                UPDATE due_event SET due_at = ?4
                WHERE scope_id = ?1 AND original_transaction_id = ?2 AND type = ?3
                """, scope, subscription, due.type, now.adding(milliseconds: Self.unreadableDelay))
        }
    }
}

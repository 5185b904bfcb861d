public import OfferModel

/// Where the delivery to one webhook is.
public struct WebhookState: Sendable, Hashable {
    /// The newest event that was delivered, dropped or put off.
    public var doneTo: Int64
    public var leaseHolder: String?
    public var leaseUntil: Instant?
    /// How often in a row no event could be delivered.
    public var failures: Int
    public var failingSince: Instant?
    /// Nothing is sent before.
    public var retryAt: Instant?
    public var succeededAt: Instant?

    public init(doneTo: Int64) {
        self.doneTo = doneTo
        failures = 0
    }

    /// Whether another process delivers.
    ///
    /// - Parameter lease: how long a lease is, in milliseconds. One with a much later end was taken before the clock
    ///   was set back.
    public func isLeased(fromOther holder: String, at now: Instant, for lease: Int64) -> Bool {
        guard let end = leaseUntil, leaseHolder != nil, leaseHolder != holder else { return false }
        return now < end && end.milliseconds(since: now) <= lease.saturatingMultiplied(by: 2)
    }
}

extension WebhookState: TableRow {
    static let blank = WebhookState(doneTo: 0)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("done_to", &doneTo)
        try columns("lease_holder", &leaseHolder)
        try columns("lease_until", &leaseUntil)
        try columns("failures", &failures, "CHECK (failures >= 0)")
        try columns("failing_since", &failingSince)
        try columns("retry_at", &retryAt)
        try columns("succeeded_at", &succeededAt)
    }
}

/// An event that is sent to a webhook later.
public struct WebhookRetry: Sendable, Hashable {
    public var sequence: Int64
    /// The customer whose later events wait for this one; `nil` if none do.
    public var customer: CustomerNumber?
    public var attempts: Int
    /// `nil` while it waits for an earlier event of its customer.
    public var nextAt: Instant?
    /// When it is dropped.
    public var expiresAt: Instant
    /// When the receiver refused it last.
    public var failedAt: Instant?

    public init(
        sequence: Int64, customer: CustomerNumber?, attempts: Int, nextAt: Instant?, expiresAt: Instant
    ) {
        self.sequence = sequence
        self.customer = customer
        self.attempts = attempts
        self.nextAt = nextAt
        self.expiresAt = expiresAt
    }
}

/// The changes of one round of sending to a webhook.
public struct WebhookProgress: Sendable, Hashable {
    public var state: WebhookState
    /// Retries that are over: delivered, dropped, or of events that no longer exist.
    public var finished: [WebhookRetry] = []
    /// Retries that are new, or were tried again.
    public var postponed: [WebhookRetry] = []
    /// Set after a success: retries that failed later than this are sent again at once, because their failures may have
    /// been the receiver's.
    public var wokenSince: Instant?

    public init(state: WebhookState) {
        self.state = state
    }
}

/// Reads and writes where the delivery to webhooks is (docs/decisions/0058).
public struct WebhookStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func state(_ id: String) throws -> WebhookState? {
        try transaction.first("SELECT \(WebhookState.list()) FROM webhook WHERE id = ?1", id)
    }

    /// Adds a webhook that gets the events from now on; one that is known stays as it is.
    public func add(_ id: String) throws {
        try transaction.execute(
            "INSERT INTO webhook (id, done_to, failures) VALUES (?1, ?2, 0) ON CONFLICT (id) DO NOTHING", id,
            try StoreClock(transaction).newestSequence())
    }

    /// Takes or extends the lease; `false` if another process has it.
    ///
    /// - Parameter takesOver: whether to take it then too.
    public func lease(
        _ id: String, to holder: String, until end: Instant, at now: Instant, takesOver: Bool = false
    ) throws -> Bool {
        try transaction.changes(
            by: """
                UPDATE webhook SET lease_holder = ?2, lease_until = ?3
                WHERE id = ?1 AND (lease_holder = ?2 OR lease_until IS NULL OR lease_until <= ?4
                    OR lease_until - ?4 > 2 * (?3 - ?4) OR ?5 = 1)
                """, id, holder, end, now, takesOver) == 1
    }

    public func release(_ id: String, by holder: String) throws {
        try transaction.execute(
            "UPDATE webhook SET lease_holder = NULL, lease_until = NULL WHERE id = ?1 AND lease_holder = ?2", id, holder
        )
    }

    /// Retries that are due, those that wait longest first.
    public func due(_ id: String, at now: Instant, limit: Int) throws -> [WebhookRetry] {
        try transaction.all(
            """
            \(Self.selectRetries) AND next_at IS NOT NULL AND next_at <= ?2 ORDER BY next_at, event_sequence LIMIT ?3
            """, id, now, limit
        ).map(WebhookRetry.init)
    }

    /// Of several retries that have failed since the last success, the one that was not tried for longest.
    ///
    /// - Parameters:
    ///   - success: the last one.
    ///   - pause: `nil` is returned if any was tried later than this.
    public func stalled(_ id: String, since success: Instant, before pause: Instant) throws -> WebhookRetry? {
        try transaction.first(
            """
            \(Self.selectRetries) AND next_at IS NOT NULL AND failed_at > ?2 AND (
                SELECT count(*) > 1 AND max(failed_at) <= ?3 FROM webhook_retry
                WHERE webhook_id = ?1 AND failed_at > ?2
            )
            ORDER BY failed_at, event_sequence LIMIT 1
            """, id, success, pause
        ).map(WebhookRetry.init)
    }

    private static let selectRetries = """
        SELECT event_sequence, customer_id, attempts, next_at, expires_at FROM webhook_retry WHERE webhook_id = ?1
        """

    public func waiting(_ id: String) throws -> Int {
        try transaction.first("SELECT count(*) FROM webhook_retry WHERE webhook_id = ?1", id) ?? 0
    }

    /// The places of the newest events that wait to be sent again.
    public func newestWaiting(_ id: String, limit: Int) throws -> [Int64] {
        try transaction.all(
            """
            SELECT event_sequence FROM webhook_retry WHERE webhook_id = ?1 ORDER BY event_sequence DESC LIMIT ?2
            """, id, limit)
    }

    /// The retries of events in a part of the order, by their places.
    public func retries(
        _ id: String, after start: Int64, upTo end: Int64
    ) throws -> [Int64: WebhookRetry] {
        let retries = try transaction.all(
            "\(Self.selectRetries) AND event_sequence > ?2 AND event_sequence <= ?3", id, start, end
        ).map(WebhookRetry.init)
        return Dictionary(retries.map { ($0.sequence, $0) }) { first, _ in first }
    }

    public func waitingCustomers(_ id: String) throws -> Set<CustomerNumber> {
        let customers: [CustomerNumber] = try transaction.all(
            "SELECT DISTINCT customer_id FROM webhook_retry WHERE webhook_id = ?1 AND customer_id IS NOT NULL", id)
        return Set(customers)
    }

    /// Whether customers with retries were merged into others.
    public func hasMerged(_ id: String) throws -> Bool {
        try transaction.row(
            """
            SELECT 1 FROM webhook_retry r JOIN customer c ON c.id = r.customer_id
            WHERE r.webhook_id = ?1 AND c.merged_into IS NOT NULL LIMIT 1
            """, id) != nil
    }

    /// Makes the retries of customers who were merged wait for the earliest of them.
    public func unite(_ id: String) throws {
        try transaction.execute(
            """
            UPDATE webhook_retry SET customer_id = c.merged_into
            FROM customer c WHERE webhook_id = ?1 AND c.id = customer_id AND c.merged_into IS NOT NULL
            """, id)
        try transaction.execute(
            """
            UPDATE webhook_retry AS r SET next_at = NULL
            WHERE webhook_id = ?1 AND next_at IS NOT NULL AND EXISTS (
                SELECT 1 FROM webhook_retry e
                WHERE e.webhook_id = ?1 AND e.customer_id = r.customer_id AND e.event_sequence < r.event_sequence
            )
            """, id)
    }

    /// Sends an event once more, beside the order of its customer's others.
    public func resend(_ id: String, sequence: Int64, at now: Instant, until end: Instant) throws {
        try add(id)
        try transaction.execute(
            """
            INSERT INTO webhook_retry (webhook_id, event_sequence, customer_id, attempts, next_at, expires_at)
            VALUES (?1, ?2, NULL, 0, ?3, ?4)
            ON CONFLICT (webhook_id, event_sequence) DO UPDATE SET
                attempts = 0,
                expires_at = CASE
                    WHEN webhook_retry.expires_at > excluded.expires_at THEN webhook_retry.expires_at
                    ELSE excluded.expires_at END,
                next_at = CASE WHEN webhook_retry.next_at IS NULL THEN NULL ELSE excluded.next_at END
            """, id, sequence, now, end)
    }

    /// - Returns: `false`, and nothing was written, if another process has taken the lease.
    public func save(_ progress: WebhookProgress, of id: String, by holder: String, at now: Instant) throws -> Bool {
        let state = progress.state
        let isHeld = try transaction.changes(
            by: """
                UPDATE webhook SET done_to = ?3, lease_until = ?4, failures = ?5, failing_since = ?6, retry_at = ?7,
                    succeeded_at = ?8
                WHERE id = ?1 AND lease_holder = ?2
                """, id, holder, state.doneTo, state.leaseUntil, state.failures, state.failingSince, state.retryAt,
            state.succeededAt)
        guard isHeld == 1 else { return false }
        for retry in progress.postponed {
            try transaction.execute(
                """
                INSERT INTO webhook_retry (
                    event_sequence, webhook_id, customer_id, attempts, next_at, expires_at, failed_at
                )
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (webhook_id, event_sequence) DO UPDATE SET
                    customer_id = COALESCE(webhook_retry.customer_id, ?3), attempts = ?4, next_at = ?5, failed_at = ?7
                """, retry.sequence, id, retry.customer, retry.attempts, retry.nextAt, retry.expiresAt, retry.failedAt)
        }
        for retry in progress.finished {
            try transaction.execute(
                // One that was sent again by hand meanwhile has a later end.
                """
                DELETE FROM webhook_retry WHERE webhook_id = ?1 AND event_sequence = ?2 AND expires_at <= ?3
                """, id, retry.sequence, retry.expiresAt)
        }
        for customer in Set(progress.finished.compactMap(\.customer)) { try promote(customer, of: id, at: now) }
        if let since = progress.wokenSince, since < now {
            // What failed beside a success is to blame itself.
            try transaction.execute(
                """
                UPDATE webhook_retry SET next_at = ?2
                WHERE webhook_id = ?1 AND next_at > ?2 AND failed_at > ?3 AND failed_at < ?4
                """, id, now, since, state.succeededAt)
        }
        return true
    }

    /// Lets the next event of a customer be sent.
    private func promote(_ customer: CustomerNumber, of id: String, at now: Instant) throws {
        try transaction.execute(
            """
            UPDATE webhook_retry SET next_at = COALESCE(next_at, ?3)
            WHERE webhook_id = ?1 AND event_sequence = (
                SELECT event_sequence FROM webhook_retry WHERE webhook_id = ?1 AND customer_id = ?2
                ORDER BY event_sequence LIMIT 1
            )
            """, id, customer, now)
    }
}

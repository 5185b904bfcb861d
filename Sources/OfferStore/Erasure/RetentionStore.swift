public import OfferModel

public struct RetentionStep: Sendable, Hashable {
    public var signatures = 0
    public var refusals = 0
    public var answers = 0
    public var notifications = 0
    public var events = 0
    public var settled = 0
    /// Whether texts stay because rows may have been recorded under another digest key than today's.
    public var isHeld = false
    public var isLast = true

    public var isEmpty: Bool { signatures == 0 && refusals == 0 && answers == 0 && notifications == 0 && events == 0 }
}

/// Removes what nothing needs any more, a few rows at a time. The only place that removes anything.
///
/// A text is replaced only by a digest that its row's event knows, which is taken with the key of that time: where the
/// digest key has changed since, texts stay, because the row could not be proven any more.
///
/// Rows of signatures and decisions stay, with their nonces, ids and dates: limits, redemptions, replay and counts rest
/// on them. Of their long texts, the audit's keyed digest stays, and an event tells how many there were. Of an issued
/// offer, its decisions and its history nothing is removed; issued offers that have passed are settled, as issuing
/// does, because their offer may never be issued again. Of a notification only its signed text goes, which no event
/// covers.
public struct RetentionStore {
    private let transaction: any StoreTransaction
    private let audit: AuditLog

    /// - Throws: ``StoreError/unrecorded`` in a transaction without an author.
    public init(_ transaction: any StoreTransaction) throws {
        self.transaction = transaction
        audit = try transaction.audit()
    }

    /// Looks at the next rows of each kind, and removes what is due among them.
    ///
    /// - Parameter limit: the maximum number of rows of each kind.
    public func step(_ terms: RetentionTerms, at now: Instant, limit: Int) throws -> RetentionStep {
        var step = RetentionStep()
        step.isHeld = try !SigningKeyLog(transaction).hadOnly(digestKey: audit.digestKey)
        if let life = terms.signatures, !step.isHeld {
            step.signatures = try removeSignatures(before: now.adding(milliseconds: -life), now, limit, &step.isLast)
        }
        if let life = terms.refusals, !step.isHeld {
            step.refusals = try remove(
                .refusals, of: .refusal, due: Self.isOldRefusal, now.adding(milliseconds: -life), now, limit,
                &step.isLast)
        }
        if let life = terms.answers {
            step.answers = try IdempotencyStore(transaction).clear(
                answeredBy: now.adding(milliseconds: -max(life, IdempotencyStore.life)), atMost: limit)
        }
        if let life = terms.notifications {
            step.notifications = try NotificationStore(transaction).removePayloads(
                receivedBy: now.adding(milliseconds: -life), at: now, atMost: limit)
        }
        let events = try EventStore(transaction).removeOld(at: now, atMost: limit)
        step.events = events.removed
        if !events.isLast { step.isLast = false }
        try SimulationStore(transaction).clear(at: now)
        step.settled = try IssuedOfferStore(transaction).settlePassed(at: now, limit: limit)
        if [step.answers, step.notifications, step.settled].contains(limit) { step.isLast = false }
        let erased = step.signatures + step.refusals
        if erased > 0 { audit.record(.retention, at: now, in: nil, after: ["erased": erased]) }
        return step
    }

    /// Of issued offers that no longer count: their signatures have expired, so none of them is returned again.
    private func removeSignatures(
        before cutoff: Instant, _ now: Instant, _ limit: Int, _ isLast: inout Bool
    ) throws -> Int {
        try remove(
            .signatures, of: .issuedOffer, due: "issued_at <= ?3 AND counts_until <= ?4", cutoff, now, limit, &isLast)
            + remove(
                .signatures, of: .signing,
                due: """
                    decided_at <= ?3
                    AND (SELECT counts_until FROM issued_offer o WHERE o.sequence = signing.issued_offer) <= ?4
                    """, cutoff, now, limit, &isLast)
            + remove(.signatures, of: .refusal, due: Self.isOldRefusal, cutoff, now, limit, &isLast)
    }

    private static let isOldRefusal = "decided_at <= ?3 AND ?4 = ?4"

    /// Replaces texts of the next rows of a table by their digests, until the first row of which they are not due.
    ///
    /// - Parameter condition: whether they are, `?3` being the last date of which they are, and `?4` now.
    private func remove(
        _ removed: RetentionSubject, of table: LedgerTable, due condition: String, _ cutoff: Instant, _ now: Instant,
        _ limit: Int, _ isLast: inout Bool
    ) throws -> Int {
        let columns = table.table.columns(removedWith: removed)
        let subject = "\(table.name).\(columns.joined(separator: ","))"
        let done = try transaction.retentionProgress(of: subject)
        let rows = try transaction.rows(
            """
            SELECT sequence, \(condition), \(columns.joined(separator: ", ")) FROM \(table.name)
            WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
            """, done, limit, cutoff, now)
        let due = try rows.prefix { try $0.value(1) }
        var removed = 0
        for row in due {
            removed += try transaction.redact(
                table, try row.value(0), columns, Array(row.values.dropFirst(2))
            ) { _ in audit }
        }
        guard let last: Int64 = try due.last?.value(0) else { return removed }
        try transaction.noteRetention(of: subject, upTo: last)
        if due.count == rows.count, rows.count == limit { isLast = false }
        return removed
    }
}

extension StoreTransaction {
    /// The place up to which retention has gone; 0 if it has not begun.
    func retentionProgress(of subject: String) throws -> Int64 {
        try first("SELECT done_to FROM retention_progress WHERE subject = ?1", subject) ?? 0
    }

    func noteRetention(of subject: String, upTo place: Int64) throws {
        try execute(
            """
            INSERT INTO retention_progress (subject, done_to) VALUES (?1, ?2)
            ON CONFLICT (subject) DO UPDATE SET done_to = ?2
            """, subject, place)
    }
}

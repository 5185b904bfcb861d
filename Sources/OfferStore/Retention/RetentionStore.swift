public import OfferModel

/// What one step of retention has removed and settled.
public struct RetentionStep: Sendable, Hashable {
    /// The `sequence` of each signature whose text was replaced by its digest.
    public var signatures: [Int64] = []
    /// The `sequence` of each refused decision whose record was replaced by its digest.
    public var refusals: [Int64] = []
    /// How many kept answers were deleted.
    public var answers = 0
    /// Of how many notifications the signed text was taken away.
    public var notifications = 0
    /// How many passed slots were taken off the counters of their offers.
    public var settled = 0
    /// Whether texts stay because rows may have been recorded under another digest key than today's.
    public var isHeld = false
    /// Whether nothing is due any more.
    public var isLast = true

    /// Whether anything was removed.
    public var isEmpty: Bool { signatures.isEmpty && refusals.isEmpty && answers == 0 && notifications == 0 }
}

/// Removes what nothing needs any more, a few rows at a time. The only place that removes anything.
///
/// A text is replaced only by a digest that its row's event knows, which is taken with the key of that time: where the
/// digest key has changed since, texts stay, because the row could not be proven any more.
///
/// Rows of signatures and decisions stay, with their nonces, ids and dates: limits, redemptions, replay and counts rest on
/// them. Of their long texts, the audit's keyed digest stays, and an event tells how many there were. Of a slot, its
/// decisions and its history nothing is removed; slots that have passed are settled, as issuing does, because nobody may
/// ever issue their offer again. Of a notification only its signed text goes, which no event covers.
public struct RetentionStore {
    private let transaction: any StoreTransaction
    private let audit: AuditLog

    /// - Throws: ``StoreError/unrecorded`` in a transaction that nobody signs for.
    public init(_ transaction: any StoreTransaction) throws {
        self.transaction = transaction
        audit = try AuditLog(transaction)
    }

    /// Looks at the next rows of each kind, and removes what is due among them.
    ///
    /// - Parameter limit: at most so many rows of each kind.
    /// - Throws: ``StoreError``.
    public func step(_ terms: RetentionTerms, at now: Instant, limit: Int) throws -> RetentionStep {
        var step = RetentionStep()
        step.isHeld = try !SigningKeyLog(transaction).hadOnly(digestKey: audit.digestKey)
        if let life = terms.signatures, !step.isHeld {
            step.signatures = try removeSignatures(before: now.adding(milliseconds: -life), now, limit, &step.isLast)
        }
        if let life = terms.refusals, !step.isHeld {
            step.refusals = try removeRefusals(before: now.adding(milliseconds: -life), now, limit, &step.isLast)
        }
        if let life = terms.answers {
            step.answers = try KeptAnswerStore(transaction).clear(
                answeredBy: now.adding(milliseconds: -max(life, KeptAnswerStore.life)), atMost: limit)
            if step.answers == limit { step.isLast = false }
        }
        if let life = terms.notifications {
            step.notifications = try NotificationStore(transaction).removePayloads(
                receivedBy: now.adding(milliseconds: -life), at: now, atMost: limit)
            if step.notifications == limit { step.isLast = false }
        }
        step.settled = try SlotStore(transaction).settlePassed(at: now, limit: limit)
        if step.settled == limit { step.isLast = false }
        let erased = step.signatures.count + step.refusals.count
        if erased > 0 { audit.record(.retention, at: now, in: nil, after: ["erased": erased]) }
        return step
    }

    /// Of slots that no longer count: their signatures are over, so nobody is handed one of them again.
    private func removeSignatures(
        before cutoff: Instant, _ now: Instant, _ limit: Int, _ isLast: inout Bool
    ) throws -> [Int64] {
        let rows = try transaction.rows(
            Statement(
                """
                SELECT s.sequence, s.signed_at, i.counts_until, s.artefact FROM signature s
                LEFT JOIN issued_offer i ON i.id = s.issued_offer_id
                WHERE s.sequence > ?1 ORDER BY s.sequence LIMIT ?2
                """, try progress(.signatures), limit))
        let due = try rows.prefix { row in
            let signedAt: Instant = try row.value(1)
            let countsUntil: Instant? = try row.value(2)
            return signedAt <= cutoff && countsUntil.map { $0 <= now } != false
        }
        var removed: [Int64] = []
        for row in due {
            let (sequence, artefact): (Int64, String) = (try row.value(0), try row.value(3))
            // What an erasure took away is not told again.
            if artefact.hasPrefix(RemovedText.prefix) { continue }
            let remains = try audit.remains(
                of: artefact.storedValue, column: "artefact", table: "signature", key: sequence.storedValue)
            try transaction.execute(
                Statement(
                    "UPDATE signature SET artefact = ?2, body_removed_at = ?3 WHERE sequence = ?1", sequence, remains,
                    now))
            removed.append(sequence)
        }
        try note(due, of: .signatures, among: rows, limit, &isLast)
        return removed
    }

    private func removeRefusals(
        before cutoff: Instant, _ now: Instant, _ limit: Int, _ isLast: inout Bool
    ) throws -> [Int64] {
        let rows = try transaction.rows(
            Statement(
                """
                SELECT sequence, decided_at, CASE WHEN kind = 'refusal' THEN body END FROM decision
                WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
                """, try progress(.refusals), limit))
        let passed = try rows.prefix { try $0.value(1, as: Instant.self) <= cutoff }
        var due: [StoredRow] = []
        for row in passed {
            guard let body = try row.value(2, as: String?.self), !body.hasPrefix(RemovedText.prefix) else { continue }
            due.append(row)
            let sequence: Int64 = try row.value(0)
            let remains = try audit.remains(
                of: body.storedValue, column: "body", table: "decision", key: sequence.storedValue)
            try transaction.execute(
                Statement(
                    "UPDATE decision SET body = ?2, body_removed_at = ?3 WHERE sequence = ?1", sequence, remains, now))
        }
        try note(passed, of: .refusals, among: rows, limit, &isLast)
        return try due.map { try $0.value(0) }
    }
}

// How far each kind has come: rows up to there are done, so none is looked at twice.
extension RetentionStore {
    private enum Kind: String, Storable {
        case signatures, refusals
    }

    private func progress(_ kind: Kind) throws -> Int64 {
        try transaction.row(Statement("SELECT done_to FROM retention_progress WHERE subject = ?1", kind))?.value(0) ?? 0
    }

    private func note(
        _ passed: some Collection<StoredRow>, of kind: Kind, among rows: [StoredRow], _ limit: Int, _ isLast: inout Bool
    ) throws {
        guard let last = try passed.map({ try $0.value(0, as: Int64.self) }).last else { return }
        try transaction.execute(
            Statement(
                """
                INSERT INTO retention_progress (subject, done_to) VALUES (?1, ?2)
                ON CONFLICT (subject) DO UPDATE SET done_to = ?2
                """, kind, last))
        if passed.count == rows.count, rows.count == limit { isLast = false }
    }
}

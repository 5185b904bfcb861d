public import OfferModel

/// The audit as the stores write it: every change of the ledger is an event in the transaction that makes it
/// (docs/design.md#issuing).
///
/// Events are gathered first and written at the transaction's end, so that a further signing and what it changes of the
/// issued offer are one event, and the head of the chain is read once.
public final class AuditLog {
    private struct Pending {
        var kind: AuditKind
        var at: Instant
        var scope: ScopeNumber?
        var issuedOffer: Int64?
        var before: AuditValues?
        var after: AuditValues?
        var rows: [LedgerRow.Reference]
    }

    private let author: AuditAuthor
    let digests: LedgerDigests
    private var pending: [Pending] = []
    var tally = RedemptionTally()

    var requestId: LowercaseUUID? { author.requestId }
    var digestKey: String { digests.keyed.name }

    init(author: AuditAuthor, digests: LedgerDigests) {
        self.author = author
        self.digests = digests
    }

    /// Records something without a row of its own.
    ///
    /// - Parameters:
    ///   - issuedOffer: the `sequence` of the issued offer whose state it changes.
    ///   - before: what changes, as it was: internal ids, times and digests, nothing personal.
    ///   - after: the same as it is now.
    public func record(
        _ kind: AuditKind, at now: Instant, in scope: ScopeNumber?, issuedOffer: Int64? = nil,
        before: AuditValues? = nil, after: AuditValues? = nil
    ) {
        pending.append(
            Pending(
                kind: kind, at: now, scope: scope, issuedOffer: issuedOffer, before: before, after: after, rows: []))
    }

    /// Records a new row, which the event covers from now on.
    ///
    /// - Parameter after: what else there is to tell; the row's own state is told without it, but for what holds
    ///   nothing.
    func record(
        _ kind: AuditKind, _ row: LedgerRow, at now: Instant, in scope: ScopeNumber?, before: AuditValues? = nil,
        after: AuditValues = [:]
    ) {
        let told = row.state.withoutNulls.merging(after)
        pending.append(
            Pending(
                kind: kind, at: now, scope: scope,
                issuedOffer: row.reference.table == LedgerTable.issuedOffer.name ? row.sequence : nil,
                before: before, after: told.members.isEmpty ? nil : told, rows: [row.reference]))
    }

    /// Covers a new row by the event that was told last.
    func cover(_ row: LedgerRow) {
        guard !pending.isEmpty else { return }
        pending[pending.count - 1].rows.append(row.reference)
    }

    /// The columns of a row that events tell of.
    ///
    /// - Parameter row: ``LedgerTable/stateList``, and perhaps more.
    func state(_ table: LedgerTable, _ row: StoredRow) throws -> AuditValues {
        guard row.values.count > table.state.count else {
            throw StoreError.corrupt("a row of `\(table.name)` has \(row.values.count) columns")
        }
        return digests.state(table, key: row.values[0], row.values[1...])
    }

    /// What text or bytes are replaced by when they are taken away: their keyed digest, by which the row still is what
    /// was recorded.
    ///
    /// Each text that is replaced has to be told: an event `retention` or `erasure` in the same transaction, whose
    /// `after` has the member `erased` with how many there were.
    ///
    /// - Parameters:
    ///   - column: one of the table's columns that may be erased.
    /// - Throws: ``StoreError/corrupt(_:)`` if the audit does not know the column as one that may be erased.
    func remains(of value: StoredValue, column: String, table: LedgerTable, key: StoredValue) throws -> StoredValue {
        guard let erasable = (table.covered + table.state).first(where: { $0.name == column && $0.isErasable }) else {
            throw StoreError.corrupt("`\(table.name).\(column)` is not a column that may be erased")
        }
        let remains = Redacted.prefix + Hexadecimal.lowercase(digests.value(value, of: erasable, table, key: key))
        if case .blob = value { return .blob(Array(remains.utf8)) }
        return .text(remains)
    }

    /// For digests alone, which are taken under the random bytes that lie in the database, as they were before the
    /// configuration had a key for them; what is told to it is never written.
    func salted(_ salt: [UInt8]) -> AuditLog {
        AuditLog(
            author: author,
            digests: LedgerDigests(
                digest: digests.digest, keyed: digests.digest.keyed(by: salt, name: SaltedDigest.name)))
    }

    func finish(_ transaction: any StoreTransaction) throws {
        guard !pending.isEmpty else { return }
        var head = try AuditHead.read(transaction)
        for told in pending {
            var event = AuditEvent(
                sequence: head.sequence + 1, kind: told.kind, actor: author.actor, at: told.at,
                requestId: author.requestId, scope: told.scope, issuedOffer: told.issuedOffer, digestKey: digestKey,
                before: told.before?.text, after: told.after?.text, rows: AuditEvent.text(told.rows),
                previousHash: head.hash)
            event.hash = try event.derivedHash(digests.digest)
            head = AuditHead(sequence: event.sequence, hash: event.hash)
            try transaction.insert(event, into: .auditEvent)
            transaction.memory?.contents.auditHead = head
        }
        pending = []
    }

    func news(_ transaction: any StoreTransaction) throws -> [RedemptionNews] {
        try tally.counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { number, counts in
            RedemptionNews(scope: try ScopeStore(transaction).scope(number), counts: counts)
        }
    }
}

extension StoreTransaction {
    /// The audit, which only a transaction of ``Ledger/write(by:_:)`` has, so that nothing changes the ledger
    /// unrecorded.
    ///
    /// - Throws: ``StoreError/unrecorded`` in a transaction without an author.
    public func audit() throws -> AuditLog {
        guard let recording else { throw StoreError.unrecorded }
        return recording
    }

    /// Inserts a row of a table that the audit covers, and records it.
    @inline(__always)
    func insert(
        _ kind: AuditKind, _ row: some LedgerRecord, at now: Instant, in scope: ScopeNumber?,
        before: AuditValues? = nil, after: AuditValues = [:]
    ) throws {
        try audit().record(kind, try insert(row), at: now, in: scope, before: before, after: after)
    }

    /// - Returns: what the audit has to record of it.
    @inline(__always)
    func insert<Row: LedgerRecord>(_ row: Row) throws -> LedgerRow {
        let values = try row.stored()
        try execute(Statement(Row.ledger.table.insertSQL, values: values))
        // As they were bound: nothing is filled in, and a `STRICT` table keeps what it is given or refuses it.
        return try audit().digests.row(Row.ledger, values)
    }
}

struct AuditHead: Hashable {
    /// 0 if there is none.
    var sequence: Int64
    var hash: [UInt8]

    static func read(_ transaction: any StoreTransaction) throws -> AuditHead {
        if let known = transaction.memory?.contents.auditHead { return known }
        let newest: (Int64, [UInt8])? = try transaction.first(
            "SELECT sequence, hash FROM audit_event WHERE sequence > 0 ORDER BY sequence DESC LIMIT 1")
        let (sequence, hash) = newest ?? (0, AuditEvent.origin)
        let head = AuditHead(sequence: sequence, hash: hash)
        transaction.memory?.contents.auditHead = head
        return head
    }
}

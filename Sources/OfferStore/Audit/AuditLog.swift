public import OfferModel

/// The audit as the stores write it: every change of the ledger is an event in the transaction that makes it.
///
/// It can only be had in a transaction of ``Ledger/write(by:_:)``, so what changes the ledger cannot do it unrecorded.
public struct AuditLog {
    private let recording: AuditRecording

    /// The audit of a transaction.
    ///
    /// - Throws: ``StoreError/unrecorded`` in a transaction without an author.
    public init(_ transaction: any StoreTransaction) throws {
        guard let recording = transaction.recording else { throw StoreError.unrecorded }
        self.recording = recording
    }

    /// Records something without a row of its own.
    ///
    /// - Parameters:
    ///   - issuedOffer: the `sequence` of the slot whose state it changes.
    ///   - before: what changes, as it was: internal ids, times and digests, nothing personal.
    ///   - after: the same as it is now.
    public func record(
        _ kind: AuditKind, at now: Instant, in scope: ScopeNumber?, issuedOffer: Int64? = nil,
        before: AuditValues? = nil, after: AuditValues? = nil
    ) {
        recording.append(
            AuditRecording.Pending(
                kind: kind, at: now, scope: scope, issuedOffer: issuedOffer, before: before, after: after, rows: []))
    }

    /// Records a new row, which the event covers from now on.
    ///
    /// - Parameters:
    ///   - inserted: the row's ``LedgerTable/columns`` as they were bound, all of them: nothing is filled in, and a
    ///     `STRICT` table keeps what it is given or refuses it.
    ///   - after: what else there is to tell; the row's own state is told without it, but for what holds nothing.
    func record(
        _ kind: AuditKind, _ table: LedgerTable, inserted: [StoredValue], at now: Instant, in scope: ScopeNumber?,
        before: AuditValues? = nil, after: AuditValues = [:]
    ) throws {
        let row = try recording.digests.row(table, inserted)
        let told = row.state.withoutNulls.merging(after)
        recording.append(
            AuditRecording.Pending(
                kind: kind, at: now, scope: scope,
                issuedOffer: table.name == LedgerTable.issuedOffer.name ? row.sequence : nil, before: before,
                after: told.members.isEmpty ? nil : told, rows: [row.reference]))
    }

    /// The same of a row as `INSERT … RETURNING` ``LedgerTable/columns`` gave it.
    func record(
        _ kind: AuditKind, _ table: LedgerTable, inserted: StoredRow?, at now: Instant, in scope: ScopeNumber?,
        before: AuditValues? = nil, after: AuditValues = [:]
    ) throws {
        guard let inserted else { throw StoreError.corrupt("a new row of `\(table.name)` is missing") }
        try record(kind, table, inserted: inserted.values, at: now, in: scope, before: before, after: after)
    }

    /// Covers a new row by the event that was told last.
    func cover(_ table: LedgerTable, inserted: [StoredValue]) throws {
        recording.cover(try recording.digests.row(table, inserted))
    }

    /// The columns of a row that events tell of.
    ///
    /// - Parameter row: ``LedgerTable/stateColumns``, and perhaps more.
    func state(_ table: LedgerTable, _ row: StoredRow) throws -> AuditValues {
        guard row.values.count > table.state.count else {
            throw StoreError.corrupt("a row of `\(table.name)` has \(row.values.count) columns")
        }
        return recording.digests.state(table, key: row.values[0], row.values[1...])
    }

    var digestKey: String { recording.digests.keyed.name }

    /// What a text is replaced by when it is taken away: its keyed digest, by which the row still is what was recorded.
    ///
    /// Each text that is replaced has to be told: an event `retention` or `erasure` in the same transaction, whose `after`
    /// has the member `erased` with how many there were.
    ///
    /// - Parameters:
    ///   - column: one of the table's columns that may be erased.
    /// - Throws: ``StoreError/corrupt(_:)`` if the audit does not know the column as one that may be erased.
    public func remains(of value: StoredValue, column: String, table: String, key: StoredValue) throws -> String {
        guard let known = LedgerTable.named(table),
            known.erasable.contains(column) || known.state.contains(where: { $0.name == column && $0.isErasable })
        else { throw StoreError.corrupt("`\(table).\(column)` is no column that may be erased") }
        return recording.digests.remainsText(of: value, column: column, known, key: key)
    }

    func keyedDigest(of bytes: [UInt8]) -> [UInt8] { recording.digests.keyed.digest(of: bytes) }

    /// The same log, with digests taken under the random bytes that lie in the database, as they were before the
    /// configuration had a key for them.
    func salted(_ salt: [UInt8]) -> AuditLog { AuditLog(recording: recording.salted(salt)) }

    private init(recording: AuditRecording) {
        self.recording = recording
    }
}

/// The events of one writing transaction, written at its end (docs/design.md#issuing).
///
/// They are gathered first, so that a further signing and what it changes of the issued offer are one event, and the head of
/// the chain is read once.
public final class AuditRecording {
    /// An event before it has its place in the chain.
    struct Pending {
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

    init(author: AuditAuthor, digests: LedgerDigests) {
        self.author = author
        self.digests = digests
    }

    /// For digests alone; what is told to it is never written.
    func salted(_ salt: [UInt8]) -> AuditRecording {
        AuditRecording(
            author: author,
            digests: LedgerDigests(digest: digests.digest, keyed: SaltedDigest(digest: digests.digest, salt: salt)))
    }

    func append(_ event: Pending) {
        pending.append(event)
    }

    func cover(_ row: LedgerRow) {
        guard !pending.isEmpty else { return }
        pending[pending.count - 1].rows.append(row.reference)
    }

    func finish(_ transaction: any StoreTransaction) throws {
        guard !pending.isEmpty else { return }
        var head = try AuditHead.read(transaction)
        for event in pending {
            head = try insert(event, after: head, transaction)
        }
        pending = []
    }

    func news(_ transaction: any StoreTransaction) throws -> [RedemptionNews] {
        try tally.counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { number, counts in
            RedemptionNews(scope: try ScopeStore(transaction).scope(number), counts: counts)
        }
    }

    private func insert(
        _ pending: Pending, after head: AuditHead, _ transaction: any StoreTransaction
    ) throws -> AuditHead {
        let event = AuditEvent(
            sequence: head.sequence + 1, kind: pending.kind, actor: author.actor, at: pending.at,
            requestId: author.requestId, scope: pending.scope, issuedOffer: pending.issuedOffer,
            digestKey: digests.keyed.name, before: pending.before?.text, after: pending.after?.text,
            rows: AuditEvent.text(pending.rows), previousHash: head.hash)
        var values = event.values
        let hash = AuditEvent.hash(values, digests.digest)
        values.append(hash.storedValue)
        try transaction.execute(AuditEvent.insertSQL, values: values)
        let head = AuditHead(sequence: event.sequence, hash: hash)
        transaction.memory?.contents.auditHead = head
        return head
    }
}

struct AuditHead: Hashable {
    /// 0 if there is none.
    var sequence: Int64
    var hash: [UInt8]

    static func read(_ transaction: any StoreTransaction) throws -> AuditHead {
        if let known = transaction.memory?.contents.auditHead { return known }
        let row = try transaction.row(
            "SELECT sequence, hash FROM audit_event WHERE sequence > 0 ORDER BY sequence DESC LIMIT 1")
        let head =
            try row.map { AuditHead(sequence: try $0.value(0), hash: try $0.value(1)) }
            ?? AuditHead(sequence: 0, hash: AuditEvent.origin)
        transaction.memory?.contents.auditHead = head
        return head
    }
}

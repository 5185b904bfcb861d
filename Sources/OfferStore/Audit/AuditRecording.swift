import OfferModel

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
    private let digests: LedgerDigests
    private var pending: [Pending] = []
    /// What becomes known about uses of offers.
    var tally = RedemptionTally()

    /// The request that the transaction is made for.
    var requestId: LowercaseUUID? { author.requestId }

    /// The name of the key that digests are taken with.
    var digestKey: String { digests.keyed.name }

    init(author: AuditAuthor, digests: LedgerDigests) {
        self.author = author
        self.digests = digests
    }

    func row(_ table: LedgerTable, _ values: [StoredValue]) throws -> LedgerRow {
        try digests.row(table, values)
    }

    func state(_ table: LedgerTable, _ values: [StoredValue]) -> AuditValues {
        digests.state(table, key: values[0], values[1...])
    }

    func remains(of value: StoredValue, column: String, _ table: LedgerTable, key: StoredValue) -> String {
        digests.remainsText(of: value, column: column, table, key: key)
    }

    func keyedDigest(of bytes: [UInt8]) -> [UInt8] { digests.keyed.digest(of: bytes) }

    /// For digests alone; what is told to it is never written.
    func salted(_ salt: [UInt8]) -> AuditRecording {
        AuditRecording(
            author: author,
            digests: LedgerDigests(digest: digests.digest, keyed: SaltedDigest(digest: digests.digest, salt: salt)))
    }

    func append(_ event: Pending) {
        pending.append(event)
    }

    /// Adds a row to the event that was told last.
    func cover(_ row: LedgerRow) {
        guard !pending.isEmpty else { return }
        pending[pending.count - 1].rows.append(row.reference)
    }

    /// Writes what was gathered.
    func finish(_ transaction: any StoreTransaction) throws {
        guard !pending.isEmpty else { return }
        var head = try AuditHead.read(transaction)
        for event in pending {
            head = try insert(event, after: head, transaction)
        }
        pending = []
    }

    /// What has become known about uses of offers, by app and environment.
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
        try transaction.execute(Statement(AuditEvent.insertSQL, values: values))
        let head = AuditHead(sequence: event.sequence, hash: hash)
        transaction.memory?.contents.auditHead = head
        return head
    }
}

/// The newest event.
struct AuditHead: Hashable {
    /// 0 if there is none.
    var sequence: Int64
    var hash: [UInt8]

    static func read(_ transaction: any StoreTransaction) throws -> AuditHead {
        if let known = transaction.memory?.contents.auditHead { return known }
        let row = try transaction.row(
            Statement("SELECT sequence, hash FROM audit_event WHERE sequence > 0 ORDER BY sequence DESC LIMIT 1"))
        let head =
            try row.map { AuditHead(sequence: try $0.value(0), hash: try $0.value(1)) }
            ?? AuditHead(sequence: 0, hash: AuditEvent.origin)
        transaction.memory?.contents.auditHead = head
        return head
    }
}

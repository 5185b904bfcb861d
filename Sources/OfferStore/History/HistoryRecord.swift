public import OfferModel

/// A decoded payload on its way into the history; the caller has verified it, or names its source.
public struct HistoryPayload: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case transaction(Transaction)
        case renewalInfo(RenewalInfo)
        case appTransaction(AppTransaction)
    }

    public let content: Content
    public let bytes: [UInt8]
    /// How it reached us; only proven ones may merge customers.
    public let provenance: Provenance

    public init(_ content: Content, bytes: [UInt8], provenance: Provenance) {
        self.content = content
        self.bytes = bytes
        self.provenance = provenance
    }

    /// The identifiers it holds together, the one that says whose it is first.
    var identifiers: [ProvenIdentifier] {
        let record = content.record
        let account = record.appTransactionId.map(ProvenIdentifier.appTransactionId)
        return [record.owner, account == record.owner ? nil : account].compactMap(\.self)
    }

    var appAccountToken: AppAccountToken? {
        content.record.appAccountToken
    }
}

public struct IngestedPayload: Sendable, Hashable {
    /// How it changed the current view: `unchanged` also for an older view than the one known, which is kept too;
    /// `refused` for an app transaction without `appTransactionId`, which names no owner and is not kept.
    public var outcome: IngestOutcome
    /// Its owner; `nil` if that is unknown, such as renewal info of an unknown subscription.
    public var customer: CustomerNumber?
}

/// A payload with a table of its own: its fields together as facts, and a column for each that is searched by.
protocol HistoryRecord: RecordRow, PayloadObject {
    static var sql: HistorySQL { get }
    /// The key of its current view; `nil` if it names no owner.
    var viewKey: String? { get }
    var owner: ProvenIdentifier? { get }
    var appTransactionId: AppTransactionId? { get }
    var appAccountToken: AppAccountToken? { get }
    /// When it was signed, which is none of its facts: copies that differ in it alone say the same.
    var viewDate: Instant { get set }
    /// Whether it matters although a newer one has replaced it.
    var isEvidence: Bool { get }
    /// Goes through the columns that are searched by.
    mutating func visit(columns: inout some ColumnVisitor) throws
}

extension HistoryRecord {
    static var blank: Self { Self() }
    var isEvidence: Bool { false }
    var appAccountToken: AppAccountToken? { nil }

    mutating func code(with coder: inout some RecordCoder) throws { try visit(&coder) }

    func facts() throws -> [UInt8] {
        var writer = RunWriter()
        try writer.append(self)
        return writer.bytes
    }
}

struct HistoryRow<Payload: HistoryRecord>: TableRow {
    var sequence: Int64
    var scope: ScopeNumber
    var provenance: Provenance
    var isProven: Bool
    var receivedAt: Instant
    var payload: Payload
    /// All that the payload says, packed.
    var facts: [UInt8]
    /// The payload as Apple signed it. It comes last, so that reading facts does not touch it.
    var bytes: [UInt8]

    static var blank: Self {
        Self(
            sequence: 0, scope: .blank, provenance: .caller, isProven: false, receivedAt: .distantPast, payload: .blank,
            facts: [], bytes: [])
    }

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("scope_id", &scope, "REFERENCES scope (id)")
        try columns("provenance", &provenance)
        try columns("is_proven", &isProven, "CHECK (is_proven IN (0, 1))")
        try columns("received_at", &receivedAt)
        try payload.visit(columns: &columns)
        try columns("facts", &facts, "CHECK (length(facts) > 0)")
        try columns("payload", &bytes)
    }
}

/// The statements of one history table. The payload is the last column: what reads only facts does not come to it.
struct HistorySQL {
    let table: Table
    /// The kind of the identifier that says whose a row is.
    let ownerKind: String
    /// Whether only an identifier of a verified transaction gives a proven row an owner. What an operator brings is of
    /// this app by their word, as their transactions are.
    let needsProvenOwner: Bool
    /// Rows of one view key: place, proven or not, date, same bytes, greater bytes.
    let views: String
    let selectOwned: String
    let hasGreaterPayload: String
    /// Owners in their order, from one on.
    let owners: String
    /// Every row of some customers that was stored by an instant, or was dated by then, whether or not a newer one has
    /// taken its place since.
    let selectKnown: ListedSQL
    /// Every row of some identifiers that was stored in a scope by a place in the store-wide order.
    let selectStored: ListedSQL
    private let same: ListedSQL
    private let deletion: ListedSQL

    init(
        _ table: Table, viewKey: String, viewDate: String, otherDates: [String] = [],
        owner: (column: String, kind: String), needsProvenOwner: Bool = false
    ) {
        self.table = table
        let table = table.name
        self.needsProvenOwner = needsProvenOwner
        ownerKind = owner.kind
        views = """
            SELECT sequence, is_proven, \(viewDate), payload = ?3, payload > ?3 FROM \(table)
            WHERE scope_id = ?1 AND \(viewKey) = ?2
            """
        selectOwned = """
            SELECT sequence, provenance, \(viewDate), facts FROM \(table) WHERE scope_id = ?1 AND \(owner.column) = ?2
            """
        hasGreaterPayload = """
            SELECT COALESCE(
                (SELECT payload FROM \(table) WHERE sequence = ?1) > (SELECT payload FROM \(table) WHERE sequence = ?2),
                EXISTS (SELECT 1 FROM \(table) WHERE sequence = ?1))
            """
        owners = """
            SELECT DISTINCT \(owner.column) AS value FROM \(table) WHERE scope_id = ?1 AND \(owner.column) >= ?2
            ORDER BY \(owner.column) LIMIT ?3
            """
        selectStored = ListedSQL(
            """
            SELECT sequence, provenance, \(viewDate), facts, payload FROM \(table)
            WHERE scope_id = ?1 AND sequence <= ?2 AND \(owner.column) IN (?*)
            """, after: 2)
        let isDated = ([viewDate] + otherDates).map { "h.\($0) <= ?1" }.joined(separator: " AND ")
        selectKnown = ListedSQL(
            """
            SELECT i.customer_id, h.sequence, h.provenance, h.\(viewDate), h.facts, h.payload FROM customer_identifier i
            JOIN \(table) h ON h.scope_id = i.scope_id AND h.\(owner.column) = i.value
            WHERE i.kind = '\(owner.kind)'\(needsProvenOwner ? " AND (i.is_proven = 1 OR h.is_proven = 0)" : "")
            AND (h.received_at <= ?1 OR \(isDated)) AND i.customer_id IN (?*)
            """, after: 1)
        same = ListedSQL("SELECT sequence FROM \(table) WHERE facts = ?1 AND sequence IN (?*)", after: 1)
        deletion = ListedSQL(
            """
            DELETE FROM \(table) WHERE sequence IN (?*) AND NOT EXISTS (
                SELECT 1 FROM customer_identifier i JOIN customer c ON c.id = i.customer_id
                WHERE i.scope_id = ?1 AND i.kind = '\(owner.kind)' AND i.value = ?2
                AND (c.issued_sequence > \(table).sequence OR EXISTS (
                    SELECT 1 FROM issued_offer o WHERE o.customer_id = c.id AND o.sequence > \(table).sequence))
            )
            """, after: 2)
    }

    /// The rows that have all the content of a payload, but for the date.
    func selectSame(as record: some HistoryRecord, among sequences: [Int64]) throws -> Statement {
        same.statement([.blob(try record.facts())], list: sequences.map(StoredValue.integer))
    }

    /// Deletes some rows of an owner's, but for those that an issued offer may rest on.
    func delete(_ sequences: [Int64], of owner: ProvenIdentifier, in scope: ScopeNumber) -> Statement {
        deletion.statement(.of(scope, owner.value), list: sequences.map(StoredValue.integer))
    }
}

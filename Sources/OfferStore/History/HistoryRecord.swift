import OfferModel

/// A payload with a table of its own: one typed column per field, so that reading parses nothing.
protocol HistoryRecord: Sendable, Hashable {
    /// The statements of its table.
    static var sql: HistorySQL { get }
    /// What its current view is kept by; `nil` if it names nobody.
    var viewKey: String? { get }
    /// When it was signed.
    var viewDate: Instant { get }
    /// Its fields in the order of ``HistorySQL/columns``.
    var columnValues: [StoredValue] { get }
    /// Reads its fields in that order.
    init(reading row: inout RowReader) throws
}

/// The statements of one history table.
struct HistorySQL {
    /// The columns of the payload's own fields.
    let columns: [String]
    /// Rows of one view key: place, proven or not, date, same bytes, greater bytes.
    let views: String
    let insert: String
    /// One row of a customer that names an offer; not for app transactions, which name none.
    let selectOffer: String
    private let selectOwned: String
    private let selectStart: String
    private let selectCurrent: ListedSQL
    private let signedBy: String
    private let dateColumn: Int?
    private let selectSame: String
    private let deleteStart: String
    private let unlessIssuedOn: String

    /// - Parameters:
    ///   - table: the table's name.
    ///   - columns: the columns of the payload's own fields.
    ///   - viewKey: the column its current view is kept by.
    ///   - viewDate: the column with the date of signing.
    ///   - owner: the column with the identifier that says whose it is, named like that identifier's kind.
    ///   - needsProvenOwner: whether only an identifier of a verified transaction makes a proven row somebody's. What an
    ///     operator brings is of this app by their word, as their transactions are.
    ///   - kept: which rows `h` matter although a newer one has taken their place.
    init(
        table: String, columns: [String], viewKey: String, viewDate: String, owner: (column: String, kind: String),
        needsProvenOwner: Bool = false, keeping kept: String? = nil
    ) {
        self.columns = columns
        let all = ["sequence", "scope_id", "provenance", "is_proven", "received_at", "payload"] + columns
        views = """
            SELECT sequence, is_proven, \(viewDate), payload = ?3, payload > ?3 FROM \(table)
            WHERE scope_id = ?1 AND \(viewKey) = ?2
            """
        insert = """
            INSERT INTO \(table) (\(all.joined(separator: ", ")))
            VALUES (\(Statement.placeholders(all.count)))
            """
        selectOffer = """
            SELECT 1 FROM customer_identifier i
            JOIN \(table) h ON h.scope_id = i.scope_id AND h.\(owner.column) = i.value
            WHERE i.kind = '\(owner.kind)' AND i.customer_id = ?1 AND h.offer_type IS NOT NULL LIMIT 1
            """
        let own = (["payload", "provenance", "sequence"] + columns).joined(separator: ", ")
        selectOwned = """
            SELECT \(own) FROM \(table) WHERE scope_id = ?1 AND sequence <= ?2 AND \(owner.column) IN (
            """
        let read = ["i.customer_id"] + (["payload", "provenance", "sequence"] + columns).map { "h.\($0)" }
        selectStart = """
            SELECT \(read.joined(separator: ", ")) FROM customer_identifier i
            JOIN \(table) h ON h.scope_id = i.scope_id AND h.\(owner.column) = i.value
            WHERE i.kind = '\(owner.kind)'\(needsProvenOwner ? " AND (i.is_proven = 1 OR h.is_proven = 0)" : "") AND i.customer_id IN (
            """
        let sameView =
            "n.scope_id = h.scope_id AND n.\(viewKey) = h.\(viewKey) AND n.\(owner.column) = h.\(owner.column)"
        let newer = { (condition: String) in
            "NOT EXISTS (SELECT 1 FROM \(table) n WHERE \(sameView) AND \(condition))"
        }
        // Each subquery is one look into the index. It begins at the row itself, which is passed over before its bytes are
        // asked for: they would have to be fetched from the table.
        // Nothing outranks what is proven by being proven; and what is nobody's yet hides nothing.
        let proven = newer("n.is_proven > h.is_proven\(needsProvenOwner ? " AND i.is_proven = 1" : "")")
        let later = newer(
            """
            n.is_proven = h.is_proven AND n.\(viewDate) >= h.\(viewDate) AND n.sequence <> h.sequence
            AND (n.\(viewDate) > h.\(viewDate) OR n.payload > h.payload)
            """)
        let isCurrent = "(h.is_proven = 1 OR \(proven)) AND \(later)"
        selectCurrent = ListedSQL(selectStart, ") AND (\(kept.map { "\($0) OR " } ?? "")\(isCurrent))")
        signedBy = ") AND h.\(viewDate) <= "
        dateColumn = columns.firstIndex(of: viewDate)
        let facts = columns.filter { $0 != viewDate }.enumerated().map { "\($0.element) IS ?\($0.offset + 1)" }
        selectSame = "SELECT sequence FROM \(table) WHERE \(facts.joined(separator: " AND ")) AND sequence IN ("
        deleteStart = "DELETE FROM \(table) WHERE sequence IN ("
        unlessIssuedOn = """
            ) AND NOT EXISTS (
                SELECT 1 FROM customer_identifier i JOIN customer c ON c.id = i.customer_id
                WHERE i.scope_id = ?1 AND i.kind = '\(owner.kind)' AND i.value = ?2
                AND c.issued_sequence > \(table).sequence
            )
            """
    }

    /// The rows that can matter of so many customers: of each view key the current one, and those kept beside it.
    func select(customers count: Int) -> String {
        selectCurrent(count)
    }

    /// Every row of so many customers that was signed by an instant, whether or not a newer one has taken its place since;
    /// the instant is the parameter after theirs.
    func selectSigned(customers count: Int) -> String {
        selectStart + Statement.placeholders(count) + signedBy + "?\(count + 1)"
    }

    /// Every row of so many identifiers, the parameters after the scope and the place up to which it was stored.
    func selectStored(identifiers count: Int) -> String {
        selectOwned + Statement.placeholders(count, after: 2) + ")"
    }

    /// Which of some rows say all that a payload says, but for the date.
    func selectSame(as payload: some HistoryRecord, among sequences: [Int64]) -> Statement {
        var values = payload.columnValues
        if let dateColumn { values.remove(at: dateColumn) }
        let sql = selectSame + Statement.placeholders(sequences.count, after: values.count) + ")"
        return Statement(sql, values: values + sequences.map(StoredValue.integer))
    }

    /// Deletes some rows of an owner's, but for those that an issued offer may rest on.
    func delete(_ sequences: [Int64], of owner: String, in scope: ScopeNumber) -> Statement {
        Statement(
            deleteStart + Statement.placeholders(sequences.count, after: 2) + unlessIssuedOn,
            values: [scope.storedValue, owner.storedValue] + sequences.map(StoredValue.integer))
    }
}

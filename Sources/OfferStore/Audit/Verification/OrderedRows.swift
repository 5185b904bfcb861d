import OfferModel

/// The rows of a table whose keys rise in the order of the events that cover them.
final class OrderedRows {
    private let table: LedgerTable
    private let transaction: any StoreTransaction
    private var pages: AuditPages
    /// Events that change slots of the page in hand, without those that issued them.
    private var changes: [Int64: [AuditEvent]] = [:]
    private(set) var count: Int64 = 0
    /// How many columns of these rows retention or an erasure removed.
    private(set) var erased: Int64 = 0
    private let told: ErasedRows

    init(_ table: LedgerTable, told: ErasedRows = ErasedRows(), _ transaction: any StoreTransaction) {
        self.table = table
        self.told = told
        self.transaction = transaction
        pages = AuditPages(table.columns, of: table.name, key: table.key, transaction)
        if table.name == LedgerTable.issuedOffer.name {
            pages.onPage = { [unowned self] in try readChanges(from: $0, through: $1) }
        }
    }

    /// Takes the next row, which an event covers.
    ///
    /// - Throws: ``BrokenRow`` if it is another row, or not as it was.
    func take(
        _ reference: LedgerRow.Reference, of event: AuditEvent, digests: (_ key: String) throws -> LedgerDigests
    ) throws {
        guard case .integer(let expected) = reference.key else {
            throw BrokenRow(
                "audit_event", .integer(event.sequence), "it covers a row of `\(table.name)` without number")
        }
        guard let row = try pages.peek(), try row.value(0) <= expected else {
            throw BrokenRow(table.name, reference.key, "it is missing; event \(event.sequence) tells of it")
        }
        let found: Int64 = try row.value(0)
        guard found == expected else { throw uncovered(found) }
        let read = try digests(event.digestKey).row(table, row.values)
        guard read.reference.digest == reference.digest else {
            throw BrokenRow(table.name, reference.key, "it is not the row that event \(event.sequence) tells of")
        }
        if table.name == LedgerTable.issuedOffer.name {
            try SlotHistory(transaction: transaction, events: changes[expected] ?? []).check(
                reference.key, issue: event
            ) { try digests($0).row(table, row.values).state }
        }
        _ = try pages.next()
        count += 1
        erased += Int64(read.erased.count)
        guard !told.holds(table.name, read.sequence) else { return }
        let removable = RetentionStore.columns(of: table.name)
        for column in read.erased where !removable.contains(column) {
            throw BrokenRow(table.name, reference.key, "its `\(column)` is gone, and no erasure names the row")
        }
    }

    /// - Throws: ``BrokenRow`` if a row is left that no event covers.
    func finish() throws {
        if let row = try pages.peek() { throw uncovered(try row.value(0)) }
    }

    private func uncovered(_ key: Int64) -> BrokenRow {
        BrokenRow(table.name, .integer(key), "no event tells of it; it was put in, or its event was cut off")
    }

    private func readChanges(from first: Int64, through last: Int64) throws {
        changes = [:]
        let rows = try transaction.rows(
            Statement(
                """
                SELECT \(AuditEvent.columns) FROM audit_event WHERE issued_offer BETWEEN ?1 AND ?2
                ORDER BY issued_offer, sequence
                """, first, last))
        for row in rows {
            let event = try AuditEvent.read(row).event
            guard event.kind != .issue, let slot = event.issuedOffer else { continue }
            changes[slot, default: []].append(event)
        }
    }
}

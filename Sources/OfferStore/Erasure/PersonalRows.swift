import OfferModel

/// One row about a customer, by its columns as they are named in the schema.
public struct PersonalRow: Sendable, Hashable {
    /// The columns in their order.
    public var columns: [String]
    /// Their values.
    public var values: [StoredValue]
}

/// Everything that is held about some customers, table by table.
public struct PersonalRows {
    private let transaction: any StoreTransaction
    private let scope: ScopeNumber
    /// The customers and those who were merged into them.
    private let customers: [CustomerNumber]

    /// What is held about customers.
    ///
    /// - Parameter customers: those who were merged into them included, see ``ErasureStore/chain(of:)``.
    public init(of customers: [CustomerNumber], in scope: ScopeNumber, _ transaction: any StoreTransaction) {
        self.transaction = transaction
        self.scope = scope
        self.customers = customers
    }

    /// The rows of one table, in the order of its first column.
    ///
    /// - Throws: ``StoreError``.
    public func rows(of table: PersonalTable) throws -> [PersonalRow] {
        let columns = table.columns.map(\.name)
        if table.name == "audit_event" { return try events(columns) }
        guard let condition = table.condition, !customers.isEmpty else { return [] }
        let waiting = try orWaiting(in: table)
        return try transaction.rows(
            Statement(
                """
                SELECT \(columns.map { "t.\($0)" }.joined(separator: ", ")) FROM \(table.name) t
                WHERE (\(condition.replacing(":customers", with: Statement.placeholders(customers.count, after: 1)))
                    \(waiting?.sql ?? ""))
                AND ?1 = ?1 ORDER BY 1
                """, values: [scope.storedValue] + customers.map(\.storedValue) + (waiting?.values ?? []))
        ).map { PersonalRow(columns: columns, values: $0.values) }
    }

    /// Renewal info that names the customers' Apple account belongs to them though its subscription is nobody's yet, and so
    /// does what notifications told of that.
    private func orWaiting(in table: PersonalTable) throws -> (sql: String, values: [StoredValue])? {
        guard ["history_renewal_info", "history_facts", "notification"].contains(table.name) else { return nil }
        let waiting = try PersonSearch(customers: customers, chain: customers, scope: scope, transaction: transaction)
            .renewalInfos(after: 0)
        guard !waiting.isEmpty else { return nil }
        let places = Statement.placeholders(waiting.count, after: 1 + customers.count)
        let named = { (kind: String, value: String) in
            """
            OR (t.scope_id = ?1 AND t.\(kind) = 'originalTransactionId' AND t.\(value) IN (
                SELECT original_transaction_id FROM history_renewal_info WHERE sequence IN (\(places))))
            """
        }
        let sql =
            switch table.name {
            case "notification": named("identifier_kind", "identifier")
            case "history_facts": named("kind", "value")
            default: "OR t.sequence IN (\(places))"
            }
        return (sql, waiting.map(\.storedValue))
    }

    /// Events that tell of a slot, a decision, a signature or a merge of the customers, or name one of them.
    private func events(_ columns: [String]) throws -> [PersonalRow] {
        let covered = try coveredRows()
        let slots = Set(covered[LedgerTable.issuedOffer.name] ?? [])
        let numbers = Set(customers.map(\.rawValue))
        var found: [PersonalRow] = []
        var pages = AuditPages(
            columns.joined(separator: ", "), of: "audit_event", key: "sequence", transaction)
        let at = Dictionary(columns.enumerated().map { ($1, $0) }) { first, _ in first }
        guard let slot = at["issued_offer"], let before = at["before_change"], let after = at["after_change"],
            let rows = at["ledger_rows"]
        else { return [] }
        while let row = try pages.next() {
            let isOfSlot = try row.value(slot, as: Int64?.self).map(slots.contains) ?? false
            let names = try [before, after].contains { place in
                guard let text = try row.value(place, as: String?.self), text.contains("\"customer\":") else {
                    return false
                }
                guard case .integer(let number)? = try AuditValues(text: text)["customer"] else { return false }
                return numbers.contains(number)
            }
            let covers = try AuditEvent.references(try row.value(rows)).contains { reference in
                guard case .integer(let key) = reference.key else { return false }
                return covered[reference.table]?.contains(key) ?? false
            }
            if isOfSlot || names || covers { found.append(PersonalRow(columns: columns, values: row.values)) }
        }
        return found
    }

    /// The keys of the rows that the audit covers.
    private func coveredRows() throws -> [String: Set<Int64>] {
        var keys: [String: Set<Int64>] = [:]
        for table in PersonalTable.all where LedgerTable.named(table.name)?.isOrdered == true {
            keys[table.name] = Set(
                try rows(of: table).compactMap { row in
                    if case .integer(let key)? = row.values.first { key } else { nil }
                })
        }
        return keys
    }
}

import OfferModel

/// One row about a customer, by its columns as they are named in the schema.
public struct PersonalRow: Sendable, Hashable {
    public var columns: [String]
    public var values: [StoredValue]

    /// The first column of a table whose rows are numbered.
    var number: Int64? { if case .integer(let number)? = values.first { number } else { nil } }
}

public struct PersonalRows {
    private let transaction: any StoreTransaction
    private let scope: ScopeNumber
    /// The customers and those who were merged into them.
    private let customers: [CustomerNumber]

    /// - Parameter customers: those who were merged into them included, see ``ErasureStore/chain(of:)``.
    public init(of customers: [CustomerNumber], in scope: ScopeNumber, _ transaction: any StoreTransaction) {
        self.transaction = transaction
        self.scope = scope
        self.customers = customers
    }

    public func rows(of table: Table) throws -> [PersonalRow] {
        let columns = table.columns.map(\.name)
        if table.name == "audit_event" { return try events(columns) }
        guard let condition = table.condition, !customers.isEmpty else { return [] }
        return try transaction.rows(
            """
            SELECT \(columns.map { "t.\($0)" }.joined(separator: ", ")) FROM \(table.name) t
            WHERE (\(condition) \(try orWaiting(in: table))) AND ?1 = ?1 ORDER BY 1, 2
            """, scope, list: customers.map(\.storedValue)
        ).map { PersonalRow(columns: columns, values: $0.values) }
    }

    /// Renewal info that names the customers' Apple account belongs to them though its subscription has no owner yet,
    /// and so do the notifications about that subscription.
    private func orWaiting(in table: Table) throws -> String {
        guard ["history_renewal_info", "history_facts", "notification"].contains(table.name) else { return "" }
        let waiting = try PersonSearch(chain: customers, scope: scope, transaction: transaction)
            .renewalInfos(after: 0).map(String.init).joined(separator: ", ")
        guard !waiting.isEmpty else { return "" }
        let named = { (kind: String, value: String) in
            """
            OR (t.scope_id = ?1 AND t.\(kind) = 'originalTransactionId' AND t.\(value) IN (
                SELECT original_transaction_id FROM history_renewal_info WHERE sequence IN (\(waiting))))
            """
        }
        return switch table.name {
        case "notification": named("identifier_kind", "identifier")
        case "history_facts": named("kind", "value")
        default: "OR t.sequence IN (\(waiting))"
        }
    }

    /// Events that tell of an issued offer, a decision, a signature or a merge of the customers, or name one of them.
    private func events(_ columns: [String]) throws -> [PersonalRow] {
        let covered = try coveredRows()
        let issuedOffers = Set(covered[LedgerTable.issuedOffer.name] ?? [])
        let numbers = Set(customers.map(\.rawValue))
        var found: [PersonalRow] = []
        var pages = AuditPages.events(transaction)
        while let row = try pages.next() {
            let event = try AuditEvent(row: row)
            let names = try [event.before, event.after].contains { text in
                guard let text, text.contains("\"customer\":") else { return false }
                guard case .integer(let number)? = try AuditValues(text: text)["customer"] else { return false }
                return numbers.contains(number)
            }
            let covers = try event.references().contains { reference in
                guard case .integer(let key) = reference.key else { return false }
                return covered[reference.table]?.contains(key) ?? false
            }
            if event.issuedOffer.map(issuedOffers.contains) ?? false || names || covers {
                found.append(PersonalRow(columns: columns, values: row.values))
            }
        }
        return found
    }

    private func coveredRows() throws -> [String: Set<Int64>] {
        var keys: [String: Set<Int64>] = [:]
        for table in Table.all where LedgerTable.named(table.name)?.key == "sequence" {
            keys[table.name] = Set(try rows(of: table).compactMap(\.number))
        }
        return keys
    }
}

/// Finds what names a customer without belonging to one: nothing in the row says whose it is, so it is looked through.
///
/// Both searches begin at a place in the order of arrival, so that the one in the writing transaction reads only what
/// is new.
struct PersonSearch {
    /// The customers and those who were merged into them.
    let chain: [CustomerNumber]
    let scope: ScopeNumber
    let transaction: any StoreTransaction
    /// How many decisions are read at once.
    var pageSize = 1_000

    /// Decisions about others that hold something of the customer: those that were made about them together, whose
    /// record holds the aliases and attributes of both, those that name a signed identifier of the customer, and
    /// those about an unknown customer that were requested with any of their identifiers.
    ///
    /// - Parameter first: only those stored after that place.
    func decisions(after first: Int64) throws -> [LedgerRowKey] {
        let chain = Set(chain)
        let proven: Set<Identifier<ProvenIdentifier>> = try values(of: "customer_identifier")
        let aliases: Set<Identifier<CustomerAlias>> = try values(of: "customer_alias")
        var found: [LedgerRowKey] = []
        let owners = [
            "issued_offer": "customer_id", "refusal": "customer_id",
            "signing": "(SELECT customer_id FROM issued_offer o WHERE o.sequence = signing.issued_offer)",
        ]
        for (table, owner) in owners.sorted(by: { $0.key < $1.key }) {
            let sql = """
                SELECT sequence, owner, record FROM (
                    SELECT sequence, scope_id, \(owner) AS owner, record FROM \(table)
                ) AS decided WHERE sequence > ?1 AND +scope_id = ?2 AND substr(record, 1, ?3) <> ?4
                AND (owner IS NULL OR owner NOT IN (\(numbers))) ORDER BY sequence LIMIT ?5
                """
            var (last, count) = (first, pageSize)
            while count == pageSize {
                count = 0
                let prefix = Array(Redacted.prefix.utf8)
                let page = Statement(sql, last, scope, prefix.count, prefix, pageSize)
                try transaction.each(page) { row in
                    (last, count) = (try row.value(0), count + 1)
                    let record = try DecisionRecord(stored: try row.value(2))
                    let isAsked = try row.isNull(1) && !record.askedAliases.isDisjoint(with: aliases)
                    if isAsked || !chain.isDisjoint(with: record.customers) || !record.names.isDisjoint(with: proven) {
                        found.append(LedgerRowKey(table: table, key: last))
                    }
                }
            }
        }
        return found
    }

    private var numbers: String { chain.map { "\($0.rawValue)" }.joined(separator: ", ") }

    /// Renewal infos that name the customer's Apple account, of subscriptions without an owner.
    func renewalInfos(after first: Int64) throws -> [Int64] {
        try transaction.all(
            """
            SELECT r.sequence FROM history_renewal_info r
            WHERE r.sequence > ?1 AND +r.scope_id = ?2 AND r.app_transaction_id IN (
                SELECT value FROM customer_identifier WHERE kind = 'appTransactionId'
                AND customer_id IN (?*)
            ) AND NOT EXISTS (
                SELECT 1 FROM customer_identifier i WHERE i.scope_id = r.scope_id
                AND i.kind = 'originalTransactionId' AND i.value = r.original_transaction_id
            )
            """, first, scope, list: chain.map(\.storedValue))
    }

    func sharing() throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(DISTINCT o.customer_id) FROM customer_alias a
            JOIN customer_alias o ON o.scope_id = a.scope_id AND o.kind = a.kind AND o.value = a.value
            JOIN customer c ON c.id = o.customer_id
            WHERE c.merged_into IS NULL AND a.customer_id IN (?*)
            AND o.customer_id NOT IN (\(numbers))
            """, list: chain.map(\.storedValue)) ?? 0
    }

    private func values<Kind>(of table: String) throws -> Set<Identifier<Kind>> {
        let values: [Identifier<Kind>] = try transaction.all(
            "SELECT DISTINCT value FROM \(table) WHERE scope_id = ?1 AND customer_id IN (?*)", scope,
            list: chain.map(\.storedValue))
        return Set(values)
    }
}

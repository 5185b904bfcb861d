import OfferModel

/// Finds what names a customer without belonging to one: nothing in the row says whose it is, so it is looked through.
///
/// Both searches begin at a place in the order of arrival, so that the one in the writing transaction reads only what is new.
struct PersonSearch {
    let customers: [CustomerNumber]
    let chain: [CustomerNumber]
    let scope: ScopeNumber
    let transaction: any StoreTransaction

    /// Decisions about others that hold something of the customer: those that were made about them together, whose record
    /// tells of the aliases and attributes of both, those that name a signed identifier of the customer, and those about
    /// nobody known that were asked for by any identifier of theirs.
    ///
    /// - Parameter first: only those stored after that place.
    func decisions(after first: Int64) throws -> [LedgerRowKey] {
        let chain = Set(chain)
        let proven = Set(try values(of: "customer_identifier").map(\.value))
        let aliases = Set(try values(of: "customer_alias").map(\.value))
        var found: [LedgerRowKey] = []
        let owners = [
            "issued_offer": "customer_id", "refusal": "customer_id",
            "signing": "(SELECT customer_id FROM issued_offer o WHERE o.sequence = signing.issued_offer)",
        ]
        for (table, owner) in owners.sorted(by: { $0.key < $1.key }) {
            let statement = Statement(
                """
                SELECT sequence, owner, record FROM (
                    SELECT sequence, scope_id, \(owner) AS owner, record FROM \(table)
                ) WHERE sequence > ?1 AND +scope_id = ?2 AND typeof(record) = 'blob'
                AND (owner IS NULL OR owner NOT IN (\(numbers)))
                """, first, scope)
            try transaction.each(statement) { row in
                let sequence: Int64 = try row.value(0)
                let record = try DecisionRecord(stored: try row.value(2))
                let isAsked = try row.isNull(1) && !record.askedAliases.isDisjoint(with: aliases)
                if isAsked || !chain.isDisjoint(with: record.customers) || !record.names.isDisjoint(with: proven) {
                    found.append(LedgerRowKey(table: table, key: sequence))
                }
            }
        }
        return found
    }

    private var numbers: String { chain.map { "\($0.rawValue)" }.joined(separator: ", ") }

    /// Renewal infos that name the customer's Apple account, of subscriptions that belong to nobody yet.
    func renewalInfos(after first: Int64) throws -> [Int64] {
        try transaction.rows(
            Statement(
                """
                SELECT r.sequence FROM history_renewal_info r
                WHERE r.sequence > ?1 AND +r.scope_id = ?2 AND r.app_transaction_id IN (
                    SELECT value FROM customer_identifier WHERE kind = 'appTransactionId'
                    AND customer_id IN (\(Statement.placeholders(chain.count, after: 2)))
                ) AND NOT EXISTS (
                    SELECT 1 FROM customer_identifier i WHERE i.scope_id = r.scope_id
                    AND i.kind = 'originalTransactionId' AND i.value = r.original_transaction_id
                )
                """, values: [.integer(first), scope.storedValue] + chain.map(\.storedValue))
        ).map { try $0.value(0) }
    }

    /// How many others have an alias of the customer.
    func sharing() throws -> Int {
        try transaction.row(
            Statement(
                """
                SELECT COUNT(DISTINCT o.customer_id) FROM customer_alias a
                JOIN customer_alias o ON o.scope_id = a.scope_id AND o.kind = a.kind AND o.value = a.value
                JOIN customer c ON c.id = o.customer_id
                WHERE c.merged_into IS NULL AND a.customer_id IN (\(Statement.placeholders(chain.count)))
                AND o.customer_id NOT IN (\(numbers))
                """, values: chain.map(\.storedValue))
        )?.value(0) ?? 0
    }

    private func values(of table: String) throws -> [(kind: String, value: String)] {
        try transaction.rows(
            Statement(
                """
                SELECT DISTINCT kind, value FROM \(table) WHERE scope_id = ?1
                AND customer_id IN (\(Statement.placeholders(chain.count, after: 1)))
                """, values: [scope.storedValue] + chain.map(\.storedValue))
        ).map { (kind: try $0.value(0), value: try $0.value(1)) }
    }
}

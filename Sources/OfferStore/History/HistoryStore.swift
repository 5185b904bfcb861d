public import OfferEligibility
public import OfferModel

/// The history of purchases: rows never change, and only copies that say nothing new are removed, see ``SignedCopies``.
public struct HistoryStore {
    let transaction: any StoreTransaction

    /// The history as this transaction sees it.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// What matters of everything known of these customers, united, with the least coverage of theirs (docs/design.md#identity).
    ///
    /// Of each transaction and app transaction that is the current view; of renewal info also every older one that names
    /// an offer, as evidence. It is read from ``HistoryFacts``, which have no payload's bytes.
    ///
    /// A customer known by aliases only is no Apple account of which more could be unknown, so beside proven customers
    /// it does not lessen the coverage.
    ///
    /// - Throws: ``StoreError``.
    public func history(of customers: [CustomerNumber]) throws -> History {
        guard !customers.isEmpty else { return History() }
        var history = History()
        var owners = Set<CustomerNumber>()
        try transaction.each(
            Statement(Self.selectFacts(customers.count), values: customers.map(\.storedValue))
        ) { columns in
            let isProven: Bool = try columns.value(1)
            var hasRows = false
            let isRead = try columns.withBytes(2) { hasRows = try history.add($0, ownerIsProven: isProven) }
            guard isRead else { throw StoreError.corruptFacts("`history_facts` holds no bytes") }
            if hasRows { owners.insert(try columns.value(0)) }
        }
        history.coverage = try coverage(of: customers, owners, asOf: .distantFuture)
        return history
    }

    private static let selectFacts = ListedSQL(
        """
        SELECT i.customer_id, i.is_proven, f.facts FROM customer_identifier i
        JOIN history_facts f ON f.scope_id = i.scope_id AND f.kind = i.kind AND f.value = i.value
        WHERE i.customer_id IN (
        """, ")")

    /// Everything of these customers that was signed by an earlier instant, united, with the least coverage stated by then.
    ///
    /// Every stored row and not only the current view, because what has taken a row's place since was not signed then. Who is one
    /// customer is as known now: a merge is not undone, nor what it took from the coverage.
    ///
    /// - Throws: ``StoreError``.
    public func history(of customers: [CustomerNumber], asOf instant: Instant) throws -> History {
        guard !customers.isEmpty else { return History() }
        var owners = Set<CustomerNumber>()
        var history = History(
            transactions: try signed(customers, by: instant, owners: &owners),
            renewalInfos: try signed(customers, by: instant, owners: &owners),
            appTransactions: try signed(customers, by: instant, owners: &owners))
        history.coverage = try coverage(of: customers, owners, asOf: instant)
        return history
    }

    private func signed<Payload: HistoryRecord>(
        _ customers: [CustomerNumber], by instant: Instant, owners: inout Set<CustomerNumber>
    ) throws -> [Recorded<Payload>] {
        let statement = Statement(
            Payload.sql.selectSigned(customers: customers.count),
            values: customers.map(\.storedValue) + [instant.storedValue])
        var found = owners
        defer { owners = found }
        return try statement.all(in: transaction) { row in
            found.insert(try row.next())
            return try Recorded(reading: &row)
        }
    }

    /// The least coverage of those who own what was found, or of all if nothing was.
    private func coverage(
        of customers: [CustomerNumber], _ owners: Set<CustomerNumber>, asOf instant: Instant
    ) throws -> Coverage {
        let statements = CoverageStore(transaction)
        return try (owners.isEmpty ? Set(customers) : owners).sorted()
            .map {
                try statements.coverage(of: $0, asOf: instant)
                    ?? Coverage(level: owners.contains($0) ? .partial : .none)
            }
            .min(by: CoverageStore.isLess) ?? .none
    }
}

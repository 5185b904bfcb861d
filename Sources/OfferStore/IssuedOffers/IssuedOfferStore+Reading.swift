public import OfferModel

extension IssuedOfferStore {
    public func issuedOffers(of customers: [CustomerNumber]) throws -> [IssuedOffer] {
        guard !customers.isEmpty else { return [] }
        return try Self.ofCustomersSQL.statement(list: customers.map(\.storedValue))
            .all(in: transaction) { try StoredIssuedOffer(reading: &$0).issuedOffer }
    }

    public func issuedOffers(to customer: CustomerNumber) throws -> [StoredIssuedOffer] {
        try transaction.all(
            "SELECT \(Self.columns) FROM issued_offer WHERE customer_id = ?1 ORDER BY issued_at, sequence",
            customer)
    }

    public func issuedOffer(_ id: LowercaseUUID, in scope: ScopeNumber) throws -> StoredIssuedOffer? {
        try transaction.first(
            "SELECT \(Self.columns) FROM issued_offer WHERE id = ?1 AND scope_id = ?2", id, scope)
    }

    /// The customers who got one of these offers under an account of the app that only its `customerId`
    /// names, if it may count for a limit at an instant, the earliest stored first. A request that also names an
    /// `appAccountToken` gives them the aliases.
    public func receivers(
        of offers: [OfferId], under account: CustomerId, at now: Instant, limit: Int, in scope: ScopeNumber
    ) throws -> [CustomerNumber] {
        try transaction.all(
            """
            SELECT DISTINCT customer_id FROM issued_offer
            WHERE scope_id = ?1 AND app_customer_id = ?2 AND app_account_token IS NULL
                AND (redemptions > 0 OR counts_until > ?3) AND (is_released = 0 OR redemptions > 0 OR voided_at > ?3)
                AND offer_id IN (?*)
            ORDER BY customer_id LIMIT ?4
            """, scope, account, now, limit, list: offers.map(\.storedValue))
    }

    /// The first issued offer of a catalog offer: since then its type and `offerIdentifier` are frozen
    /// (docs/catalog.md).
    public func firstIssued(of offer: OfferId, in scope: ScopeNumber) throws -> StoredIssuedOffer? {
        try transaction.first(
            """
            SELECT \(Self.columns) FROM issued_offer
            WHERE scope_id = ?1 AND offer_id = ?2 ORDER BY sequence LIMIT 1
            """, scope, offer)
    }

    /// A page of issued offers: those after a place in the store-wide order, from it on.
    ///
    /// - Parameters:
    ///   - customers: only theirs; `nil` for those of all customers.
    ///   - dates: only those issued in this range.
    ///   - descending: the newest first, and from the place back.
    public func page(
        of customers: [CustomerNumber]? = nil, offer: OfferId?, from first: Instant? = nil, to end: Instant? = nil,
        descending: Bool = false, after cursor: Int64?, limit: Int, in scope: ScopeNumber
    ) throws -> [StoredIssuedOffer] {
        // With `+` the scope is only checked, not searched by: a few customers' rows are not found by reading the whole
        // scope.
        var conditions = [
            customers == nil ? "scope_id = ?1" : "+scope_id = ?1", descending ? "sequence < ?2" : "sequence > ?2",
        ]
        var values: [StoredValue] = .of(scope, cursor ?? (descending ? .max : 0), limit)
        if let customers {
            conditions.append("customer_id IN (\(Statement.placeholders(customers.count, after: values.count)))")
            values += customers.map(\.storedValue)
        }
        func add(_ condition: String, _ value: some Storable) {
            values.append(value.storedValue)
            conditions.append("\(condition) ?\(values.count)")
        }
        if let offer { add("offer_id =", offer) }
        if let first { add("issued_at >=", first) }
        if let end { add("issued_at <", end) }
        let statement = Statement(
            """
            SELECT \(Self.columns) FROM issued_offer
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY sequence\(descending ? " DESC" : "") LIMIT ?3
            """, values: values)
        return try statement.all(in: transaction) { try StoredIssuedOffer(reading: &$0) }
    }

    static let ofCustomersSQL = ListedSQL(
        "SELECT \(columns) FROM issued_offer WHERE customer_id IN (?*) ORDER BY issued_at, sequence")

    static let columns = StoredIssuedOffer.list()

    /// The issued offers issued to these customers by an earlier instant, with the signings and the ends they had then,
    /// the earliest first. A void or an end recorded later is still on them, with its date.
    public func issuedOffers(of customers: [CustomerNumber], asOf instant: Instant) throws -> [IssuedOffer] {
        try issuedOffers(of: customers).filter { $0.issuedAt <= instant }.map { try withSignings(of: $0, by: instant) }
    }

    /// The row holds the newest end only; each earlier one was as long after its own signing.
    private func withSignings(of issuedOffer: IssuedOffer, by instant: Instant) throws -> IssuedOffer {
        guard issuedOffer.signings > 1 else { return issuedOffer }
        let later: [Instant] = try transaction.all(
            """
            SELECT s.decided_at FROM issued_offer o JOIN signing s ON s.issued_offer = o.sequence
            WHERE o.id = ?1 ORDER BY s.signing
            """, issuedOffer.id)
        let dates = [issuedOffer.issuedAt] + later
        let known = dates.filter { $0 <= instant }
        guard known.count < dates.count, let newest = known.last, let last = dates.last else { return issuedOffer }
        var earlier = issuedOffer
        let shortened = newest.milliseconds(since: last)
        earlier.signings = known.count
        earlier.expiresAt = issuedOffer.expiresAt.adding(milliseconds: shortened)
        earlier.countsUntil = issuedOffer.countsUntil.adding(milliseconds: shortened)
        return earlier
    }
}

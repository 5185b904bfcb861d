public import OfferModel

extension SlotStore {
    /// A page of issued offers in the order they were issued.
    ///
    /// - Parameters:
    ///   - offer: only of this one.
    ///   - first: only those issued then or later.
    ///   - end: only those issued before.
    ///   - cursor: the `sequence` of the last one of the page before.
    ///   - limit: at most so many.
    /// - Throws: ``StoreError``.
    public func page(
        offer: OfferId?, from first: Instant?, to end: Instant?, after cursor: Int64?, limit: Int,
        in scope: ScopeNumber
    ) throws -> [IssuedOffer] {
        var conditions = ["scope_id = ?1", "sequence > ?2"]
        var values = [scope.storedValue, .integer(cursor ?? 0), limit.storedValue]
        func add(_ condition: String, _ value: some Storable) {
            values.append(value.storedValue)
            conditions.append("\(condition) ?\(values.count)")
        }
        if let offer { add("offer_id =", offer) }
        if let first { add("issued_at >=", first) }
        if let end { add("issued_at <", end) }
        return try issuedOffers(
            Statement(
                """
                SELECT \(Self.issuedColumns) FROM issued_offer
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY sequence LIMIT ?3
                """, values: values))
    }
}

extension CustomerStore {
    /// Who these customers are now: themselves, or those they were merged into.
    ///
    /// - Throws: ``StoreError``.
    public func survivors(of customers: [CustomerNumber]) throws -> [CustomerNumber: CustomerNumber] {
        guard !customers.isEmpty else { return [:] }
        var survivors: [CustomerNumber: CustomerNumber] = [:]
        let rows = try transaction.rows(
            Statement(
                """
                SELECT id, COALESCE(merged_into, id) FROM customer
                WHERE id IN (\(Statement.placeholders(customers.count)))
                """, values: customers.map(\.storedValue)))
        for row in rows { survivors[try row.value(0)] = try row.value(1) }
        return survivors
    }

    /// Those who were merged into each of these customers; one into whom nobody was is left out.
    ///
    /// - Throws: ``StoreError``.
    public func merged(into customers: [CustomerNumber]) throws -> [CustomerNumber: [CustomerNumber]] {
        guard !customers.isEmpty else { return [:] }
        var merged: [CustomerNumber: [CustomerNumber]] = [:]
        let rows = try transaction.rows(
            Statement(
                """
                SELECT merged_into, id FROM customer
                WHERE merged_into IN (\(Statement.placeholders(customers.count)))
                """, values: customers.map(\.storedValue)))
        for row in rows { merged[try row.value(0), default: []].append(try row.value(1)) }
        return merged.mapValues { $0.sorted() }
    }
}

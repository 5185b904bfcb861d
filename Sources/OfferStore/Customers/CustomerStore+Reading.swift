import OfferModel

extension CustomerStore {
    /// These customers with all their identifiers, the earliest stored first; those merged away are left out.
    ///
    /// - Throws: ``StoreError``.
    public func customers(_ numbers: [CustomerNumber]) throws -> [StoredCustomer] {
        try Set(numbers).sorted().compactMap(read)
    }

    private func read(_ number: CustomerNumber) throws -> StoredCustomer? {
        let row = try transaction.row(
            Statement(
                "SELECT rollout_key, first_stored_at FROM customer WHERE id = ?1 AND merged_into IS NULL", number))
        guard let row else { return nil }
        return StoredCustomer(
            number: number, rolloutKey: try row.value(0), firstStoredAt: try row.value(1),
            originalTransactionIds: try identifiers("originalTransactionId", of: number),
            appTransactionIds: try identifiers("appTransactionId", of: number),
            appAccountTokens: try aliases("appAccountToken", of: number),
            customerIds: try aliases("customerId", of: number))
    }

    private func identifiers<Value: Storable & Comparable>(_ kind: String, of number: CustomerNumber) throws -> [Value]
    {
        try transaction.rows(
            Statement("SELECT value FROM customer_identifier WHERE customer_id = ?1 AND kind = ?2", number, kind)
        ).map { try $0.value(0) }.sorted()
    }

    private func aliases<Value: Storable & Comparable>(_ kind: String, of number: CustomerNumber) throws -> [Value] {
        try transaction.rows(
            Statement("SELECT value FROM customer_alias WHERE customer_id = ?1 AND kind = ?2", number, kind)
        ).map { try $0.value(0) }.sorted()
    }
}

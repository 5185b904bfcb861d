public import OfferModel

extension ImportStore {
    /// Remembers a customer of whom the operator says that nothing is missing, until all that is staged is applied.
    ///
    /// - Parameter accounts: the Apple Accounts that the source names; nobody has proven them.
    /// - Throws: ``StoreError``.
    public func remember(_ customer: CustomerNumber, accounts: [AppTransactionId], of run: ImportRun) throws {
        for account in [AppTransactionId("")] + accounts {
            try transaction.execute(
                Statement(
                    """
                    INSERT INTO import_customer (run_id, customer_id, app_transaction_id) VALUES (?1, ?2, ?3)
                    ON CONFLICT (run_id, customer_id, app_transaction_id) DO NOTHING
                    """, run.number, customer, account))
        }
    }

    /// The next remembered customers, in the order of their numbers.
    ///
    /// - Parameter limit: at most so many.
    /// - Throws: ``StoreError``.
    public func remembered(of run: ImportRun, after customer: Int64, limit: Int) throws -> [CustomerNumber] {
        try transaction.rows(
            Statement(
                """
                SELECT customer_id FROM import_customer
                WHERE run_id = ?1 AND customer_id > ?2 AND app_transaction_id = '' ORDER BY customer_id LIMIT ?3
                """, run.number, customer, limit)
        ).map { try $0.value(0) }
    }

    /// Whether the source or an alias hints that this customer is somebody else's too, which nobody has proven: then
    /// what is known of this one alone may lack what the other bought (invariant 3).
    ///
    /// - Throws: ``StoreError``.
    public func mayBeSomebodyElse(_ customer: CustomerNumber, of run: ImportRun) throws -> Bool {
        let byAccount = try transaction.row(
            Statement(
                """
                SELECT 1 FROM import_customer a
                WHERE a.run_id = ?1 AND a.customer_id = ?2 AND a.app_transaction_id <> '' AND EXISTS (
                    SELECT 1 FROM import_customer b
                    WHERE b.run_id = a.run_id AND b.app_transaction_id = a.app_transaction_id
                        AND b.app_transaction_id <> '' AND b.customer_id <> a.customer_id) LIMIT 1
                """, run.number, customer))
        if byAccount != nil { return true }
        let byKnownAccount = try transaction.row(
            Statement(
                """
                SELECT 1 FROM import_customer a
                WHERE a.run_id = ?1 AND a.customer_id = ?2 AND a.app_transaction_id <> '' AND EXISTS (
                    SELECT 1 FROM customer_identifier i
                    WHERE i.scope_id = (SELECT scope_id FROM import_run WHERE id = ?1)
                        AND i.kind = 'appTransactionId' AND i.value = a.app_transaction_id
                        AND i.customer_id <> a.customer_id) LIMIT 1
                """, run.number, customer))
        if byKnownAccount != nil { return true }
        return try transaction.row(
            Statement(
                """
                SELECT 1 FROM customer_alias a WHERE a.customer_id = ?1 AND EXISTS (
                    SELECT 1 FROM customer_alias b JOIN customer c ON c.id = b.customer_id
                    WHERE b.scope_id = a.scope_id AND b.kind = a.kind AND b.value = a.value
                        AND b.customer_id <> a.customer_id AND c.merged_into IS NULL) LIMIT 1
                """, customer)) != nil
    }
}

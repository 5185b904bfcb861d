public import OfferModel

/// Purchases of a tester that Apple no longer lists. In Sandbox a tester's purchase history can be cleared at Apple;
/// elsewhere Apple lists every purchase permanently, so that nothing is taken away.
public struct UnlistedHistory {
    private let transaction: any StoreTransaction
    private let scope: ScopeNumber
    private let listed: Set<TransactionId>
    private let asOf: Instant

    /// - Parameters:
    ///   - listed: every transaction that Apple lists.
    ///   - asOf: before Apple was asked: what arrived since may be newer than the answer.
    public init(
        listed: Set<TransactionId>, asOf: Instant, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) {
        self.listed = listed
        self.asOf = asOf
        self.scope = scope
        self.transaction = transaction
    }

    /// Whether every transaction that is known of some customers is among those that Apple lists.
    public func isEmpty(of customers: [CustomerNumber]) throws -> Bool {
        try customers.allSatisfy { try rows(of: $0).isEmpty }
    }

    /// Deletes the transactions of a customer that Apple does not list, renewal info of purchases of which none is
    /// left, and the redemptions that they showed.
    ///
    /// - Parameter offers: of the catalog in force, for ``RedemptionStore/record(of:offers:at:in:knowing:)``.
    public func remove(of customer: CustomerNumber, offers: [Offer], at now: Instant) throws {
        let rows = try rows(of: customer)
        guard !rows.isEmpty else { return }
        for row in rows {
            try transaction.execute("DELETE FROM history_transaction WHERE sequence = ?1", row.sequence)
        }
        for original in Set(rows.map(\.original)).sorted() {
            try transaction.execute(
                """
                DELETE FROM history_renewal_info WHERE scope_id = ?1 AND original_transaction_id = ?2 AND NOT EXISTS (
                    SELECT 1 FROM history_transaction WHERE scope_id = ?1 AND original_transaction_id = ?2
                )
                """, scope, original)
            let facts = HistoryFacts(transaction: transaction, scope: scope)
            let left = try facts.update(.originalTransactionId(original))
            try SubscriptionEvents(transaction: transaction, scope: scope, now: now).schedule(original, left)
        }
        try RedemptionStore(transaction).record(of: customer, offers: offers, at: now, in: scope)
        try CustomerStore(transaction).noteChange(try StoreClock(transaction).nextSequence(), of: [customer])
    }

    private func rows(of customer: CustomerNumber) throws -> [(sequence: Int64, original: TransactionId)] {
        let stored: [(Int64, TransactionId, TransactionId)] = try transaction.all(
            """
            SELECT h.sequence, h.transaction_id, h.original_transaction_id FROM customer_identifier i
            JOIN history_transaction h ON h.scope_id = i.scope_id AND h.original_transaction_id = i.value
            WHERE i.kind = 'originalTransactionId' AND i.customer_id = ?1 AND h.received_at <= ?2
            """, customer, asOf)
        return stored.compactMap { sequence, id, original in listed.contains(id) ? nil : (sequence, original) }
    }
}

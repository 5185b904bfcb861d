public import OfferModel

// No event of the audit tells of this: like the history, a notification is evidence that Apple signed and not a decision
// of ours, and the audit covers none of its columns (docs/ledger.md).
extension NotificationStore {
    /// Takes the signed text out of notifications whose time is over, the earliest first.
    ///
    /// - Parameters:
    ///   - cutoff: of those stored then or before.
    ///   - limit: of at most so many.
    /// - Returns: of how many.
    /// - Throws: ``StoreError``.
    public func removePayloads(receivedBy cutoff: Instant, at now: Instant, atMost limit: Int) throws -> Int {
        try transaction.execute(
            Statement(
                """
                UPDATE notification SET payload = NULL, payload_removed_at = ?3 WHERE sequence IN (
                    SELECT sequence FROM notification
                    WHERE payload IS NOT NULL AND received_at <= ?1 ORDER BY received_at LIMIT ?2
                )
                """, cutoff, limit, now))
    }

    /// Takes out of the notifications about these customers what names a person: the identifier, the transaction and
    /// the signed text. Their ids stay, so that a repeat brings nothing of it back.
    ///
    /// - Returns: how many there were.
    /// - Throws: ``StoreError``.
    public func erase(of customers: [CustomerNumber], at now: Instant) throws -> Int {
        guard !customers.isEmpty else { return 0 }
        return try transaction.execute(
            Statement(
                """
                \(Self.erased) WHERE sequence IN (
                    SELECT n.sequence FROM customer_identifier i
                    JOIN notification n
                    ON n.scope_id = i.scope_id AND n.identifier_kind = i.kind AND n.identifier = i.value
                    WHERE i.customer_id IN (\(Statement.placeholders(customers.count, after: 1)))
                )
                """, values: [now.storedValue] + customers.map(\.storedValue)))
    }

    /// The same for those of a subscription that belongs to nobody yet, named by renewal info that was kept of it.
    ///
    /// - Throws: ``StoreError``.
    func erase(ofRenewalInfo sequence: Int64, at now: Instant) throws {
        try transaction.execute(
            Statement(
                """
                \(Self.erased) WHERE sequence IN (
                    SELECT n.sequence FROM history_renewal_info r
                    JOIN notification n ON n.scope_id = r.scope_id AND n.identifier_kind = 'originalTransactionId'
                    AND n.identifier = r.original_transaction_id
                    WHERE r.sequence = ?2
                )
                """, now, sequence))
    }

    private static let erased = """
        UPDATE notification SET payload = NULL, payload_removed_at = COALESCE(payload_removed_at, ?1), \
        identifier_kind = NULL, identifier = NULL, transaction_id = NULL, erased_at = ?1
        """
}

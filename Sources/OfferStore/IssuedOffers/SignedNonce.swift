public import OfferModel

/// A signature of the ledger, found by its nonce.
public struct SignedNonce: Sendable, Hashable, StoredRecord {
    /// Absent for the statement of a refusal, which blocks an introductory offer.
    public var issuedOfferId: LowercaseUUID?
    public var productId: ProductId
    public var signedAt: Instant
    public var appAccountToken: AppAccountToken?
    /// The `transactionId` or `appTransactionId` that it was made for.
    public var transactionId: String?

    init(reading row: inout RowReader) throws {
        issuedOfferId = try row.next()
        productId = try row.next()
        signedAt = try row.next()
        appAccountToken = try row.next(ErasableColumn.self).value
        transactionId = try row.next(ErasableColumn.self).value
    }
}

extension IssuedOfferStore {
    /// How far the order of rows may differ from that of their dates: a request is decided before it waits to be
    /// written.
    private static let disorder = 30 * Instant.Duration.second

    /// The signature with a nonce; `nil` if nothing in the scope was signed with it.
    ///
    /// Nonces have no index, which every signature would pay for. Each begins with the instant of its signing, and rows
    /// are in the order of time, so halving finds the few rows among which it must be.
    public func signature(nonce: LowercaseUUID, in scope: ScopeNumber) throws -> SignedNonce? {
        guard let signedAt = nonce.version7Instant else { return nil }
        let first = try sequence(after: signedAt.adding(milliseconds: -Self.disorder))
        let end = try sequence(after: signedAt.adding(milliseconds: Self.disorder))
        return try transaction.first(
            """
            SELECT id, signed_product_id, issued_at, app_account_token, transaction_id FROM issued_offer
            WHERE sequence >= ?1 AND sequence < ?2 AND +scope_id = ?3 AND (v1_nonce = ?4 OR jws_nonce = ?4)
            UNION ALL
            SELECT o.id, s.signed_product_id, s.decided_at, s.app_account_token, s.transaction_id
            FROM signing s JOIN issued_offer o ON o.sequence = s.issued_offer
            WHERE s.sequence >= ?1 AND s.sequence < ?2 AND +s.scope_id = ?3 AND (s.v1_nonce = ?4 OR s.jws_nonce = ?4)
            UNION ALL
            SELECT NULL, signed_product_id, decided_at, app_account_token, transaction_id FROM refusal
            WHERE sequence >= ?1 AND sequence < ?2 AND +scope_id = ?3 AND jws_nonce = ?4
            """, first, end, scope, nonce)
    }

    /// The place after the last row that was decided before an instant.
    private func sequence(after instant: Instant) throws -> Int64 {
        let newest = try StoreClock(transaction).newestSequence()
        let tables = [("issued_offer", "issued_at"), ("signing", "decided_at"), ("refusal", "decided_at")]
        return try tables.map { table, date in
            let sql = "SELECT sequence, \(date) FROM \(table) WHERE sequence >= ?1 ORDER BY sequence LIMIT 1"
            var (low, high): (Int64, Int64) = (0, newest + 1)
            while low < high {
                let middle = low + (high - low) / 2
                if let row = try transaction.row(sql, middle), try row.value(1, as: Instant.self) < instant {
                    low = try row.value(0, as: Int64.self) + 1
                } else {
                    high = middle
                }
            }
            return low
        }.max() ?? 0
    }
}

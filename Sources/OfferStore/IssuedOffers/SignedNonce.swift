public import OfferModel

/// A signature of the ledger, found by its nonce.
public struct SignedNonce: Sendable, Hashable {
    /// Absent for the statement of a refusal, which blocks an introductory offer.
    public var issuedOfferId: LowercaseUUID?
    public var productId: ProductId
    public var signedAt: Instant
    public var appAccountToken: AppAccountToken?
    /// The `transactionId` or `appTransactionId` that it was made for.
    public var transactionId: String?
}

extension IssuedOfferStore {
    /// The signature with a nonce; `nil` if nothing in the scope was signed with it.
    ///
    /// Nonces have no index, which every signature would pay for. A nonce begins with the instant of its signing, and so
    /// does an id of the row that holds it: the ids of one millisecond are neighbours in their index. So neither the
    /// order of the commits matters nor a clock that was set back.
    public func signature(nonce: LowercaseUUID, in scope: ScopeNumber) throws -> SignedNonce? {
        // The first 13 characters are the milliseconds; `.` sorts after `-`, so the range has every id of one.
        let instant = nonce.description.prefix(13)
        return try Statement(
            """
            SELECT id, signed_product_id, issued_at, app_account_token, transaction_id FROM issued_offer
            WHERE id > ?1 AND id < ?2 AND +scope_id = ?3 AND (v1_nonce = ?4 OR jws_nonce = ?4)
            UNION ALL
            SELECT o.id, s.signed_product_id, s.decided_at, s.app_account_token, s.transaction_id
            FROM signing s JOIN issued_offer o ON o.sequence = s.issued_offer
            WHERE s.decision_id > ?1 AND s.decision_id < ?2 AND +s.scope_id = ?3
                AND (s.v1_nonce = ?4 OR s.jws_nonce = ?4)
            UNION ALL
            SELECT NULL, signed_product_id, decided_at, app_account_token, transaction_id FROM refusal
            WHERE id > ?1 AND id < ?2 AND +scope_id = ?3 AND jws_nonce = ?4
            """, "\(instant)-", "\(instant).", scope, nonce
        ).first(in: transaction) { row in
            SignedNonce(
                issuedOfferId: try row.next(), productId: try row.next(), signedAt: try row.next(),
                appAccountToken: try row.next(ErasableColumn.self).value,
                transactionId: try row.next(ErasableColumn.self).value)
        }
    }
}

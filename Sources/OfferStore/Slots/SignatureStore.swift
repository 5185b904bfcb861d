public import OfferModel

/// Signatures, each recorded before it is released (invariant 1).
public struct SignatureStore {
    private let transaction: any StoreTransaction

    /// The signatures as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Keeps a signature; its slot and its decision must be stored already.
    ///
    /// - Throws: ``StoreError/constraint(_:)`` `signature.nonce` if the nonce was ever used, in any scope
    ///   (invariant 8).
    public func insert(_ signature: RecordedSignature, in scope: ScopeNumber) throws {
        let sequence = try StoreClock(transaction).nextSequence()
        let inserted: [StoredValue] = [
            .integer(sequence), scope.storedValue, signature.nonce.storedValue, signature.issuedOfferId.storedValue,
            signature.signing.storedValue, signature.decisionId.storedValue, signature.format.storedValue,
            signature.allowIntroductoryOffer.storedValue, signature.keyId.storedValue,
            signature.timestamp.storedValue, signature.productId.storedValue, signature.appAccountToken.storedValue,
            signature.transactionId.storedValue, signature.artefact.storedValue,
        ]
        try transaction.execute(Statement(Self.insertSQL, values: inserted))
        try AuditLog(transaction).cover(
            .signature, inserted: inserted, of: signature.issuedOfferId ?? signature.decisionId,
            otherwise: .signature, at: signature.timestamp, in: scope)
    }

    /// The signatures of one slot, the earliest first.
    ///
    /// - Throws: ``StoreError``.
    public func signatures(of issuedOffer: LowercaseUUID, in scope: ScopeNumber) throws -> [RecordedSignature] {
        try transaction.rows(
            Statement(
                """
                SELECT \(Self.columns), body_removed_at IS NOT NULL FROM signature WHERE issued_offer_id = ?1 AND scope_id = ?2 ORDER BY sequence
                """, issuedOffer, scope)
        ).map(RecordedSignature.init(row:))
    }

    /// The signatures of one decision: also those without a slot.
    ///
    /// - Throws: ``StoreError``.
    public func signatures(decision: LowercaseUUID, in scope: ScopeNumber) throws -> [RecordedSignature] {
        try transaction.rows(
            Statement(
                "SELECT \(Self.columns), body_removed_at IS NOT NULL FROM signature WHERE decision_id = ?1 AND scope_id = ?2 ORDER BY sequence",
                decision, scope)
        ).map(RecordedSignature.init(row:))
    }

    private static let insertSQL = LedgerTable.signature.insertSQL

    private static let columns = """
        nonce, issued_offer_id, signing, decision_id, format, allow_introductory_offer, key_id, signed_at, product_id, \
        app_account_token, transaction_id, artefact
        """
}

extension RecordedSignature {
    fileprivate init(row: StoredRow) throws {
        var reader = RowReader(row)
        self.init(
            nonce: try reader.next(), issuedOfferId: try reader.next(), signing: try reader.next(),
            decisionId: try reader.next(), format: try reader.next(), allowIntroductoryOffer: try reader.next(),
            keyId: try reader.next(), timestamp: try reader.next(), productId: try reader.next(),
            appAccountToken: try reader.next(String?.self).flatMap { try Self.token($0) },
            transactionId: try reader.next(String?.self).flatMap { $0.hasPrefix(RemovedText.prefix) ? nil : $0 },
            artefact: try reader.next())
        isRemoved = try reader.next()
    }

    /// `nil` for one that was erased.
    private static func token(_ text: String) throws -> AppAccountToken? {
        if text.hasPrefix(RemovedText.prefix) { return nil }
        guard let token = AppAccountToken(storedValue: .text(text)) else {
            throw StoreError.corrupt("the account of a signature is no UUID")
        }
        return token
    }
}

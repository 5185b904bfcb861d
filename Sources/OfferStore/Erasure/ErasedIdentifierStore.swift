import OfferModel

/// The signed identifiers of customers whose data was erased, as keyed digests: a customer who comes back with the
/// same Apple account is recognised, so limits hold.
struct ErasedIdentifierStore {
    let transaction: any StoreTransaction
    let scope: ScopeNumber

    /// The customer that an identifier named before an erasure.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` if the digests were taken with another key: a customer would not be
    ///   known again, and limits would start over.
    func customer(_ identifier: ProvenIdentifier) throws -> CustomerNumber? {
        guard let key = try digestKey() else { return nil }
        let log = try transaction.audit()
        guard key == log.digestKey else { throw Self.otherKey(key) }
        return try transaction.first(
            "SELECT customer_id FROM erased_identifier WHERE scope_id = ?1 AND kind = ?2 AND digest = ?3", scope,
            identifier.kind, digest(of: identifier, log))
    }

    /// Lets what stayed of an erased customer name an identifier again that Apple's data has brought back.
    func bringBack(_ identifier: ProvenIdentifier, of customer: CustomerNumber) throws {
        let standIn = standIn(for: identifier, try transaction.audit())
        if case .originalTransactionId(let id) = identifier {
            try transaction.execute(
                """
                UPDATE kept_evidence SET original_transaction_id = ?3
                WHERE scope_id = ?1 AND original_transaction_id = ?2
                """, scope, standIn, id)
            // So that the use is known to be the same one when it is derived again.
            try transaction.execute(
                """
                UPDATE redemption SET original_transaction_id = ?3
                WHERE customer_id = ?1 AND original_transaction_id = ?2
                """, customer, standIn, id)
        }
        try transaction.execute(
            "UPDATE customer SET rollout_key = ?3 WHERE id = ?1 AND rollout_key = ?2", customer, standIn,
            identifier.value)
    }

    func keep(_ identifiers: [ProvenIdentifier], of customer: CustomerNumber, at now: Instant) throws {
        let log = try transaction.audit()
        if let key = try digestKey(), key != log.digestKey { throw Self.otherKey(key) }
        for identifier in identifiers {
            try transaction.execute(
                """
                INSERT INTO erased_identifier (scope_id, kind, digest, digest_key, customer_id, erased_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT (scope_id, kind, digest) DO UPDATE SET
                    customer_id = excluded.customer_id, erased_at = excluded.erased_at
                """, scope, identifier.kind, digest(of: identifier, log), log.digestKey, customer, now)
        }
    }

    /// Deletes the digests of customers who are not to be recognised again.
    func forget(_ customers: [CustomerNumber]) throws {
        try transaction.execute(
            "DELETE FROM erased_identifier WHERE customer_id IN (?*)", list: customers.map(\.storedValue))
    }

    func standIn(for identifier: ProvenIdentifier, _ log: AuditLog) -> String {
        Redacted.prefix + Hexadecimal.lowercase(digest(of: identifier, log))
    }

    private func digest(of identifier: ProvenIdentifier, _ log: AuditLog) -> [UInt8] {
        var bytes = CanonicalBytes("offerd-identifier-1", capacity: 128)
        bytes.append(scope, identifier.kind, identifier.value)
        return log.digests.keyed.digest(of: bytes.bytes)
    }

    /// The key of the digests that are kept; `nil` if no customer was erased.
    func digestKey() throws -> String? {
        try transaction.first("SELECT digest_key FROM erased_identifier WHERE scope_id = ?1 LIMIT 1", scope)
    }

    private static func otherKey(_ key: String) -> StoreError {
        .unavailable(
            "customers were erased under the digest key `\(key)`, which is not the `digestKey` of keys.yaml: they would "
                + "not be known again")
    }
}

public import OfferEligibility
import OfferModel

/// What stays known of uses of offers when the history that showed them is erased.
public struct KeptEvidenceStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// That of these customers, in the order it was kept in.
    public func evidence(of customers: [CustomerNumber]) throws -> [KeptEvidence] {
        guard !customers.isEmpty else { return [] }
        return try transaction.rows(
            """
            SELECT \(Self.columns) FROM kept_evidence
            WHERE customer_id IN (\(Statement.placeholders(customers.count))) ORDER BY customer_id, sequence
            """, values: customers.map(\.storedValue)
        ).map(KeptEvidence.init(row:))
    }

    func replace(_ evidence: [KeptEvidence], of customer: CustomerNumber, in scope: ScopeNumber) throws {
        try transaction.execute("DELETE FROM kept_evidence WHERE customer_id = ?1", customer)
        for kept in evidence {
            let sequence = try StoreClock(transaction).nextSequence()
            try transaction.execute(
                """
                INSERT INTO kept_evidence (sequence, scope_id, customer_id, \(Self.columns))
                VALUES (\(Statement.placeholders(16)))
                """,
                sequence, scope, customer, kept.kind, kept.originalTransactionId, kept.subscriptionGroupIdentifier,
                kept.productId, kept.offerType, kept.offerIdentifier, kept.offerPeriod, kept.at, kept.expires,
                kept.revoked, kept.isRenewal, kept.isUpgraded, kept.provenance)
        }
    }

    private static let columns = """
        kind, original_transaction_id, subscription_group_identifier, product_id, offer_type, offer_identifier, \
        offer_period, dated, expires, revoked, is_renewal, is_upgraded, provenance
        """
}

extension KeptEvidence.Kind: Storable {}

extension KeptEvidence {
    fileprivate init(row: StoredRow) throws {
        var reader = RowReader(row)
        self.init(
            kind: try reader.next(), originalTransactionId: try reader.next(),
            subscriptionGroupIdentifier: try reader.next(), productId: try reader.next(),
            offerType: try reader.next(), offerIdentifier: try reader.next(), offerPeriod: try reader.next(),
            at: try reader.next(), expires: try reader.next(), revoked: try reader.next(),
            isRenewal: try reader.next(), isUpgraded: try reader.next(), provenance: try reader.next())
    }
}

extension TransactionId {
    /// Whether it is the digest of an erased id.
    var isErased: Bool { rawValue.hasPrefix(Redacted.prefix) }
}

public import OfferEligibility
import OfferModel

/// What stays known of uses of offers when the history that showed them is erased.
public struct KeptEvidenceStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func evidence(of customers: [CustomerNumber]) throws -> [KeptEvidence] {
        guard !customers.isEmpty else { return [] }
        return try transaction.all(
            """
            SELECT \(Self.columns) FROM kept_evidence
            WHERE customer_id IN (\(Statement.placeholders(customers.count))) ORDER BY customer_id, sequence
            """, values: customers.map(\.storedValue))
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

extension KeptEvidence: StoredRecord {
    init(reading row: inout RowReader) throws {
        self.init(
            kind: try row.next(), originalTransactionId: try row.next(), subscriptionGroupIdentifier: try row.next(),
            productId: try row.next(), offerType: try row.next(), offerIdentifier: try row.next(),
            offerPeriod: try row.next(), at: try row.next(), expires: try row.next(), revoked: try row.next(),
            isRenewal: try row.next(), isUpgraded: try row.next(), provenance: try row.next())
    }
}

extension TransactionId {
    var isErased: Bool { rawValue.hasPrefix(Redacted.prefix) }
}

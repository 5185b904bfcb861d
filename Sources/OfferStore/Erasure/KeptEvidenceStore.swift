public import OfferModel

/// What stays known of uses of offers when the history that showed them is erased.
public struct KeptEvidenceStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func evidence(of customers: [CustomerNumber]) throws -> [KeptEvidence] {
        try transaction.all(
            """
            SELECT \(Self.columns) FROM kept_evidence
            WHERE customer_id IN (?*) ORDER BY customer_id, sequence
            """, list: customers.map(\.storedValue))
    }

    func replace(_ evidence: [KeptEvidence], of customer: CustomerNumber, in scope: ScopeNumber) throws {
        try transaction.execute("DELETE FROM kept_evidence WHERE customer_id = ?1", customer)
        for kept in evidence {
            let sequence = try StoreClock(transaction).nextSequence()
            try transaction.insert(
                KeptEvidenceRow(sequence: sequence, scope: scope, customer: customer, evidence: kept),
                into: .keptEvidence)
        }
    }

    private static let columns = KeptEvidence.list()
}

extension KeptEvidence.Kind: Storable {}

extension KeptEvidence: TableRow {
    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("kind", &kind, "CHECK (kind IN ('period', 'pending'))")
        try columns(
            "original_transaction_id", &originalTransactionId,
            .erased(.digested, "CHECK (length(original_transaction_id) > 0)"))
        try columns("subscription_group_identifier", &subscriptionGroupIdentifier)
        try columns("product_id", &productId)
        try columns("offer_type", &offerType)
        try columns("offer_identifier", &offerIdentifier)
        try columns("offer_period", &offerPeriod)
        try columns("dated", &at)
        try columns("expires", &expires)
        try columns("revoked", &revoked)
        try columns("is_renewal", &isRenewal, "CHECK (is_renewal IN (0, 1))")
        try columns("is_upgraded", &isUpgraded, "CHECK (is_upgraded IN (0, 1))")
        try columns("provenance", &provenance)
    }
}

struct KeptEvidenceRow: TableRow {
    var sequence: Int64
    var scope: ScopeNumber
    var customer: CustomerNumber
    var evidence: KeptEvidence

    static let blank = KeptEvidenceRow(sequence: 0, scope: .blank, customer: .blank, evidence: .blank)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("scope_id", &scope, "REFERENCES scope (id)")
        try columns("customer_id", &customer, "REFERENCES customer (id)")
        try evidence.visit(&columns)
    }
}

extension TransactionId {
    var isErased: Bool { rawValue.hasPrefix(Redacted.prefix) }
}

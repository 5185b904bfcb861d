public import OfferModel

public struct SourcedIdentifier: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable, Storable {
        case originalTransactionId
        case appTransactionId
        case appAccountToken
        case customerId
    }

    public var customer: CustomerNumber
    public var kind: Kind
    public var value: String
    public var since: Instant
    /// How it reached us: with Apple's data, or as stated by the backend or an operator.
    public var provenance: Provenance
    /// The transaction, or of renewal info the subscription, whose payload names it.
    public var transactionId: TransactionId?
    /// The request that stated it; the log has more of it.
    public var requestId: LowercaseUUID?
}

public struct RecordedMerge: Sendable, Hashable {
    public var sequence: Int64
    public var mergedAt: Instant
    /// The identifier that the merged customer was first stored under.
    public var storedUnder: String
    public var firstStoredAt: Instant
    public var aliases: [CustomerAlias]
    /// Why; absent if that was erased.
    public var proof: MergeProof?
}

extension CustomerStore {
    /// Every identifier of these customers with where it came from: Apple's first, each kind from the earliest.
    public func sourcedIdentifiers(of customers: [CustomerNumber]) throws -> [SourcedIdentifier] {
        let numbers = customers.map(\.storedValue)
        let own = try transaction.all(
            """
            SELECT customer_id, kind, value, first_stored_at, provenance, transaction_id, NULL
            FROM customer_identifier WHERE customer_id IN (?*)
            """, list: numbers
        ).map(SourcedIdentifier.init)
        let aliases = try transaction.all(
            """
            SELECT customer_id, kind, value, first_stored_at, provenance, transaction_id, request_id
            FROM customer_alias WHERE customer_id IN (?*)
            """, list: numbers
        ).map(SourcedIdentifier.init)
        return (own + aliases).sorted {
            ($0.kind.place, $0.since, $0.value) < ($1.kind.place, $1.since, $1.value)
        }
    }

    /// The merges that made these customers who they are, also those of customers who were merged into them later; the
    /// earliest first.
    public func merges(into customers: [CustomerNumber]) throws -> [RecordedMerge] {
        let earlier = try merged(into: customers).values.flatMap(\.self)
        let merges: [(Int64, Instant, CustomerNumber, String, String, Instant)] = try transaction.all(
            """
            SELECT m.sequence, m.merged_at, m.merged_id, m.proof, c.rollout_key, c.first_stored_at
            FROM customer_merge m JOIN customer c ON c.id = m.merged_id
            WHERE m.survivor_id IN (?*)
            """, list: (customers + earlier).map(\.storedValue))
        return try merges.map { sequence, mergedAt, merged, proof, rolloutKey, firstStoredAt in
            RecordedMerge(
                sequence: sequence, mergedAt: mergedAt, storedUnder: rolloutKey, firstStoredAt: firstStoredAt,
                aliases: try aliases(of: merged), proof: MergeProof(text: proof))
        }.sorted { $0.sequence < $1.sequence }
    }

    private func aliases(of customer: CustomerNumber) throws -> [CustomerAlias] {
        try sourcedIdentifiers(of: [customer]).compactMap { identifier in
            switch identifier.kind {
            case .appAccountToken: AppAccountToken(identifier.value).map(CustomerAlias.appAccountToken)
            case .customerId: .customerId(CustomerId(identifier.value))
            case .originalTransactionId, .appTransactionId: nil
            }
        }
    }
}

extension SourcedIdentifier.Kind {
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

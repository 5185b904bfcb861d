public import OfferEligibility
public import OfferModel

/// A decision as it was recorded, with everything it depended on (invariant 5).
public struct RecordedDecision: Sendable, Hashable {
    /// What was asked for; dry-runs are not recorded.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable, Storable {
        /// A new slot was issued.
        case issue
        /// One more signing was made under an open slot.
        case signing
        /// The answer was no, or could not be decided.
        case refusal
    }

    /// Its id.
    public var id: LowercaseUUID
    /// What was asked for.
    public var kind: Kind
    /// The customer it was about; absent for somebody unknown.
    public var customer: CustomerNumber?
    /// The offer.
    public var offerId: OfferId
    /// The one instant of the request.
    public var decidedAt: Instant
    /// The catalog in force.
    public var catalogRevision: Int64
    /// The answer.
    public var outcome: Outcome
    /// The slot it led to.
    public var issuedOfferId: LowercaseUUID?
    /// Everything else it depended on, and its findings, as the caller wrote them (JSON).
    public var body: String

    /// A decision by its parts.
    public init(
        id: LowercaseUUID, kind: Kind, customer: CustomerNumber?, offerId: OfferId, decidedAt: Instant,
        catalogRevision: Int64, outcome: Outcome, issuedOfferId: LowercaseUUID? = nil, body: String
    ) {
        self.id = id
        self.kind = kind
        self.customer = customer
        self.offerId = offerId
        self.decidedAt = decidedAt
        self.catalogRevision = catalogRevision
        self.outcome = outcome
        self.issuedOfferId = issuedOfferId
        self.body = body
    }
}

/// Decisions, as they were made.
public struct DecisionStore {
    let transaction: any StoreTransaction

    /// The decisions as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Keeps a decision; its slot must be stored already.
    ///
    /// - Throws: ``StoreError/constraint(_:)`` if the id is known.
    public func insert(_ decision: RecordedDecision, in scope: ScopeNumber) throws {
        let sequence = try StoreClock(transaction).nextSequence()
        let inserted: [StoredValue] = [
            .integer(sequence), decision.id.storedValue, scope.storedValue, decision.kind.storedValue,
            decision.customer.storedValue, decision.offerId.storedValue, decision.decidedAt.storedValue,
            .integer(decision.catalogRevision), decision.outcome.storedValue, decision.issuedOfferId.storedValue,
            decision.body.storedValue,
        ]
        try transaction.execute(Statement(Self.insertSQL, values: inserted))
        let log = try AuditLog(transaction)
        switch decision.kind {
        case .refusal:
            try log.record(
                .refusal, .decision, inserted: inserted, at: decision.decidedAt, in: scope, owner: decision.id)
        case .issue, .signing:
            try log.cover(
                .decision, inserted: inserted, of: decision.issuedOfferId ?? decision.id, otherwise: .decision,
                at: decision.decidedAt, in: scope)
        }
    }

    /// One decision.
    ///
    /// - Throws: ``StoreError``.
    public func decision(_ id: LowercaseUUID, in scope: ScopeNumber) throws -> RecordedDecision? {
        try transaction.row(
            Statement("SELECT \(Self.columns) FROM decision WHERE id = ?1 AND scope_id = ?2", id, scope)
        ).map(RecordedDecision.init(row:))
    }

    /// Whether what a decision depended on is still recorded: neither retention nor an erasure has removed it.
    ///
    /// - Throws: ``StoreError``.
    public func hasRecord(of id: LowercaseUUID, in scope: ScopeNumber) throws -> Bool {
        try transaction.row(
            Statement(
                "SELECT 1 FROM decision WHERE id = ?1 AND scope_id = ?2 AND body_removed_at IS NULL", id, scope)) != nil
    }

    /// The decisions that led to a slot or were answered from it, the earliest first.
    ///
    /// - Throws: ``StoreError``.
    public func decisions(issuedOffer: LowercaseUUID, in scope: ScopeNumber) throws -> [RecordedDecision] {
        try transaction.rows(
            Statement(
                """
                SELECT \(Self.columns) FROM decision WHERE issued_offer_id = ?1 AND scope_id = ?2 ORDER BY sequence
                """, issuedOffer, scope)
        ).map(RecordedDecision.init(row:))
    }

    /// The newest decisions about a customer, those about customers merged into them included.
    ///
    /// - Throws: ``StoreError``.
    public func newest(of customer: CustomerNumber, limit: Int) throws -> [RecordedDecision] {
        let merged = try transaction.rows(Statement("SELECT id FROM customer WHERE merged_into = ?1", customer))
        // Each one's newest, because the index has them in order and together they would have to be put in order first.
        let rows = try ([customer] + merged.map { try $0.value(0) }).flatMap { one in
            try transaction.rows(
                Statement(
                    """
                    SELECT \(Self.columns), sequence FROM decision WHERE customer_id = ?1
                    ORDER BY sequence DESC LIMIT ?2
                    """, one, limit))
        }
        let numbered = try rows.map { (try $0.value(9, as: Int64.self), try RecordedDecision(row: $0)) }
        return numbered.sorted { $0.0 > $1.0 }.prefix(limit).map(\.1)
    }

    private static let insertSQL = LedgerTable.decision.insertSQL

    private static let columns =
        "id, kind, customer_id, offer_id, decided_at, catalog_revision, outcome, issued_offer_id, body"
}

extension RecordedDecision {
    fileprivate init(row: StoredRow) throws {
        var reader = RowReader(row)
        self.init(
            id: try reader.next(), kind: try reader.next(), customer: try reader.next(), offerId: try reader.next(),
            decidedAt: try reader.next(), catalogRevision: try reader.next(), outcome: try reader.next(),
            issuedOfferId: try reader.next(), body: try reader.next())
    }
}

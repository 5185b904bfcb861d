public import OfferModel

/// An answer to an issue request that was no, or could not be decided, with everything it depended on (invariant 5).
public struct Refusal: Sendable, Hashable {
    public var id: LowercaseUUID
    /// The customer it was about; absent if unknown.
    public var customer: CustomerNumber?
    public var offerId: OfferId
    public var decidedAt: Instant
    public var catalogRevision: Int64
    public var outcome: Outcome
    /// The packed ``DecisionRecord``; `nil` once retention or an erasure has removed it.
    public var record: [UInt8]?
    /// The statement that blocks an introductory offer, if one was signed.
    public var statement: RecordedSignature?

    public init(
        id: LowercaseUUID, customer: CustomerNumber?, offerId: OfferId, decidedAt: Instant, catalogRevision: Int64,
        outcome: Outcome, record: [UInt8]?, statement: RecordedSignature? = nil
    ) {
        self.id = id
        self.customer = customer
        self.offerId = offerId
        self.decidedAt = decidedAt
        self.catalogRevision = catalogRevision
        self.outcome = outcome
        self.record = record
        self.statement = statement
    }
}

/// The refusals of one offer on one day that came out the same: a backend that asks at every start of the app would
/// bury everything else.
public struct RefusedDay: Sendable, Hashable {
    public var offerId: OfferId
    public var outcome: Outcome
    public var count: Int
    public var first: Instant
    public var last: Instant
    /// The record of the last one; `nil` once it was removed.
    public var record: [UInt8]?
}

public struct RefusalStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// - Throws: ``StoreError/constraint(_:)`` if the id is known, or something other than the statement that blocks an
    ///   introductory offer was signed.
    public func insert(_ refusal: Refusal, in scope: ScopeNumber) throws {
        let statement = refusal.statement
        guard statement.map({ $0.allowIntroductoryOffer == false && $0.format == .introductoryEligibility }) ?? true
        else { throw StoreError.constraint("refusal.jws") }
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.insert(
            .refusal, RefusalRow(sequence: sequence, scope: scope, refusal: refusal), at: refusal.decidedAt, in: scope)
    }

    public func refusal(_ id: LowercaseUUID, in scope: ScopeNumber) throws -> Refusal? {
        let row: RefusalRow? = try transaction.first(
            "SELECT \(Table.refusal.list) FROM refusal WHERE id = ?1 AND scope_id = ?2", id, scope)
        return row?.refusal
    }

    /// The newest refusals about no known customer, the newest first.
    public func withoutCustomer(in scope: ScopeNumber, limit: Int) throws -> [Refusal] {
        let rows: [RefusalRow] = try transaction.all(
            """
            SELECT \(Table.refusal.list) FROM refusal WHERE customer_id IS NULL AND scope_id = ?1
            ORDER BY decided_at DESC LIMIT ?2
            """, scope, limit)
        return rows.map(\.refusal)
    }

    /// Whether what a refusal depended on is still recorded: neither retention nor an erasure has removed it.
    public func hasRecord(of id: LowercaseUUID, in scope: ScopeNumber) throws -> Bool {
        try transaction.row(
            "SELECT 1 FROM refusal WHERE id = ?1 AND scope_id = ?2 AND substr(record, 1, ?3) <> ?4", id, scope,
            Redacted.prefix.utf8.count, Array(Redacted.prefix.utf8)) != nil
    }

    /// The refusals of these customers by offer, answer and day (UTC), those with the latest last refusal first.
    ///
    /// - Parameters:
    ///   - latest: only days of which the last refusal was by then.
    public func days(
        of customers: [CustomerNumber], until latest: Instant = .distantFuture, limit: Int
    ) throws -> [RefusedDay] {
        let merged = try CustomerStore(transaction).merged(into: customers).values.flatMap(\.self)
        let all = (customers + merged).map(\.storedValue)
        let days: [(OfferId, Outcome, Int, Instant, Instant, Int64)] = try transaction.all(
            """
            SELECT offer_id, outcome, COUNT(*), MIN(decided_at), MAX(decided_at), MAX(sequence) FROM refusal
            WHERE customer_id IN (?*)
            GROUP BY offer_id, outcome, decided_at / 86400000 HAVING MAX(decided_at) <= ?1
            ORDER BY MAX(decided_at) DESC, offer_id, outcome LIMIT ?2
            """, latest, limit, list: all)
        return try days.map { offer, outcome, count, first, last, sequence in
            RefusedDay(
                offerId: offer, outcome: outcome, count: count, first: first, last: last, record: try record(sequence))
        }
    }

    private func record(_ sequence: Int64) throws -> [UInt8]? {
        let record: ErasableColumn<[UInt8]>? = try transaction.first(
            "SELECT record FROM refusal WHERE sequence = ?1", sequence)
        guard let record else { throw StoreError.corrupt("refusal \(sequence) is missing") }
        return record.value
    }
}

struct RefusalRow: LedgerRecord {
    static var ledger: LedgerTable { .refusal }

    var sequence: Int64
    var scope: ScopeNumber
    var refusal: Refusal

    static let blank = RefusalRow(
        sequence: 0, scope: .blank,
        refusal: Refusal(
            id: .blank, customer: nil, offerId: "", decidedAt: .distantPast, catalogRevision: 0, outcome: .ineligible,
            record: nil))

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("id", &refusal.id, .fixed("UNIQUE CHECK (length(id) = 36 AND id = lower(id))"))
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns("customer_id", &refusal.customer, .fixed("REFERENCES customer (id)"))
        try columns("offer_id", &refusal.offerId, .fixed)
        try columns("decided_at", &refusal.decidedAt, .fixed)
        try columns("catalog_revision", &refusal.catalogRevision, .fixed)
        try columns(
            "outcome", &refusal.outcome, .fixed("CHECK (outcome = 'ineligible' OR outcome = 'undetermined')"))
        let statement = refusal.statement
        var (token, transactionId) = (statement?.appAccountToken, statement?.transactionId)
        var (keyId, productId) = (statement?.keyId, statement?.productId)
        var (nonce, jws) = (statement?.nonce, statement?.artefact)
        try columns.erasable("app_account_token", &token, .erasable)
        try columns.erasable("transaction_id", &transactionId, .erasable)
        try columns("key_id", &keyId, .fixed)
        try columns("signed_product_id", &productId, .fixed)
        try columns("jws_nonce", &nonce, .fixed("CHECK (length(jws_nonce) = 36 AND jws_nonce = lower(jws_nonce))"))
        try columns("jws", &jws, .erasable(retention: .signatures))
        if let keyId, let productId, let nonce, let jws {
            var read = RecordedSignature(
                nonce: nonce, format: .introductoryEligibility, allowIntroductoryOffer: false, keyId: keyId,
                timestamp: refusal.decidedAt, productId: productId, appAccountToken: token,
                transactionId: transactionId, artefact: jws)
            read.isRemoved = jws.hasPrefix(Redacted.prefix)
            refusal.statement = read
        }
        try columns.erasable("record", &refusal.record, .erasable(retention: .refusals).required)
    }
}

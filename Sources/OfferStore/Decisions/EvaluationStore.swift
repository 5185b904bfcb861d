public import OfferModel

/// A customer and when an issue request first asked for an offer for them.
public struct FirstEvaluation: Sendable, Hashable {
    public var customer: CustomerNumber
    public var decidedAt: Instant
}

public struct Evaluation: Sendable, Hashable {
    /// Its place among the decisions about one customer and offer.
    public struct Place: Sendable, Hashable, Comparable {
        public var decidedAt: Instant
        /// Its place in the store-wide order; it settles equal instants.
        public var sequence: Int64

        public static func < (left: Self, right: Self) -> Bool {
            (left.decidedAt, left.sequence) < (right.decidedAt, right.sequence)
        }
    }

    public enum Answer: Sendable, Hashable {
        // Each with its packed ``DecisionRecord``, until retention or an erasure removes that.
        case issued([UInt8]?, isGranted: Bool)
        case refused([UInt8]?)
    }

    public var place: Place
    public var answer: Answer
}

/// Who was evaluated for an offer by an issue request, in the order of the customers' numbers, for reports.
///
/// Every query reads a bounded page by the indexes that begin with the customer. A further signing is no
/// evaluation of its own: the offer was issued already.
public struct EvaluationStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Every offer that was ever decided, by its id.
    public func offers(in scope: ScopeNumber) throws -> [OfferId] {
        try Set(["issued_offer", "refusal"].flatMap { try offers(of: $0, in: scope) }).sorted()
    }

    /// Every offer that was ever issued, by the id that it had then.
    public func issuedOffers(in scope: ScopeNumber) throws -> [OfferId] { try offers(of: "issued_offer", in: scope) }

    private func offers(of table: String, in scope: ScopeNumber) throws -> [OfferId] {
        var offers: [OfferId] = []
        // One search of the index an offer; `DISTINCT` would read all of it.
        while let offer: OfferId = try transaction.first(
            "SELECT offer_id FROM \(table) WHERE scope_id = ?1 AND offer_id > ?2 ORDER BY offer_id LIMIT 1",
            scope, offers.last ?? "")
        {
            offers.append(offer)
        }
        return offers
    }

    /// A page of those evaluated for an offer, each with the instant of their first decision. A customer who was merged
    /// away is still there where a refusal was about them.
    public func evaluated(
        for offer: OfferId, after last: CustomerNumber?, limit: Int, in scope: ScopeNumber
    ) throws -> [FirstEvaluation] {
        var first: [CustomerNumber: Instant] = [:]
        for (table, date) in [("issued_offer", "issued_at"), ("refusal", "decided_at")] {
            // With `+` and `||` the index that begins with the customer is read from there on, no further than the page.
            let found: [(CustomerNumber, Instant)] = try transaction.all(
                """
                SELECT customer_id, MIN(\(date)) FROM \(table)
                WHERE +scope_id = ?1 AND offer_id || '' = ?2 AND customer_id > ?3
                GROUP BY customer_id ORDER BY customer_id LIMIT ?4
                """, scope, offer, last ?? CustomerNumber(rawValue: 0), limit)
            first.merge(found, uniquingKeysWith: min)
        }
        return first.sorted { $0.key < $1.key }.prefix(limit).map {
            FirstEvaluation(customer: $0.key, decidedAt: $0.value)
        }
    }

    /// When a customer was first evaluated for an offer, under their own number; `nil` if never.
    public func first(of customer: CustomerNumber, for offer: OfferId, in scope: ScopeNumber) throws -> Instant? {
        // With `+` the customer's own rows are read, not all of the offer's.
        let first: Instant?? = try transaction.first(
            """
            SELECT MIN(at) FROM (
                SELECT MIN(issued_at) AS at FROM issued_offer
                WHERE +scope_id = ?1 AND offer_id = ?2 AND customer_id = ?3
                UNION ALL
                SELECT MIN(decided_at) FROM refusal WHERE +scope_id = ?1 AND offer_id = ?2 AND customer_id = ?3
            ) AS first
            """, scope, offer, customer)
        return first ?? nil
    }

    public func evaluations(
        of customer: CustomerNumber, for offer: OfferId, after last: Evaluation.Place?, limit: Int,
        in scope: ScopeNumber
    ) throws -> [Evaluation] {
        func page(
            _ table: String, _ date: String, isGranted: String,
            _ answer: ([UInt8]?, _ isGranted: Bool) -> Evaluation.Answer
        ) throws -> [Evaluation] {
            let page: [(Instant, Int64, ErasableColumn<[UInt8]>, Bool)] = try transaction.all(
                """
                SELECT \(date), sequence, record, \(isGranted) FROM \(table)
                WHERE +scope_id = ?1 AND offer_id = ?2 AND customer_id = ?3 AND (\(date), sequence) > (?4, ?5)
                ORDER BY \(date), sequence LIMIT ?6
                """, scope, offer, customer, last?.decidedAt ?? .distantPast, last?.sequence ?? 0, limit)
            return page.map { decidedAt, sequence, record, isGranted in
                Evaluation(
                    place: Evaluation.Place(decidedAt: decidedAt, sequence: sequence),
                    answer: answer(record.value, isGranted))
            }
        }
        let issued = try page(
            "issued_offer", "issued_at", isGranted: "CASE WHEN grant_id IS NULL THEN 0 ELSE 1 END",
            Evaluation.Answer.issued)
        let refused = try page("refusal", "decided_at", isGranted: "0") { record, _ in .refused(record) }
        return Array((issued + refused).sorted { $0.place < $1.place }.prefix(limit))
    }

    /// How many requests in a range of instants were refused to an unknown customer: reports do not count them as
    /// customers.
    public func refusalsOfUnknown(
        for offer: OfferId, in range: Range<Instant>, in scope: ScopeNumber
    ) throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(*) FROM refusal WHERE scope_id = ?1 AND offer_id = ?2 AND customer_id IS NULL
            AND decided_at >= ?3 AND decided_at < ?4
            """, scope, offer, range.lowerBound, range.upperBound) ?? 0
    }

    /// The catalog revision of a recent decision about an offer; `nil` if there is none.
    public func catalogRevision(of offer: OfferId, in scope: ScopeNumber) throws -> Int64? {
        for table in ["issued_offer", "refusal"] {
            let revision: Int64? = try transaction.first(
                """
                SELECT catalog_revision FROM \(table) WHERE scope_id = ?1 AND offer_id = ?2
                ORDER BY sequence DESC LIMIT 1
                """, scope, offer)
            if let revision { return revision }
        }
        return nil
    }
}

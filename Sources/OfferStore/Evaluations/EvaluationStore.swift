public import OfferModel

/// Who was evaluated for an offer by an issue request, in the order of the customers' numbers, for reports.
///
/// Every query reads a bounded page by the index of `decision` that begins with scope and offer.
public struct EvaluationStore {
    private let transaction: any StoreTransaction

    /// The decisions as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Every offer that was ever decided, by its id.
    ///
    /// - Throws: ``StoreError``.
    public func offers(in scope: ScopeNumber) throws -> [OfferId] {
        var offers: [OfferId] = []
        // One search of the index an offer; `DISTINCT` would read all of it.
        while let row = try transaction.row(
            Statement(
                "SELECT offer_id FROM decision WHERE scope_id = ?1 AND offer_id > ?2 ORDER BY offer_id LIMIT 1",
                scope, offers.last?.rawValue ?? ""))
        {
            offers.append(try row.value(0))
        }
        return offers
    }

    /// A page of those evaluated for an offer, each with the instant of their first decision. A customer who was merged
    /// away is still there: a decision stays with whom it was about.
    ///
    /// - Parameters:
    ///   - last: the last one of the page before.
    ///   - limit: at most so many.
    /// - Throws: ``StoreError``.
    public func evaluated(
        for offer: OfferId, after last: CustomerNumber?, limit: Int, in scope: ScopeNumber
    ) throws -> [FirstEvaluation] {
        try transaction.rows(
            Statement(
                """
                SELECT customer_id, MIN(decided_at) FROM decision
                WHERE scope_id = ?1 AND offer_id = ?2 AND customer_id > ?3
                GROUP BY customer_id ORDER BY customer_id LIMIT ?4
                """, scope, offer, last ?? CustomerNumber(rawValue: 0), limit)
        ).map { FirstEvaluation(customer: try $0.value(0), decidedAt: try $0.value(1)) }
    }

    /// When a customer was first evaluated for an offer, under their own number; `nil` if never.
    ///
    /// - Throws: ``StoreError``.
    public func first(of customer: CustomerNumber, for offer: OfferId, in scope: ScopeNumber) throws -> Instant? {
        try transaction.row(
            Statement(
                """
                SELECT decided_at FROM decision WHERE scope_id = ?1 AND offer_id = ?2 AND customer_id = ?3
                ORDER BY decided_at LIMIT 1
                """, scope, offer, customer)
        )?.value(0)
    }

    /// A page of the decisions about a customer and an offer, the earliest first.
    ///
    /// - Parameters:
    ///   - last: the place of the last one of the page before.
    ///   - limit: at most so many.
    /// - Throws: ``StoreError``.
    public func evaluations(
        of customer: CustomerNumber, for offer: OfferId, after last: Evaluation.Place?, limit: Int,
        in scope: ScopeNumber
    ) throws -> [Evaluation] {
        try transaction.rows(
            Statement(
                """
                SELECT decided_at, sequence, kind,
                    CASE WHEN kind = 'refusal' AND body_removed_at IS NULL THEN body END FROM decision
                WHERE scope_id = ?1 AND offer_id = ?2 AND customer_id = ?3 AND (decided_at, sequence) > (?4, ?5)
                ORDER BY decided_at, sequence LIMIT ?6
                """, scope, offer, customer, last?.decidedAt ?? .distantPast, last?.sequence ?? 0, limit)
        ).map { row in
            Evaluation(
                place: .init(decidedAt: try row.value(0), sequence: try row.value(1)), kind: try row.value(2),
                refusalBody: try row.value(3))
        }
    }

    /// How many requests in a range of instants were refused to somebody unknown: nobody counts them as customers.
    ///
    /// - Throws: ``StoreError``.
    public func refusalsOfUnknown(
        for offer: OfferId, in range: Range<Instant>, in scope: ScopeNumber
    ) throws -> Int {
        try transaction.row(
            Statement(
                """
                SELECT COUNT(*) FROM decision WHERE scope_id = ?1 AND offer_id = ?2 AND customer_id IS NULL
                AND decided_at >= ?3 AND decided_at < ?4
                """, scope, offer, range.lowerBound, range.upperBound)
        )?.value(0) ?? 0
    }

    /// The catalog revision of the newest decision about an offer by the last customer evaluated for it; `nil` if nobody
    /// was.
    ///
    /// - Throws: ``StoreError``.
    public func catalogRevision(of offer: OfferId, in scope: ScopeNumber) throws -> Int64? {
        try transaction.row(
            Statement(
                """
                SELECT catalog_revision FROM decision WHERE scope_id = ?1 AND offer_id = ?2
                ORDER BY customer_id DESC, decided_at DESC LIMIT 1
                """, scope, offer)
        )?.value(0)
    }
}

public import OfferEligibility
public import OfferModel

/// The refusals of one offer on one day that came out the same: a backend that asks at every start of the app would
/// bury everything else.
public struct RefusedDay: Sendable, Hashable {
    /// The offer.
    public var offerId: OfferId
    /// The answer.
    public var outcome: Outcome
    /// How often it was given that day.
    public var count: Int
    /// The first of them.
    public var first: Instant
    /// The last of them.
    public var last: Instant
    /// What the last one was recorded with (JSON), or what stays of it after its retention.
    public var body: String
}

extension DecisionStore {
    /// The refusals of these customers by offer, answer and day (UTC), those with the latest last refusal first.
    ///
    /// - Parameters:
    ///   - latest: only days of which the last refusal was by then.
    ///   - limit: at most so many.
    /// - Throws: ``StoreError``.
    public func refusedDays(
        of customers: [CustomerNumber], until latest: Instant = .distantFuture, limit: Int
    ) throws -> [RefusedDay] {
        let merged = try CustomerStore(transaction).merged(into: customers).values.flatMap(\.self)
        let all = (customers + merged).map(\.storedValue)
        guard !all.isEmpty else { return [] }
        return try transaction.rows(
            Statement(
                """
                SELECT offer_id, outcome, COUNT(*), MIN(decided_at), MAX(decided_at), MAX(sequence) FROM decision
                WHERE customer_id IN (\(Statement.placeholders(all.count, after: 2))) AND kind = 'refusal'
                GROUP BY offer_id, outcome, decided_at / 86400000 HAVING MAX(decided_at) <= ?1
                ORDER BY MAX(decided_at) DESC, offer_id, outcome LIMIT ?2
                """, values: [latest.storedValue, limit.storedValue] + all)
        ).map { row in
            RefusedDay(
                offerId: try row.value(0), outcome: try row.value(1), count: try row.value(2), first: try row.value(3),
                last: try row.value(4), body: try body(try row.value(5)))
        }
    }

    private func body(_ sequence: Int64) throws -> String {
        let row = try transaction.row(Statement("SELECT body FROM decision WHERE sequence = ?1", sequence))
        guard let row else { throw StoreError.corrupt("decision \(sequence) is missing") }
        return try row.value(0)
    }
}

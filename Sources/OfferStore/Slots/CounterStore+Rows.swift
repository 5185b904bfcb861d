import OfferEligibility
import OfferModel

// The rows that counters are made of, remembered where many slots share a durable transaction.

extension CounterStore {
    /// What the slots of an offer that have passed and still stand on its counters take there, in one currency or without
    /// a cost.
    struct Passed {
        let currency: String?
        let places: Int64
        let cost: Int64

        func amount(of unit: CounterUnit) -> Int64 {
            switch unit {
            case .places: places
            case .money(let currency): currency == self.currency ? cost : 0
            }
        }
    }

    /// What each counter of an offer shows, by the name of its unit.
    func amounts(of offer: OfferId, in scope: ScopeNumber) throws -> [String: Int64] {
        let place = RememberedCounters.Place(scope: scope, offer: offer)
        if let known = transaction.memory?.contents.counters[place] { return known.amounts }
        var amounts: [String: Int64] = [:]
        for row in try transaction.rows(
            Statement("SELECT unit, amount FROM offer_counter WHERE scope_id = ?1 AND offer_id = ?2", scope, offer))
        {
            amounts[try row.value(0)] = try row.value(1)
        }
        transaction.memory?.contents.counters[place] = RememberedCounters(amounts: amounts)
        return amounts
    }

    /// Puts a counter into its row.
    func write(_ amount: Int64, _ unit: String, of offer: OfferId, in scope: ScopeNumber) throws {
        try transaction.execute(
            Statement(
                """
                INSERT INTO offer_counter (scope_id, offer_id, unit, amount) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (scope_id, offer_id, unit) DO UPDATE SET amount = excluded.amount
                """, scope, offer, unit, amount))
    }

    /// What has passed by an instant and is not settled yet.
    func passed(of offer: OfferId, at now: Instant, in scope: ScopeNumber) throws -> [Passed] {
        if let end = try rememberedEnd(of: offer, in: scope), end > now { return [] }
        return try transaction.rows(
            Statement(
                """
                SELECT cost_currency, COUNT(*), COALESCE(SUM(cost), 0) FROM issued_offer
                WHERE scope_id = ?1 AND offer_id = ?2 AND places = 1 AND redemptions = 0 AND counts_until <= ?3
                GROUP BY cost_currency
                """, scope, offer, now)
        ).map { Passed(currency: try $0.value(0), places: try $0.value(1), cost: try $0.value(2)) }
    }

    /// The first instant at which a slot of the offer stops counting; `nil` where nothing is remembered.
    func rememberedEnd(of offer: OfferId, in scope: ScopeNumber) throws -> Instant? {
        guard let memory = transaction.memory else { return nil }
        let place = RememberedCounters.Place(scope: scope, offer: offer)
        if let known = memory.contents.counters[place]?.firstEnd { return known }
        _ = try amounts(of: offer, in: scope)
        let row = try transaction.row(
            Statement(
                """
                SELECT counts_until FROM issued_offer
                WHERE scope_id = ?1 AND offer_id = ?2 AND places = 1 AND redemptions = 0
                ORDER BY counts_until LIMIT 1
                """, scope, offer))
        let end = try row.map { try $0.value(0, as: Instant.self) } ?? .distantFuture
        memory.contents.counters[place]?.firstEnd = end
        return end
    }

    /// Redemptions without an issued offer, by product.
    func unmatched(_ place: UnmatchedPlace) throws -> [String: Int] {
        if let known = transaction.memory?.contents.unmatched[place] { return known }
        var unmatched: [String: Int] = [:]
        for row in try transaction.rows(
            Statement(
                """
                SELECT product_id, amount FROM redemption_counter
                WHERE scope_id = ?1 AND offer_type = ?2 AND offer_identifier = ?3
                AND subscription_group_identifier = ?4 AND amount > 0
                """, place.scope, place.type, place.identifier, place.group))
        {
            unmatched[try row.value(0)] = try row.value(1)
        }
        transaction.memory?.contents.unmatched[place] = unmatched
        return unmatched
    }
}

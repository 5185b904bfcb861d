/// Proves that the totals that limits for everyone are held against are what slots and redemptions add up to.
///
/// No event tells of a counter: it follows from rows, which are proven before. A row of a slot that ever took a place, or
/// cost anything, has its counter.
struct CounterCheck {
    let transaction: any StoreTransaction

    /// - Throws: ``BrokenRow`` for the first counter that is another, missing, or put in.
    func run() throws {
        try compare(
            "offer_counter", key: "scope_id || '/' || offer_id || '/' || unit", of: "scope_id, offer_id, unit",
            isDue: "MAX(due)",
            """
            SELECT scope_id, offer_id, 'places' AS unit, SUM(places) AS sum, 1 AS due FROM issued_offer
            GROUP BY scope_id, offer_id
            UNION ALL
            SELECT scope_id, offer_id, cost_currency, SUM(places * cost), MAX(cost > 0) FROM issued_offer
            WHERE cost_currency IS NOT NULL GROUP BY scope_id, offer_id, cost_currency
            """)
        let place = "scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id"
        try compare(
            "redemption_counter", key: place.replacing(", ", with: " || '/' || "), of: place,
            // One that has come down to nothing stays, and says the same as none.
            isDue: "MAX(stored)",
            """
            SELECT \(place), COUNT(*) AS sum, 1 AS due FROM redemption WHERE issued_offer_id IS NULL GROUP BY \(place)
            """)
    }

    private func compare(
        _ table: String, key: String, of columns: String, isDue: String, _ derived: String
    ) throws {
        let row = try transaction.row(
            Statement(
                """
                SELECT CAST(\(key) AS TEXT), MAX(stored), CAST(SUM(amount) AS TEXT), CAST(SUM(sum) AS TEXT) FROM (
                    SELECT \(columns), amount, 0 AS sum, 1 AS stored, 0 AS due FROM \(table)
                    UNION ALL
                    SELECT \(columns), 0, sum, 0, due FROM (\(derived))
                ) GROUP BY \(columns) HAVING SUM(amount) <> SUM(sum) OR MAX(stored) <> \(isDue) ORDER BY 1 LIMIT 1
                """))
        guard let row else { return }
        let (isStored, amount, sum) = (
            try row.value(1, as: Bool.self), try row.value(2, as: String.self), try row.value(3, as: String.self)
        )
        throw BrokenRow(
            table, row.values[0],
            isStored
                ? "it says \(amount), and what it counts adds up to \(sum)"
                : "it is missing; what it counts adds up to \(sum)")
    }
}

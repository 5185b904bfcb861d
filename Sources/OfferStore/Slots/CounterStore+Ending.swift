public import OfferEligibility
public import OfferModel

extension CounterStore {
    /// How many instants one statement reads on the way to the end of so much money.
    private static let page = 500

    /// When so much of what counts will have passed.
    ///
    /// - Parameter own: a slot that is left out; it does not count for who asks.
    /// - Returns: the first instant after `now`; `nil` if it never will.
    /// - Throws: ``StoreError``.
    public func ending(
        of amount: Int64, _ unit: CounterUnit, offer: OfferId, without own: LowercaseUUID?, after now: Instant,
        in scope: ScopeNumber
    ) throws -> Instant? {
        switch unit {
        case .places:
            try transaction.row(
                Statement(
                    """
                    SELECT counts_until FROM issued_offer
                    WHERE scope_id = ?1 AND offer_id = ?2 AND places = 1 AND redemptions = 0
                    AND counts_until > ?3 AND id <> ?4 ORDER BY counts_until LIMIT 1 OFFSET ?5
                    """, scope, offer, now, own?.description ?? "", amount.saturatingSubtracting(1))
            )?.value(0)
        case .money(let currency):
            try ending(of: amount, currency: currency, offer: offer, without: own, after: now, in: scope)
        }
    }

    /// The first few slots to pass nearly always free enough, so no more of them are read than that takes: everybody whom
    /// a used up budget refuses asks this.
    private func ending(
        of amount: Int64, currency: String, offer: OfferId, without own: LowercaseUUID?, after now: Instant,
        in scope: ScopeNumber
    ) throws -> Instant? {
        var (freed, last, isComplete): (Int64, Instant, Bool) = (0, now, false)
        while !isComplete {
            let rows = try transaction.rows(
                Statement(
                    """
                    SELECT counts_until, SUM(cost) FROM issued_offer
                    WHERE scope_id = ?1 AND offer_id = ?2 AND places = 1 AND redemptions = 0
                    AND counts_until > ?3 AND id <> ?4 AND cost_currency = ?5
                    GROUP BY counts_until ORDER BY counts_until LIMIT \(Self.page)
                    """, scope, offer, last, own?.description ?? "", currency))
            for row in rows {
                last = try row.value(0)
                freed = freed.saturatingAdding(try row.value(1))
                if freed >= amount { return last }
            }
            isComplete = rows.count < Self.page
        }
        return nil
    }
}

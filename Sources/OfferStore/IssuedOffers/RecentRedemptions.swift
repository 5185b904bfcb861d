public import OfferModel

/// Redemptions of an offer in a range of time, summed up where they are alike.
public struct RecentRedemptions: Sendable, Hashable {
    /// Absent without an issued offer.
    public var offerId: OfferId?
    public var productId: ProductId
    public var count: Int
    /// The nominal cost that the issued offers froze, and its currency; absent without one.
    public var cost: Money?
    public var first: Instant
}

extension CounterStore {
    /// The redemptions that ``counters(of:in:open:at:in:)`` counts and that are dated in a range, its end included; not
    /// the one use that a grant of support gave.
    public func redemptions(
        of offer: Offer, in group: SubscriptionGroupId, after start: Instant, upTo end: Instant, in scope: ScopeNumber
    ) throws -> [RecentRedemptions] {
        let key = Self.key(offer.delivery.redeemedAs, offer.offerIdentifier)
        let found: [(OfferId?, String?, ProductId, Int, Int64, Instant)] = try transaction.all(
            """
            SELECT i.offer_id, i.cost_currency, r.product_id, COUNT(*), COALESCE(SUM(i.cost), 0), MIN(r.first_evidence)
            FROM redemption r LEFT JOIN issued_offer i ON i.id = r.issued_offer_id
            WHERE r.scope_id = ?1 AND r.offer_type = ?2 AND r.offer_identifier = ?3
            AND r.subscription_group_identifier = ?4 AND r.first_evidence > ?5 AND r.first_evidence <= ?6
            AND (i.grant_id IS NULL OR r.is_doubled = 1)
            GROUP BY i.offer_id, i.cost_currency, r.product_id
            """, scope, key.type, key.identifier, group, start, end)
        return found.filter { $0.0.map(offer.has) ?? true }.map { id, currency, product, count, cost, first in
            RecentRedemptions(
                offerId: id, productId: product, count: count,
                cost: currency.map { Money(milliunits: cost, currency: $0) }, first: first)
        }
    }

    /// How many issued offers of an offer count and have no redemption.
    public func counting(of offer: Offer, at now: Instant, in scope: ScopeNumber) throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(*) FROM issued_offer
            WHERE scope_id = ?1 AND offer_id IN (?*) AND places = 1 AND redemptions = 0 AND counts_until > ?2
            """, scope, now, list: offer.ids.map(\.storedValue)) ?? 0
    }
}

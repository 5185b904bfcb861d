public import OfferEligibility
public import OfferModel

/// What everyone together has used of an offer: one row for its places, one for each currency (DESIGN §5.3).
///
/// Only ``SlotStore`` changes the rows, with the slots that they count, in the same transaction.
public struct CounterStore {
    let transaction: any StoreTransaction

    /// The most that a counter may show once what has passed by the instant is left out.
    public struct Cap: Sendable, Hashable {
        /// What is counted.
        public var unit: CounterUnit
        /// Places, or milliunits.
        public var most: Int64

        /// A cap by its parts.
        public init(unit: CounterUnit, most: Int64) {
            self.unit = unit
            self.most = most
        }
    }

    static let capPrefix = "offer_counter."

    /// Whether an error says that a counter would have shown more than its cap.
    public static func isCap(_ error: any Error) -> Bool {
        guard case .constraint(let name) = error as? StoreError else { return false }
        return name.hasPrefix(capPrefix)
    }

    /// The counters as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// What is used of an offer at an instant: the counters without the slots that have passed and are not settled yet.
    ///
    /// - Parameters:
    ///   - offer: its id decides which slots count, its name at Apple which redemptions without a slot.
    ///   - group: the group of the product asked for; without one no redemption is recognised.
    ///   - open: the subject's own open slots of the offer.
    /// - Throws: ``StoreError``.
    public func counters(
        of offer: Offer, in group: SubscriptionGroupId?, open: [Slot], at now: Instant, in scope: ScopeNumber
    ) throws -> OfferCounters {
        var counters = OfferCounters(asOf: now, open: open.map(OfferCounters.OpenPlace.init))
        for row in try transaction.rows(
            Statement("SELECT unit, amount FROM offer_counter WHERE scope_id = ?1 AND offer_id = ?2", scope, offer.id))
        {
            switch CounterUnit(name: try row.value(0)) {
            case .places: counters.places = try row.value(1)
            case .money(let currency): counters.spent[currency] = try row.value(1)
            }
        }
        for row in try transaction.rows(
            Statement(
                """
                SELECT cost_currency, COUNT(*), COALESCE(SUM(cost), 0) FROM issued_offer
                WHERE scope_id = ?1 AND offer_id = ?2 AND places = 1 AND redemptions = 0 AND counts_until <= ?3
                GROUP BY cost_currency
                """, scope, offer.id, now))
        {
            counters.places -= try row.value(1)
            if let currency: String = try row.value(0) {
                counters.spent[currency, default: 0] -= try row.value(2)
            }
        }
        guard let group else { return counters }
        let key = Self.key(offer.delivery.redeemedAs, offer.offerIdentifier)
        for row in try transaction.rows(
            Statement(
                """
                SELECT product_id, amount FROM redemption_counter
                WHERE scope_id = ?1 AND offer_type = ?2 AND offer_identifier = ?3
                AND subscription_group_identifier = ?4 AND amount > 0
                """, scope, key.type, key.identifier, group))
        {
            counters.unmatched[try row.value(0)] = try row.value(1)
        }
        return counters
    }

    /// Adds to a counter, or takes from it.
    ///
    /// - Parameter cap: the most it may show afterwards, without what has passed by `now`.
    /// - Returns: false if that would be more than the cap; then nothing was changed.
    func add(
        _ amount: Int64, _ unit: CounterUnit, of offer: OfferId, cap: Int64? = nil, at now: Instant,
        in scope: ScopeNumber
    ) throws -> Bool {
        guard amount != 0 else { return true }
        if try update(amount, unit, of: offer, cap: cap, at: now, in: scope) { return true }
        try transaction.execute(
            Statement(
                """
                INSERT INTO offer_counter (scope_id, offer_id, unit, amount) VALUES (?1, ?2, ?3, 0)
                ON CONFLICT (scope_id, offer_id, unit) DO NOTHING
                """, scope, offer, unit.name))
        return try update(amount, unit, of: offer, cap: cap, at: now, in: scope)
    }

    private func update(
        _ amount: Int64, _ unit: CounterUnit, of offer: OfferId, cap: Int64?, at now: Instant, in scope: ScopeNumber
    ) throws -> Bool {
        let plain = "UPDATE offer_counter SET amount = amount + ?1 WHERE scope_id = ?2 AND offer_id = ?3 AND unit = ?4"
        guard let cap else {
            return try transaction.execute(Statement(plain, amount, scope, offer, unit.name)) == 1
        }
        let passed =
            switch unit {
            case .places: "COUNT(*)"
            case .money: "COALESCE(SUM(CASE WHEN cost_currency = ?4 THEN cost ELSE 0 END), 0)"
            }
        return try transaction.execute(
            Statement(
                """
                \(plain) AND amount + ?1 <= ?5 + (
                    SELECT \(passed) FROM issued_offer
                    WHERE scope_id = ?2 AND offer_id = ?3 AND places = 1 AND redemptions = 0 AND counts_until <= ?6
                )
                """, amount, scope, offer, unit.name, cap, now)) == 1
    }

    /// Notes that there are more or fewer redemptions without a slot.
    func add(_ amount: Int, unmatched redemption: Redemption, in scope: ScopeNumber) throws {
        let key = Self.key(redemption.offerType, redemption.offerIdentifier)
        try transaction.execute(
            Statement(
                """
                INSERT INTO redemption_counter (
                    scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id, amount
                ) VALUES (?1, ?2, ?3, ?4, ?5, 0)
                ON CONFLICT (scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id)
                DO NOTHING
                """, scope, key.type, key.identifier, redemption.subscriptionGroupIdentifier, redemption.productId))
        try transaction.execute(
            Statement(
                """
                UPDATE redemption_counter SET amount = amount + ?6
                WHERE scope_id = ?1 AND offer_type = ?2 AND offer_identifier = ?3
                AND subscription_group_identifier = ?4 AND product_id = ?5
                """, scope, key.type, key.identifier, redemption.subscriptionGroupIdentifier, redemption.productId,
                amount))
    }

    /// An introductory offer is its group's alone, whatever it is called.
    static func key(
        _ type: TransactionOfferType, _ identifier: OfferIdentifier?
    ) -> (type: TransactionOfferType, identifier: String) {
        (type, type == .introductory ? "" : identifier?.rawValue ?? "")
    }
}

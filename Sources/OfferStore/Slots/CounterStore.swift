public import OfferEligibility
public import OfferModel

/// What everyone together has used of an offer: one row for its places, one for each currency (docs/design.md#issued-offers-and-limits).
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
        for (unit, amount) in try amounts(of: offer.id, in: scope) {
            switch CounterUnit(name: unit) {
            case .places: counters.places = Int(amount)
            case .money(let currency): counters.spent[currency] = amount
            }
        }
        for passed in try passed(of: offer.id, at: now, in: scope) {
            counters.places = counters.places.saturatingSubtracting(Int(passed.places))
            guard let currency = passed.currency else { continue }
            counters.spent[currency] = (counters.spent[currency] ?? 0).saturatingSubtracting(passed.cost)
        }
        guard let group else { return counters }
        let key = Self.key(offer.delivery.redeemedAs, offer.offerIdentifier)
        counters.unmatched = try unmatched(
            UnmatchedPlace(scope: scope, type: key.type, identifier: key.identifier, group: group))
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
        let (sum, isTooMuch) = (try amounts(of: offer, in: scope)[unit.name] ?? 0).addingReportingOverflow(amount)
        // As the table's own check words it; the table would say so only when the counters are written.
        guard !isTooMuch, sum >= 0 else { throw StoreError.constraint("amount >= 0") }
        if let cap, sum > cap {
            let passed = try passed(of: offer, at: now, in: scope).map { $0.amount(of: unit) }.saturatingSum()
            guard sum.saturatingSubtracting(cap) <= passed else { return false }
        }
        if let memory = transaction.memory {
            let place = RememberedCounters.Place(scope: scope, offer: offer)
            memory.contents.counters[place]?.amounts[unit.name] = sum
            memory.contents.counters[place]?.changed.insert(unit.name)
        } else {
            try write(sum, unit.name, of: offer, in: scope)
        }
        return true
    }

    /// Notes that there are more or fewer redemptions without a slot.
    func add(_ amount: Int, unmatched redemption: Redemption, in scope: ScopeNumber) throws {
        transaction.memory?.contents.unmatched = [:]
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

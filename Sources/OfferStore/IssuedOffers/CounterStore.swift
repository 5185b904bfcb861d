public import OfferModel

/// The uses of an offer by all customers: one row for its places, one for each currency
/// (docs/design.md#issued-offers-and-limits).
///
/// Only ``IssuedOfferStore`` changes the rows, with the issued offers that they count, in the same transaction.
public struct CounterStore {
    let transaction: any StoreTransaction
    private let memory: TransactionCache?

    /// The most that a counter may show once what has passed by the instant is left out.
    public struct Cap: Sendable, Hashable {
        public var unit: CounterUnit
        public var most: Int64

        public init(unit: CounterUnit, most: Int64) {
            self.unit = unit
            self.most = most
        }
    }

    static let capPrefix = "offer_counter."

    /// Whether an error says that a counter would have shown more than its cap.
    public static func isCapReached(_ error: any Error) -> Bool {
        guard case .constraint(let name) = error as? StoreError else { return false }
        return name.hasPrefix(capPrefix)
    }

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
        memory = transaction.memory
    }

    /// The uses of an offer at an instant: the counters without the issued offers that have passed and are not
    /// settled yet.
    ///
    /// - Parameters:
    ///   - offer: its ids decide which issued offers count, its name at Apple which redemptions without an issued
    ///     offer.
    ///   - group: the group of the product asked for; without one no redemption is recognised.
    ///   - open: the subject's own open issued offers of the offer.
    public func counters(
        of offer: Offer, in group: SubscriptionGroupId?, open: [IssuedOffer], at now: Instant, in scope: ScopeNumber
    ) throws -> OfferCounters {
        var counters = OfferCounters(asOf: now, open: open.map(OfferCounters.OpenPlace.init))
        for id in offer.ids {
            for (unit, amount) in try used(of: id, at: now, in: scope) {
                switch unit {
                case .places: counters.places = counters.places.saturatingAdding(Int(amount))
                case .money(let currency):
                    counters.spent[currency] = (counters.spent[currency] ?? 0).saturatingAdding(amount)
                }
            }
        }
        guard let group else { return counters }
        counters.unmatched = try unmatched(Self.place(of: offer, in: group, scope))
        return counters
    }

    /// Asks what ``counters(of:in:open:at:in:)`` asks first, to ask ahead.
    public func askBeforeReading(_ offer: Offer, in group: SubscriptionGroupId?, scope: ScopeNumber) throws {
        for id in offer.ids { try askBeforeCounting(id, in: scope) }
        guard let group else { return }
        _ = try unmatched(Self.place(of: offer, in: group, scope))
    }

    private static func place(
        of offer: Offer, in group: SubscriptionGroupId, _ scope: ScopeNumber
    ) -> UnmatchedPlace {
        let key = key(offer.delivery.redeemedAs, offer.offerIdentifier)
        return UnmatchedPlace(scope: scope, type: key.type, identifier: key.identifier, group: group)
    }

    /// The uses under one id, without those that have passed.
    public func used(of offer: OfferId, at now: Instant, in scope: ScopeNumber) throws -> [CounterUnit: Int64] {
        var used: [CounterUnit: Int64] = [:]
        for (unit, amount) in try amounts(of: offer, in: scope) { used[CounterUnit(name: unit)] = amount }
        // An issued offer that counts takes a place, so where none is taken nothing can have passed.
        if (used[.places] ?? 0) == 0 { return used }
        for passed in try passed(of: offer, at: now, in: scope) {
            used[.places] = (used[.places] ?? 0).saturatingSubtracting(passed.places)
            guard let currency = passed.currency else { continue }
            used[.money(currency)] = (used[.money(currency)] ?? 0).saturatingSubtracting(passed.cost)
        }
        return used
    }

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
        if let memory, memory.takesChanges {
            let place = RememberedCounters.Place(scope: scope, offer: offer)
            memory.contents.counters[place]?.amounts[unit.name] = sum
            memory.contents.counters[place]?.changed.insert(unit.name)
        } else {
            try write(sum, unit.name, of: offer, in: scope)
        }
        return true
    }

    /// Notes that there are more or fewer redemptions without an issued offer.
    func add(_ amount: Int, unmatched redemption: Redemption, in scope: ScopeNumber) throws {
        memory?.contents.unmatched = [:]
        let key = Self.key(redemption.offerType, redemption.offerIdentifier)
        try transaction.execute(
            """
            INSERT INTO redemption_counter (
                scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id, amount
            )
            VALUES (?1, ?2, ?3, ?4, ?5, 0)
            ON CONFLICT (scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id)
            DO NOTHING
            """, scope, key.type, key.identifier, redemption.subscriptionGroupIdentifier, redemption.productId)
        try transaction.execute(
            """
            UPDATE redemption_counter SET amount = amount + ?6
            WHERE scope_id = ?1 AND offer_type = ?2 AND offer_identifier = ?3
            AND subscription_group_identifier = ?4 AND product_id = ?5
            """, scope, key.type, key.identifier, redemption.subscriptionGroupIdentifier, redemption.productId,
            amount)
    }

    /// An introductory offer is its group's alone, whatever it is called.
    static func key(
        _ type: TransactionOfferType, _ identifier: OfferIdentifier?
    ) -> (type: TransactionOfferType, identifier: OfferIdentifier) {
        (type, type == .introductory ? "" : identifier ?? "")
    }

    /// How many instants one statement reads on the way to the end of so much money.
    private static let page = 500

    /// When so much of what counts will have passed.
    ///
    /// - Parameters:
    ///   - ids: every id of the offer.
    ///   - own: an issued offer that is left out; it does not count for the caller.
    /// - Returns: the first instant after `now`; `nil` if it never will.
    public func ending(
        of amount: Int64, _ unit: CounterUnit, offer ids: [OfferId], without own: LowercaseUUID?, after now: Instant,
        in scope: ScopeNumber
    ) throws -> Instant? {
        switch unit {
        case .places:
            try transaction.first(
                """
                SELECT counts_until FROM issued_offer
                WHERE scope_id = ?1 AND offer_id IN (?*)
                AND places = 1 AND redemptions = 0
                AND counts_until > ?2 AND id <> ?3 ORDER BY counts_until LIMIT 1 OFFSET ?4
                """, scope, now, own?.description ?? "", amount.saturatingSubtracting(1),
                list: ids.map(\.storedValue))
        case .money(let currency):
            try ending(of: amount, currency: currency, offer: ids, without: own, after: now, in: scope)
        }
    }

    /// The first few issued offers to pass nearly always free enough, so no more of them are read than that takes:
    /// every refusal by a used-up budget asks this.
    private func ending(
        of amount: Int64, currency: String, offer ids: [OfferId], without own: LowercaseUUID?, after now: Instant,
        in scope: ScopeNumber
    ) throws -> Instant? {
        var (freed, last, isComplete): (Int64, Instant, Bool) = (0, now, false)
        while !isComplete {
            let ends: [(Instant, Int64)] = try transaction.all(
                """
                SELECT counts_until, SUM(cost) FROM issued_offer
                WHERE scope_id = ?1 AND offer_id IN (?*)
                AND places = 1 AND redemptions = 0
                AND counts_until > ?2 AND id <> ?3 AND cost_currency = ?4
                GROUP BY counts_until ORDER BY counts_until LIMIT \(Self.page)
                """, scope, last, own?.description ?? "", currency, list: ids.map(\.storedValue))
            for (end, cost) in ends {
                (last, freed) = (end, freed.saturatingAdding(cost))
                if freed >= amount { return last }
            }
            isComplete = ends.count < Self.page
        }
        return nil
    }

    /// The amount that passed issued offers of an offer still add to its counters, in one currency
    /// or without a cost.
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

    /// Reads all counters of a scope, for questions about many offers: those that share a snapshot read them once.
    public func readAll(in scope: ScopeNumber) throws {
        guard let memory, memory.snapshot?.allCounters.contains(scope) == false else { return }
        // Kept only once all of it could be read: others share the snapshot.
        var (counters, unmatched) = (memory.contents.counters, memory.contents.unmatched)
        let amounts: [(OfferId, String, Int64)] = try transaction.all(
            "SELECT offer_id, unit, amount FROM offer_counter WHERE scope_id = ?1", scope)
        for (offer, unit, amount) in amounts {
            let place = RememberedCounters.Place(scope: scope, offer: offer)
            counters[place, default: RememberedCounters()].amounts[unit] = amount
        }
        // Only the types as which the catalog's offers are redeemed: of offer codes there may be very many rows.
        let types = Delivery.allCases.map(\.redeemedAs)
        let uses: [(TransactionOfferType, OfferIdentifier, SubscriptionGroupId, ProductId, Int)] = try transaction.all(
            """
            SELECT offer_type, offer_identifier, subscription_group_identifier, product_id, amount FROM redemption_counter
            WHERE scope_id = ?1 AND offer_type IN (?*) AND amount > 0
            """, scope, list: types.map(\.storedValue))
        for (type, identifier, group, product, amount) in uses {
            let place = UnmatchedPlace(scope: scope, type: type, identifier: identifier, group: group)
            unmatched[place, default: [:]][product] = amount
        }
        (memory.contents.counters, memory.contents.unmatched) = (counters, unmatched)
        memory.snapshot?.allCounters.insert(scope)
    }

    private func hasReadAll(in scope: ScopeNumber) -> Bool { memory?.snapshot?.allCounters.contains(scope) == true }

    func amounts(of offer: OfferId, in scope: ScopeNumber) throws -> [String: Int64] {
        let place = RememberedCounters.Place(scope: scope, offer: offer)
        if let known = memory?.contents.counters[place] { return known.amounts }
        if hasReadAll(in: scope) { return [:] }
        let amounts: [String: Int64] = try transaction.dictionary(
            "SELECT unit, amount FROM offer_counter WHERE scope_id = ?1 AND offer_id = ?2", scope, offer)
        memory?.contents.counters[place] = RememberedCounters(amounts: amounts)
        return amounts
    }

    func write(_ amount: Int64, _ unit: String, of offer: OfferId, in scope: ScopeNumber) throws {
        try transaction.execute(
            """
            INSERT INTO offer_counter (scope_id, offer_id, unit, amount) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (scope_id, offer_id, unit) DO UPDATE SET amount = excluded.amount
            """, scope, offer, unit, amount)
    }

    /// The issued offers that have passed by an instant and are not settled yet.
    func passed(of offer: OfferId, at now: Instant, in scope: ScopeNumber) throws -> [Passed] {
        if let end = try rememberedEnd(of: offer, in: scope), end > now { return [] }
        let passed: [(String?, Int64, Int64)] = try transaction.all(
            """
            SELECT cost_currency, COUNT(*), COALESCE(SUM(cost), 0) FROM issued_offer
            WHERE scope_id = ?1 AND offer_id = ?2 AND places = 1 AND redemptions = 0 AND counts_until <= ?3
            GROUP BY cost_currency
            """, scope, offer, now)
        return passed.map { Passed(currency: $0, places: $1, cost: $2) }
    }

    /// Asks what counting an issued offer asks first, to ask ahead.
    public func askBeforeCounting(_ offer: OfferId, in scope: ScopeNumber) throws {
        _ = try rememberedEnd(of: offer, in: scope)
    }

    /// The first instant at which one of its issued offers stops counting; `nil` where nothing is remembered.
    func rememberedEnd(of offer: OfferId, in scope: ScopeNumber) throws -> Instant? {
        guard let memory else { return nil }
        let place = RememberedCounters.Place(scope: scope, offer: offer)
        if let known = memory.contents.counters[place]?.firstEnd { return known }
        _ = try amounts(of: offer, in: scope)
        let end: Instant =
            try transaction.first(
                """
                SELECT counts_until FROM issued_offer
                WHERE scope_id = ?1 AND offer_id = ?2 AND places = 1 AND redemptions = 0
                ORDER BY counts_until LIMIT 1
                """, scope, offer) ?? .distantFuture
        memory.contents.counters[place]?.firstEnd = end
        return end
    }

    func unmatched(_ place: UnmatchedPlace) throws -> [ProductId: Int] {
        if let known = memory?.contents.unmatched[place] { return known }
        if hasReadAll(in: place.scope) { return [:] }
        let unmatched: [ProductId: Int] = try transaction.dictionary(
            """
            SELECT product_id, amount FROM redemption_counter
            WHERE scope_id = ?1 AND offer_type = ?2 AND offer_identifier = ?3
            AND subscription_group_identifier = ?4 AND amount > 0
            """, place.scope, place.type, place.identifier, place.group)
        memory?.contents.unmatched[place] = unmatched
        return unmatched
    }
}

/// A transaction's cache of the counters of one offer. Every issued offer changes them: those that share a commit
/// read them once and write them once.
struct RememberedCounters {
    struct Place: Hashable {
        let scope: ScopeNumber
        let offer: OfferId
    }

    /// The value of each counter, by the name of its unit; a missing one is 0.
    var amounts: [String: Int64] = [:]
    var changed: Set<String> = []
    /// The first instant at which one of the offer's issued offers stops counting: until then none has passed. Absent
    /// if it is not known.
    var firstEnd: Instant?
}

struct UnmatchedPlace: Hashable {
    let scope: ScopeNumber
    let type: TransactionOfferType
    let identifier: OfferIdentifier
    let group: SubscriptionGroupId
}

extension TransactionCache {
    /// Notes that issued offers have changed: any of them may stop counting at another time now.
    func forgetEnds() {
        for place in contents.counters.keys { contents.counters[place]?.firstEnd = nil }
    }

    func note(issuedOfferOf place: RememberedCounters.Place, countsUntil end: Instant) {
        guard let known = contents.counters[place]?.firstEnd, end < known else { return }
        contents.counters[place]?.firstEnd = end
    }

    /// Writes the counters that were only remembered, for statements that read the table.
    func writeCounters(to transaction: any StoreTransaction) throws {
        for (place, known) in contents.counters where !known.changed.isEmpty {
            for unit in known.changed.sorted() {
                try CounterStore(transaction).write(known.amounts[unit] ?? 0, unit, of: place.offer, in: place.scope)
            }
            contents.counters[place]?.changed = []
        }
    }
}

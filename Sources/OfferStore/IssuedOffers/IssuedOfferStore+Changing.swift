public import OfferModel

extension IssuedOfferStore {
    /// Changes issued offers and tells the audit what changed, one event an issued offer. Nothing else updates
    /// `issued_offer`, but a merge's change of owner, which the event of the merge tells.
    ///
    /// - Parameters:
    ///   - condition: which issued offers; its placeholders begin at `?1`.
    ///   - change: the assignments; their placeholders go on after the condition's.
    /// - Returns: the changed rows as the audit sees them, the earliest first.
    @discardableResult
    func change(
        _ kind: AuditKind, where condition: String, _ values: [StoredValue], set change: String,
        _ changes: [StoredValue], at now: Instant
    ) throws -> [ChangedIssuedOffer] {
        let table = LedgerTable.issuedOffer
        let before = try transaction.rows(
            Statement("SELECT \(table.stateList), scope_id FROM issued_offer WHERE \(condition)", values: values))
        guard !before.isEmpty else { return [] }
        let log = try transaction.audit()
        var states: [Int64: AuditValues] = [:]
        for row in before { states[try row.value(0)] = try log.state(table, row) }
        let after = try transaction.rows(
            Statement(
                "UPDATE issued_offer SET \(change) WHERE \(condition) RETURNING \(table.stateList), scope_id",
                values: values + changes)
        ).map { row in
            ChangedIssuedOffer(
                sequence: try row.value(0), scope: try row.value(row.values.count - 1),
                state: try log.state(table, row))
        }
        transaction.memory?.forgetEnds()
        let changed = after.sorted { $0.sequence < $1.sequence }
        for issuedOffer in changed {
            let told = issuedOffer.state.differences(from: states[issuedOffer.sequence] ?? [:])
            log.record(
                kind, at: now, in: issuedOffer.scope, issuedOffer: issuedOffer.sequence, before: told.before,
                after: told.after)
        }
        return changed
    }

    struct ChangedIssuedOffer {
        let sequence: Int64
        let scope: ScopeNumber
        let state: AuditValues
    }

    /// Marks issued offers as redeemed: they are no longer open, so that the offer may be issued to the same customer
    /// again where its limits allow it. They go on counting, because a redemption counts permanently
    /// (docs/design.md#issued-offers-and-limits).
    public func settle(_ redeemed: [LowercaseUUID], at now: Instant, in scope: ScopeNumber) throws {
        for id in redeemed {
            try change(
                .settlement, where: "id = ?1 AND scope_id = ?2 AND voided_at IS NULL AND settled_at IS NULL",
                [id.storedValue, scope.storedValue], set: "settled_at = ?3", [now.storedValue], at: now)
        }
    }

    /// How many passed issued offers one transaction settles at most.
    public static let settledAtOnce = 500

    /// How long after its end an issued offer is settled: requests that began a moment before still count it.
    ///
    /// A request that is older than this when it commits has to look again.
    public static let settlingDelay: Int64 = Instant.Duration.minute

    /// Takes passed issued offers of any offer off its counters: nothing else settles those of an offer that is
    /// no longer issued.
    ///
    /// - Returns: how many; as many as `limit` if there may be more.
    public func settlePassed(at now: Instant, limit: Int) throws -> Int {
        try transaction.memory?.writeCounters(to: transaction)
        let offers: [(ScopeNumber, OfferId)] = try transaction.all(
            """
            SELECT scope_id, offer_id FROM offer_counter AS counter
            WHERE unit = ?1 AND amount > 0 AND EXISTS (
                SELECT 1 FROM issued_offer AS issued
                WHERE issued.scope_id = counter.scope_id AND issued.offer_id = counter.offer_id
                AND issued.places = 1 AND issued.redemptions = 0 AND issued.counts_until <= ?2
            )
            ORDER BY scope_id, offer_id
            """, CounterUnit.places.name, now.adding(milliseconds: -Self.settlingDelay))
        var settled = 0
        for (scope, offer) in offers where settled < limit {
            settled += try settlePassed(of: offer, at: now, in: scope, atMost: limit - settled)
        }
        return settled
    }

    /// Takes passed issued offers of an offer off its counters, the first to pass first, so that reading them stays
    /// quick.
    ///
    /// Nothing relies on it: readers of a counter leave out what has passed.
    @discardableResult
    public func settlePassed(
        of offer: OfferId, at now: Instant, in scope: ScopeNumber, atMost limit: Int = settledAtOnce
    ) throws -> Int {
        let latest = now.adding(milliseconds: -Self.settlingDelay)
        if let end = try CounterStore(transaction).rememberedEnd(of: offer, in: scope), end > latest { return 0 }
        let passed = """
            sequence IN (
                SELECT sequence FROM issued_offer
                WHERE scope_id = ?1 AND offer_id = ?2 AND places = 1 AND redemptions = 0 AND counts_until <= ?3
                ORDER BY counts_until LIMIT \(limit)
            )
            """
        let costs: [(Int64?, String?)] = try transaction.all(
            "SELECT cost, cost_currency FROM issued_offer WHERE \(passed)", scope, offer, latest)
        guard !costs.isEmpty else { return 0 }
        try change(
            .settlement, where: passed, .of(scope, offer, latest),
            set: "places = 0, settled_at = COALESCE(settled_at, ?4)", .of(now), at: now)
        var spent: [String: Int64] = [:]
        for case (let cost?, let currency?) in costs {
            spent[currency] = (spent[currency] ?? 0).saturatingAdding(cost)
        }
        try count(-Int64(costs.count), .places, of: offer, at: now, in: scope)
        for (currency, amount) in spent.sorted(by: { $0.key < $1.key }) {
            try count(Int64(0).saturatingSubtracting(amount), .money(currency), of: offer, at: now, in: scope)
        }
        return costs.count
    }

    /// Puts issued offers back on their offers' counters that were settled by a clock that had run ahead: their
    /// signatures live on, so they count until their end after all (invariant 2).
    ///
    /// - Parameter now: the instant that the clock is set back to.
    public func countAgain(after now: Instant) throws {
        let settled: [LowercaseUUID] = try transaction.all(
            """
            SELECT id FROM issued_offer
            WHERE places = 0 AND redemptions = 0 AND is_released = 0 AND grant_id IS NULL AND counts_until > ?1
            ORDER BY sequence
            """, now)
        for id in settled { try setUse(of: id, .clockReset, at: now) { _ in 1 } }
    }

    /// - Parameters:
    ///   - redemptions: how many redemptions used it; as many as before if absent.
    ///   - places: how many places it takes from now on, given the issued offer with those redemptions. One that a grant
    ///     gave takes none for its one use, and one for each further redemption.
    func setUse(
        of id: LowercaseUUID, redemptions: Int? = nil, _ kind: AuditKind, at now: Instant,
        places: (StoredIssuedOffer) -> Int
    ) throws {
        let found: StoredIssuedOffer? = try transaction.first(
            "SELECT \(Self.columns) FROM issued_offer WHERE id = ?1", id)
        guard let found else { throw StoreError.corrupt("the issued offer `\(id)` is missing") }
        var used = found
        used.redemptions = redemptions ?? found.redemptions
        let taken = found.issuedOffer.grantId == nil ? places(used) : max(0, used.redemptions - 1)
        try change(
            kind, where: "id = ?1", [id.storedValue], set: "redemptions = ?2, places = ?3",
            [used.redemptions.storedValue, taken.storedValue], at: now)
        let (scope, offer) = (found.scope, found.issuedOffer.offerId)
        let more = Int64(taken.saturatingSubtracting(found.places))
        try count(more, .places, of: offer, at: now, in: scope)
        guard let cost = found.issuedOffer.cost else { return }
        try count(
            more.saturatingMultiplied(by: cost.milliunits), .money(cost.currency), of: offer, at: now, in: scope)
    }

    /// - Throws: ``StoreError/constraint(_:)`` that ``CounterStore/isCapReached(_:)`` if a counter would show more than
    ///   its cap.
    func count(
        _ amount: Int64, _ unit: CounterUnit, of offer: OfferId, caps: [CounterStore.Cap] = [], at now: Instant,
        in scope: ScopeNumber
    ) throws {
        let cap = caps.filter { $0.unit == unit }.map(\.most).min()
        guard try CounterStore(transaction).add(amount, unit, of: offer, cap: cap, at: now, in: scope) else {
            throw StoreError.constraint(CounterStore.capPrefix + unit.name)
        }
    }

    /// Notes how often each issued offer of a customer was redeemed, by whichever customer: as often as redemptions are
    /// recorded of it. A redeemed issued offer is settled and takes as many places as it has redemptions, permanently,
    /// also one that had passed or was released.
    func redeem(of customer: CustomerNumber, at now: Instant) throws {
        let issuedOffers: [(LowercaseUUID, Int, Int)] = try transaction.all(
            """
            SELECT id, redemptions,
                (SELECT COUNT(*) FROM redemption r WHERE r.issued_offer_id = issued_offer.id)
            FROM issued_offer WHERE customer_id = ?1
            """, customer)
        for (id, noted, known) in issuedOffers.sorted(by: { $0.0 < $1.0 }) where noted != known {
            try setUse(of: id, redemptions: known, .redemption, at: now) { use in
                use.redemptions > 0 ? use.redemptions : use.issuedOffer.isReleased ? 0 : 1
            }
            guard known > 0 else { continue }
            try change(
                .settlement, where: "id = ?1 AND voided_at IS NULL AND settled_at IS NULL", [id.storedValue],
                set: "settled_at = ?2", [now.storedValue], at: now)
        }
    }

    /// Notes which issued offers of a customer were passed over: the customer bought at full price right after.
    ///
    /// - Returns: of how many that was not known.
    func noteFullPrice(
        _ purchases: [LowercaseUUID: TransactionId], of customer: CustomerNumber, at now: Instant
    ) throws -> Int {
        var news = 0
        let issuedOffers: [(LowercaseUUID, TransactionId?)] = try transaction.all(
            "SELECT id, full_price_transaction_id FROM issued_offer WHERE customer_id = ?1", customer)
        for (id, noted) in issuedOffers {
            // An erased one stays noted: the purchase was made, and the history that showed it is gone.
            guard purchases[id] != noted, noted?.isErased != true else { continue }
            try change(
                .fullPrice, where: "id = ?1", [id.storedValue], set: "full_price_transaction_id = ?2",
                [purchases[id].storedValue], at: now)
            if noted == nil { news += 1 }
        }
        return news
    }
}

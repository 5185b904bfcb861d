import OfferModel
import OfferStore

/// What everyone together has used of an offer.
struct OfferUsage {
    let uses: Int
    /// Of these, the redemptions without an issued offer.
    let unmatched: Int
    /// In milliunits, by currency.
    let spent: [String: Int64]

    /// Redemptions without an issued offer cost what the catalog says of their products.
    init(_ counters: OfferCounters, of offer: Offer, in catalog: Catalog) {
        var spent = counters.spent
        for (product, count) in counters.unmatched {
            guard let cost = catalog.cost(of: offer, on: product, times: count) else { continue }
            spent[cost.currency] = (spent[cost.currency] ?? 0).saturatingAdding(cost.milliunits)
        }
        unmatched = counters.unmatched.values.saturatingSum()
        uses = counters.places.saturatingAdding(unmatched)
        self.spent = spent
    }

    /// What it has taken of a total or a budget.
    func allowance(_ limit: SharedLimit) -> SharedAllowance {
        switch limit.unit {
        case .places: SharedAllowance(limit, taken: Int64(uses))
        case .money(let currency): SharedAllowance(limit, taken: spent[currency] ?? 0)
        }
    }
}

extension OfferPace {
    /// The pace of an offer's latest redemptions; costs are counted as ``OfferUsage`` counts them.
    init(_ redemptions: [RecentRedemptions], of offer: Offer, in catalog: Catalog) {
        self.init(
            redemptions: redemptions.map(\.count).saturatingSum(), first: redemptions.map(\.first).min())
        for group in redemptions {
            let unmatched = catalog.cost(of: offer, on: group.productId, times: group.count)
            guard let cost = group.offerId == nil ? unmatched : group.cost else { continue }
            spent[cost.currency] = (spent[cost.currency] ?? 0).saturatingAdding(cost.milliunits)
        }
    }
}

extension Catalog {
    fileprivate func cost(of offer: Offer, on product: ProductId, times count: Int) -> Money? {
        self.product(product).flatMap { offer.cost(on: $0.product) }.map { each in
            Money(milliunits: each.milliunits.saturatingMultiplied(by: Int64(count)), currency: each.currency)
        }
    }
}

extension ActivePause {
    fileprivate func isOf(_ offer: Offer) -> Bool {
        guard let offerId else { return true }
        return offer.has(offerId)
    }
}

extension [ActivePause] {
    /// The pause of the kill switch that keeps an offer back for longest; of two alike, that of every offer.
    func killSwitch(of offer: Offer, at now: Instant) -> ActivePause? {
        filter { $0.isOfKillSwitch && $0.isInForce(at: now) && $0.isOf(offer) }.max { earlier, later in
            let ends = [earlier, later].map { $0.endsAt ?? .distantFuture }
            return ends[0] == ends[1] ? later.covers == .everyOffer : ends[0] < ends[1]
        }
    }

    /// What keeps an offer back: the kill switch, else what a restore may have forgotten.
    func pause(of offer: Offer, at now: Instant) -> ActivePause? {
        killSwitch(of: offer, at: now)
            ?? (offer.isLimited ? first { $0.covers == .limitedOffers && $0.isInForce(at: now) } : nil)
    }
}

/// One limit that all customers share: a total or a budget, with its place among the offer's limits.
public struct SharedLimit: Sendable, Hashable {
    public var index: Int
    public var unit: CounterUnit
    /// How much it allows: places, or milliunits.
    public var allowed: Int64

    public static func all(of offer: Offer) -> [SharedLimit] {
        offer.limits.enumerated().compactMap { index, limit in
            switch limit {
            case .perCustomer, .perAccount: nil
            case .total(let count): SharedLimit(index: index, unit: .places, allowed: Int64(count))
            case .budget(let money):
                SharedLimit(index: index, unit: .money(money.currency), allowed: money.milliunits)
            }
        }
    }

    /// The uses under it, as one customer sees them.
    ///
    /// - Parameters:
    ///   - open: the customer's own open issued offer, which does not count against itself.
    ///   - now: the instant of the question; later than the counters' where a decision looks ahead.
    /// - Returns: `nil` if the cost is unknown in the budget's currency.
    public func use(
        _ question: Question, counters: OfferCounters, open: LowercaseUUID?, at now: Instant
    ) -> SharedUse? {
        // Asking again is not a new use, and what has passed since the counters were read does not count any more.
        let own = counters.open.filter { $0.id == open || $0.countsUntil <= now }
        switch unit {
        case .places:
            let unmatched = Int64(counters.unmatched.values.saturatingSum())
            let taken = Int64(counters.places).saturatingSubtracting(Int64(own.count)).saturatingAdding(unmatched)
            return SharedUse(limit: self, taken: taken, unmatched: unmatched, asked: 1)
        case .money(let currency):
            guard let cost = question.cost(of: question.productId, in: currency) else { return nil }
            var unmatched: Int64 = 0
            for (product, count) in counters.unmatched {
                let each = question.cost(of: product, in: currency) ?? cost
                unmatched = unmatched.saturatingAdding(each.saturatingMultiplied(by: Int64(count)))
            }
            let ownCost = own.lazy.filter { $0.currency == currency }.compactMap(\.cost).saturatingSum()
            // A further signing may be for a dearer product; both can be redeemed, and one of them will be.
            let frozen = own.first { $0.id == open && $0.currency == currency }?.cost ?? 0
            return SharedUse(
                limit: self,
                taken: (counters.spent[currency] ?? 0).saturatingAdding(unmatched).saturatingSubtracting(ownCost),
                unmatched: unmatched, asked: max(cost, frozen))
        }
    }
}

/// The uses under a shared limit, and the amount that one more would take.
public struct SharedUse: Sendable, Hashable {
    public var limit: SharedLimit
    /// The amount that others have taken: places, or milliunits.
    public var taken: Int64
    /// How much of that by redemptions without an issued offer, which are counted apart.
    public var unmatched: Int64
    /// The amount that the requested use takes.
    public var asked: Int64

    /// How much too little is left; zero or less if the use fits.
    public var shortfall: Int64 { taken.saturatingAdding(asked).saturatingSubtracting(limit.allowed) }

    /// How much more than allowed is taken already: by redemptions that became known late, or since the allowance was
    /// lowered. Zero or less if nothing is.
    public var overrun: Int64 { taken.saturatingSubtracting(limit.allowed) }
}

extension Question {
    /// The nominal cost of the offer on a product, in milliunits; never negative.
    func cost(of id: ProductId, in currency: String) -> Int64? {
        guard let product = products.first(where: { $0.productId == id }), let cost = offer.cost(on: product),
            cost.currency == currency
        else { return nil }
        return cost.milliunits
    }

    /// The nominal cost of the offer on the requested product, as it is frozen on an issued offer
    /// (docs/design.md#issued-offers-and-limits).
    public var cost: Money? {
        products.first { $0.productId == productId }.flatMap { offer.cost(on: $0) }
    }
}

extension Offer {
    /// The nominal cost on a product: the customer's saving, never negative.
    public func cost(on product: Product) -> Money? {
        value(on: product).map { Money(milliunits: max(0, $0.milliunits), currency: $0.currency) }
    }
}

extension SharedLimit: JudgedLimit {
    func finding(_ rule: some Rule, _ context: RuleContext) -> Finding {
        guard let counters = context.counters else {
            return rule.unknown("how much of \(words(allowed)) is taken", .usesNotCounted)
        }
        guard
            let use = use(context.question, counters: counters, open: context.use.openIssuedOffer?.id, at: context.now)
        else {
            let reason: ReasonCode = context.question.isProductKnown ? .currencyMismatch : .groupUnknown
            var finding = rule.unknown("what the offer costs of \(words(allowed))", reason)
            finding.turningPoint = .event(.catalogChanged)
            return finding
        }
        return finding(rule, use, counters, context)
    }

    private func finding(
        _ rule: some Rule, _ use: SharedUse, _ counters: OfferCounters, _ context: RuleContext
    ) -> Finding {
        var evidence = [Evidence(field: rule.id.rawValue, observed: value(use.taken), required: value(allowed))]
        if case .money = unit { evidence.append(Evidence(field: "offer.cost", observed: value(use.asked))) }
        if use.overrun > 0 { evidence.append(Evidence(field: "overrun", observed: value(use.overrun))) }
        if counters.asOf != context.now {
            evidence.append(Evidence(field: "counted", observed: .instant(counters.asOf)))
        }
        let ending = use.shortfall > 0 ? counters.ending(of: use.shortfall, unit) : nil
        let hasFreed = ending?.at.map { $0 <= context.now } == true
        guard use.shortfall > 0, !hasFreed else { return rule.satisfied(sentence(use), evidence: evidence) }
        if let frees = ending?.at { evidence.append(Evidence(field: "nextPlaceFrees", observed: .instant(frees))) }
        return rule.violated(
            .limitReached, "\(sentence(use)); \(words(ending))", evidence: evidence,
            turningPoint: (ending?.at).map(TurningPoint.at))
    }

    private func sentence(_ use: SharedUse) -> String {
        let overrun = use.overrun > 0 ? ", \(words(use.overrun)) more than allowed" : ""
        switch unit {
        case .places: return "\(use.taken) of \(allowed) uses across all customers\(overrun)"
        case .money(let currency):
            let taken = Money(milliunits: use.taken, currency: currency).amount
            return
                "\(taken) of \(words(allowed)) spent across all customers\(overrun), and the offer costs \(words(use.asked))"
        }
    }

    private func words(_ ending: OfferCounters.Ending?) -> String {
        guard let ending else { return "when enough becomes available was not computed" }
        return ending.at.map { "available again at \($0)" } ?? "nothing becomes available with time"
    }

    private func words(_ amount: Int64) -> String {
        switch unit {
        case .places: "\(amount)"
        case .money(let currency): "\(Money(milliunits: amount, currency: currency))"
        }
    }

    private func value(_ amount: Int64) -> EvidenceValue {
        switch unit {
        case .places: .number(Int(amount))
        case .money(let currency): .value(.money(Money(milliunits: amount, currency: currency)))
        }
    }
}

extension Question {
    fileprivate var isProductKnown: Bool { products.contains { $0.productId == productId } }
}

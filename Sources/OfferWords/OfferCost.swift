package import OfferModel

/// The cost of an offer in words: the nominal discount by the catalog's prices, as budgets count it.
package struct OfferCost {
    private let offer: Offer
    /// The cost of a use of each product; `nil` if the catalog lacks a price.
    private let costs: [(product: ProductId, cost: Money?)]

    package init(_ offer: Offer, in catalog: Catalog) {
        self.offer = offer
        costs = offer.products.map { id in
            (id, catalog.product(id).flatMap { offer.cost(on: $0.product) })
        }
    }

    /// `14.97 USD`, or `14.97 USD (`monthly`) or 59.88 USD (`yearly`)`.
    package var perUse: String {
        let known = costs.compactMap { entry in entry.cost.map { (entry.product, $0) } }
        guard known.count == costs.count, let first = known.first else {
            return "not known: the prices in the catalog are in several currencies"
        }
        return known.allSatisfy { $0.1 == first.1 }
            ? "\(first.1)" : known.map { "\($0.1) (`\($0.0)`)" }.joined(separator: " or ")
    }

    /// The most that all customers together can cost if each use is redeemed once, then how many times it can be
    /// redeemed.
    package var maximum: String {
        guard offer.delivery != .appStore else { return "unlimited: Apple also shows this offer by itself" }
        // Each live signature can be redeemed (docs/signing.md#one-issued-offer-several-signatures).
        let signatures = offer.delivery == .signature ? offer.signaturesPerOffer * offer.formats.count : 1
        let hasAmount = limited.contains(where: \.isNumber)
        return limited
            + (signatures > 1 && hasAmount ? "; up to \(signatures) times that if every signature is used" : "")
    }

    private var limited: String {
        let uses = offer.limits.compactMap { limit in if case .total(let count) = limit { count } else { nil } }.min()
        let budget = offer.limits.compactMap { limit in if case .budget(let money) = limit { money } else { nil } }
            .min { $0.milliunits < $1.milliunits }
        let ofUses = uses.flatMap { times($0) }
        switch (budget, ofUses) {
        case (let budget?, let ofUses?)
        where ofUses.currency != budget.currency || budget.milliunits <= ofUses.milliunits:
            return "\(budget), its budget"
        case (let budget?, nil): return "\(budget), its budget"
        case (_, let ofUses?): return "\(ofUses), for \((uses ?? 0).counted("use"))"
        case (nil, nil): return uses.map { "the cost of \($0.counted("use"))" } ?? perPerson
        }
    }

    private var perPerson: String {
        let limits = offer.limits.compactMap { limit -> (count: Int, window: Period?, noun: String)? in
            switch limit {
            case .perCustomer(let count, let window, _): (count, window, "customer")
            case .perAccount(let count, let window): (count, window, "app account")
            case .total, .budget: nil
            }
        }
        if let least = limits.filter({ $0.window == nil }).min(by: { $0.count < $1.count }) {
            return "unlimited" + (times(least.count).map { "; \($0) per \(least.noun)" } ?? "")
        }
        guard let first = limits.first, let window = first.window else { return "unlimited" }
        return "unlimited" + (times(first.count).map { "; \($0) per \(first.noun) in any \(window.words)" } ?? "")
    }

    /// The cost of that many uses of the dearest product; `nil` if there are several currencies.
    private func times(_ count: Int) -> Money? {
        let known = costs.compactMap(\.cost)
        guard known.count == costs.count, Set(known.map(\.currency)).count == 1,
            let dearest = known.max(by: { $0.milliunits < $1.milliunits })
        else { return nil }
        return Money(
            milliunits: dearest.milliunits.saturatingMultiplied(by: Int64(count)), currency: dearest.currency)
    }
}

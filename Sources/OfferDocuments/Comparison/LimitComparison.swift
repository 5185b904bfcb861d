import OfferModel

extension CatalogEffect {
    /// - Parameter unlimited: how often a customer may have the offer without limits.
    static func ofLimits(_ old: [Limit], _ new: [Limit], unlimited: String) -> Self {
        // Every limit must hold, so one that another implies changes nothing.
        func holds(_ limit: Limit, in limits: [Limit]) -> Bool { limits.contains { $0.implies(limit) } }
        let widens = !old.allSatisfy { holds($0, in: new) }
        let takesAway = !new.allSatisfy { holds($0, in: old) }
        let words =
            switch (widens, takesAway) {
            case (true, false): new.isEmpty ? "without limits, \(unlimited)" : "it may be issued more often"
            case (false, true): "it may be issued less often; customers who had more keep it"
            case (true, true): "in one way it may be issued more often, in another less"
            case (false, false): "the same limits in another order"
            }
        return Self(takesAway: takesAway, widens: widens, words)
    }
}

extension Limit {
    /// Whether uses that keep to this limit keep to the other one too.
    fileprivate func implies(_ other: Limit) -> Bool {
        switch (self, other) {
        case (.perCustomer(let count, let window, let across), .perCustomer(let most, let otherWindow, let otherAcross)):
            // All offers include this one and those of any tag.
            count <= most && (across == otherAcross || across == .all) && Self.holds(window, otherWindow)
        case (.perAccount(let count, let window), .perAccount(let most, let otherWindow)):
            count <= most && Self.holds(window, otherWindow)
        case (.total(let count), .total(let most)): count <= most
        case (.budget(let money), .budget(let most)):
            money.currency == most.currency && money.milliunits <= most.milliunits
        case (.perCustomer, _), (.perAccount, _), (.total, _), (.budget, _): false
        }
    }

    /// Whether one window holds another, at every time. Without one, uses count forever.
    private static func holds(_ window: Period?, _ other: Period?) -> Bool {
        guard let window else { return true }
        return other.map { $0 == window || $0.isCertainlyShorter(than: window) } ?? false
    }
}

import OfferModel

/// What two facts say about each other, whatever the state.
enum LinkedFacts {
    /// - Parameter points: where each fact can be, as far as it is compared.
    static func areCompatible(_ points: [String: [FactPoint]]) -> Bool {
        daysFitMonths(points) && changeFitsRenewal(points)
    }

    /// A calendar month has 28 to 31 days. Compared are the bounds only, because the points are no complete list.
    private static func daysFitMonths(_ points: [String: [FactPoint]]) -> Bool {
        guard let days = range(points["subscription.daysSinceExpired"]),
            let months = range(points["subscription.monthsSinceExpired"])
        else { return true }
        return days.upperBound >= 28 * months.lowerBound && days.lowerBound <= 31 * (months.upperBound + 1)
    }

    /// A change of product waits for a renewal, so it is not known of a subscription that does not renew.
    private static func changeFitsRenewal(_ points: [String: [FactPoint]]) -> Bool {
        guard let pending = points["subscription.pendingProductId"], let renewing = points["subscription.willAutoRenew"]
        else { return true }
        let isKnown = pending.allSatisfy { if case .absent = $0 { false } else { true } }
        let doesNotRenew = renewing.allSatisfy { if case .value(.boolean(false)) = $0 { true } else { false } }
        return !(isKnown && doesNotRenew)
    }

    /// The bounds of the numbers; `nil` where the fact may be absent or is not compared.
    private static func range(_ points: [FactPoint]?) -> ClosedRange<Double>? {
        guard let points else { return nil }
        let numbers = points.compactMap { point in if case .value(let value) = point { value.magnitude } else { nil } }
        guard numbers.count == points.count, let least = numbers.min(), let most = numbers.max() else { return nil }
        return least...most
    }
}

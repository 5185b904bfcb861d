import OfferModel

/// What the App Store's own rules demand of a customer, in the words of the vocabulary (`platform.*`, docs/design.md#decisions).
struct PlatformDemand {
    let demand: Demand
    /// The rule, for people.
    let reason: String
}

extension Offer {
    /// Empty where the condition and the rules need not hold at once: an offer that was found open stays so.
    var platformDemands: [PlatformDemand] {
        guard availableFor == nil else { return [] }
        let bought = PlatformDemand(
            demand: .claim("customer.everSubscribed", is: .boolean(true)),
            reason: "Apple: such an offer is for customers who have or had a subscription in the app")
        switch type {
        case .introductory:
            let states: [SubscriptionStateName] = [.neverSubscribed, .inBillingRetryPeriod, .expired, .revoked]
            return [
                PlatformDemand(
                    demand: .claim("subscription.state", isOneOf: states.map { .text($0.rawValue) }),
                    reason: "Apple: an introductory offer is for customers without an active subscription in the group")
            ]
        case .promotional:
            return [bought]
        case .winBack:
            return [
                PlatformDemand(
                    demand: .claim("subscription.state", is: .text(SubscriptionStateName.expired.rawValue)),
                    reason: "a win-back offer is for customers whose subscription has lapsed: the state `expired`"),
                PlatformDemand(
                    demand: .claim("subscription.everInGroup", is: .boolean(true)),
                    reason: "a win-back offer is for customers who bought the lapsed subscription themselves"),
                bought,
            ]
        }
    }
}

extension Demand {
    static func claim(_ fact: String, is value: FactValue) -> Demand {
        claim(fact, isOneOf: [value])
    }

    static func claim(_ fact: String, isOneOf values: [FactValue]) -> Demand {
        .comparison(
            Claim(
                comparison: Comparison(fact: fact, comparisonOperator: .in, operands: values), holds: true, path: ""))
    }

    /// It must be known that the fact has another value.
    static func claim(_ fact: String, isNot value: FactValue) -> Demand {
        .comparison(
            Claim(
                comparison: Comparison(fact: fact, comparisonOperator: .is, operands: [value]), holds: false, path: ""))
    }
}

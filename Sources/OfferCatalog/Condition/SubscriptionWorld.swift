import OfferModel

/// One way the subscription can stand, which bounds what its facts can be (docs/design.md#history-and-state, docs/eligibility.md).
struct SubscriptionWorld {
    /// The state; `nil` while it is not known.
    let state: SubscriptionStateName?
    /// Whether the customer ever bought a subscription of the group; `nil` while that is not known.
    let everInGroup: Bool?

    /// Every way there is.
    static let all: [SubscriptionWorld] = (SubscriptionStateName.allCases.map(Optional.some) + [nil]).flatMap { state in
        [true, false, nil].map { SubscriptionWorld(state: state, everInGroup: $0) }
    }
    .filter { $0.state != .neverSubscribed || $0.everInGroup != true }

    /// Whether the fact can be that in this world; what is not known of a fact counts as possible.
    func allows(_ point: FactPoint, of fact: String) -> Bool {
        if case .absent = point { return true }
        let value: FactValue? = if case .value(let value) = point { value } else { nil }
        switch fact {
        case "subscription.state": return state.map { value == .text($0.rawValue) } ?? false
        case "subscription.everInGroup": return everInGroup.map { value == .boolean($0) } ?? false
        case "subscription.isInTrial":
            return value == .boolean(true) ? state == .introductoryOffer : state != nil
        case "subscription.daysUntilExpiry": return mayHaveAccess
        case "subscription.daysSinceExpired", "subscription.monthsSinceExpired": return hasLostAccess
        case "subscription.productId", "subscription.willAutoRenew", "subscription.expirationIntent",
            "subscription.renewalPrice", "subscription.pendingProductId":
            return state != .neverSubscribed
        case "subscription.paidMonths", "subscription.paidPeriods":
            return everInGroup == true || value == .number(0)
        case "customer.everSubscribed":
            return everInGroup != true || value == .boolean(true)
        default: return true
        }
    }

    /// The states in which a fact can be known, where that depends on the state.
    static func states(knowing fact: String) -> [SubscriptionStateName]? {
        let point = FactPoint.value(.number(0))
        switch fact {
        case "subscription.daysUntilExpiry", "subscription.daysSinceExpired", "subscription.monthsSinceExpired":
            return SubscriptionStateName.allCases.filter { state in
                SubscriptionWorld(state: state, everInGroup: nil).allows(point, of: fact)
            }
        default: return nil
        }
    }

    private var mayHaveAccess: Bool {
        switch state {
        case .introductoryOffer, .subscribed, .inGracePeriod: true
        case .neverSubscribed, .inBillingRetryPeriod, .expired, .revoked, nil: false
        }
    }

    private var hasLostAccess: Bool {
        switch state {
        case .inBillingRetryPeriod, .expired, .revoked: true
        case .neverSubscribed, .introductoryOffer, .subscribed, .inGracePeriod, nil: false
        }
    }
}

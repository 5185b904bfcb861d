import OfferModel

/// Whether constraints can hold together: exact about each fact by itself and about what the state of the subscription
/// says of its facts, and "yes" wherever it does not know. So it never calls impossible what is possible.
struct Satisfiability {
    /// How many comparisons with an operand one catalog may cost; beyond it everything counts as possible.
    private(set) var budget = 500_000

    /// Without it, nothing is called impossible any more.
    var hasBudget: Bool { budget > 0 }

    mutating func canHold(_ constraints: [Constraint]) -> Bool {
        !hasBudget || canHold(constraints, [])
    }

    /// Collects what has to hold anyway, then tries the alternatives of one group after the other.
    private mutating func canHold(_ constraints: [Constraint], _ literals: [Literal]) -> Bool {
        var literals = literals
        var choices: [[Constraint]] = []
        var waiting = constraints
        while let constraint = waiting.popLast() {
            budget -= 1
            switch constraint {
            case .comparison(let literal): literals.append(literal)
            case .all(let children, _): waiting += children
            case .any(let children, _): choices.append(children)
            }
        }
        guard hasBudget else { return true }
        guard areCompatible(literals) else { return false }
        guard let alternatives = choices.popLast() else { return true }
        let rest = choices.map { Constraint.any($0, path: "") }
        for alternative in alternatives where canHold(rest + [alternative], literals) { return true }
        return false
    }

    private mutating func areCompatible(_ literals: [Literal]) -> Bool {
        // Those that are not plain decide nothing and are still examined.
        budget -= literals.count
        guard hasBudget else { return true }
        var points: [String: [FactPoint]] = [:]
        for (fact, literals) in Dictionary(grouping: literals.filter(\.comparison.isPlain), by: \.comparison.fact) {
            let operands = literals.reduce(0) { $0 + $1.comparison.operands.count + 1 }
            // A few points for each operand, each compared with every operand; then with every state.
            budget -= 4 * operands * operands + StateModel.all.count
            guard hasBudget else { return true }
            let possible = FactPoints.all(of: fact, comparedBy: literals.map(\.comparison)).filter { point in
                literals.allSatisfy { $0.comparison.holds(at: point) == $0.holds }
            }
            guard !possible.isEmpty else { return false }
            points[fact] = possible
        }
        guard LinkedFacts.areCompatible(points) else { return false }
        return StateModel.all.contains { state in
            points.allSatisfy { fact, points in points.contains { state.allows($0, of: fact) } }
        }
    }
}

/// One possible state of the subscription, which bounds the values of its facts (docs/design.md#history-and-state,
/// docs/eligibility.md).
struct StateModel {
    /// `nil` while it is unknown.
    let state: SubscriptionStateName?
    /// Whether the customer ever bought a subscription of the group; `nil` while unknown.
    let everInGroup: Bool?

    static let all: [StateModel] = (SubscriptionStateName.allCases.map(Optional.some) + [nil]).flatMap { state in
        [true, false, nil].map { StateModel(state: state, everInGroup: $0) }
    }
    .filter { $0.state != .neverSubscribed || $0.everInGroup != true }

    /// Whether the fact can have that value in this state; what is unknown counts as possible.
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
            "subscription.renewalPrice", "subscription.pendingProductId", "subscription.offerType",
            "subscription.discountType", "subscription.period", "subscription.level", "subscription.billingPlan",
            "subscription.priceIncreaseStatus", "subscription.startedAt":
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
        let dates = [
            "subscription.daysUntilExpiry", "subscription.daysSinceExpired", "subscription.monthsSinceExpired",
        ]
        guard dates.contains(fact) else { return nil }
        return SubscriptionStateName.allCases.filter { state in
            StateModel(state: state, everInGroup: nil).allows(.value(.number(0)), of: fact)
        }
    }

    private var mayHaveAccess: Bool {
        state.map { [.introductoryOffer, .subscribed, .inGracePeriod].contains($0) } ?? false
    }

    private var hasLostAccess: Bool { state.map { [.inBillingRetryPeriod, .expired, .revoked].contains($0) } ?? false }
}

/// The relation of two facts, whatever the state.
enum LinkedFacts {
    static func areCompatible(_ points: [String: [FactPoint]]) -> Bool {
        daysFitMonths(points) && changeFitsRenewal(points) && purchasesFitOwning(points)
    }

    /// A product that was bought and not refunded is owned.
    private static func purchasesFitOwning(_ points: [String: [FactPoint]]) -> Bool {
        points.allSatisfy { fact, owns in
            guard case .owns(let product) = FactName(fact),
                let purchases = range(points[FactVocabulary.purchasesPrefix + product.rawValue])
            else { return true }
            let isNotOwned = owns.allSatisfy { if case .value(.boolean(false)) = $0 { true } else { false } }
            return !(isNotOwned && purchases.lowerBound > 0)
        }
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

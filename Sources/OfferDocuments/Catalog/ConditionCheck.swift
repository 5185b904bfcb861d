import OfferModel

/// Looks for what cannot be meant in an offer's condition: what can never hold, alternatives that are never reached,
/// and what holds whatever the facts are.
struct ConditionCheck {
    let field: Field
    let offer: Offer

    func run(_ solver: inout Satisfiability) {
        guard let node = offer.eligibility, !node.hasTypeConflict else { return }
        let constraint = Constraint(node)
        guard solver.canHold([constraint]) else {
            for conflict in Conflict.find(in: constraint, beside: [], &solver) {
                field.descendant(conflict.path).refuse(.contradiction, conflict.detail, hint: conflict.hint)
            }
            return
        }
        let platform = offer.platformConstraints
        guard solver.canHold([constraint] + platform.map(\.constraint)) else {
            refuse(platform, constraint, &solver)
            return
        }
        warnAboutNeverReached(constraint, beside: [], &solver)
        warnAboutAlwaysHolding(constraint, &solver)
        warnAboutEarlierBuyers(constraint, &solver)
    }

    /// The App Store's own rules and the condition exclude each other.
    private func refuse(_ platform: [PlatformConstraint], _ constraint: Constraint, _ solver: inout Satisfiability) {
        let conjunct = constraint.conjuncts.first { !solver.canHold([$0] + platform.map(\.constraint)) } ?? constraint
        let rule = platform.first { !solver.canHold([conjunct, $0.constraint]) } ?? platform.first
        field.descendant(conjunct.path).refuse(
            .contradiction, "\(conjunct.words) can never hold for \(offer.type.noun) offer", hint: rule?.reason)
    }

    /// - Parameter others: what has to hold beside the node for it to matter.
    private func warnAboutNeverReached(
        _ constraint: Constraint, beside others: [Constraint], _ solver: inout Satisfiability
    ) {
        switch constraint {
        case .comparison: return
        case .all(let children, _):
            for (index, child) in children.enumerated() where solver.hasBudget && child.literal == nil {
                var siblings = children
                siblings.remove(at: index)
                warnAboutNeverReached(child, beside: others + siblings, &solver)
            }
        case .any(let children, _):
            let platform = offer.platformConstraints
            for child in children where solver.hasBudget {
                if !solver.canHold(others + [child]) {
                    warn(child, Conflict.find(in: child, beside: others, &solver).first)
                } else if !solver.canHold(others + [child] + platform.map(\.constraint)) {
                    field.descendant(child.path).warn(
                        .neverHolds,
                        "\(child.words) can never hold for \(offer.type.noun) offer, so it reaches no customer",
                        hint: platform.first { !solver.canHold(others + [child, $0.constraint]) }?.reason)
                } else {
                    warnAboutNeverReached(child, beside: others, &solver)
                }
            }
        }
    }

    private func warn(_ child: Constraint, _ conflict: Conflict?) {
        let detail = conflict?.detail ?? "\(child.words) can never hold here"
        field.descendant(child.path).warn(
            .neverHolds, "\(detail), so this alternative reaches no customer",
            hint: conflict?.hint ?? "delete it, or correct it")
    }

    private func warnAboutAlwaysHolding(_ constraint: Constraint, _ solver: inout Satisfiability) {
        guard solver.hasBudget else { return }
        if !solver.canHold([constraint.negated]) {
            field.descendant(constraint.path).warn(
                .alwaysHolds, "\(constraint.words) is always true", hint: "delete it, or correct it")
            return
        }
        switch constraint {
        case .comparison: return
        case .all(let children, _), .any(let children, _):
            for child in children { warnAboutAlwaysHolding(child, &solver) }
        }
    }

    /// Possible, but seldom meant: most of those who bought in the group used its introductory offer.
    private func warnAboutEarlierBuyers(_ constraint: Constraint, _ solver: inout Satisfiability) {
        guard offer.type == .introductory, offer.again == nil else { return }
        let newcomers =
            offer.platformConstraints.map(\.constraint) + [
                .literal("subscription.everInGroup", isOneOf: [.boolean(true)], holds: false)
            ]
        guard !solver.canHold([constraint] + newcomers) else { return }
        let conjunct = constraint.conjuncts.first { !solver.canHold([$0] + newcomers) } ?? constraint
        field.descendant(conjunct.path).warn(
            .unusualTerms, "\(conjunct.words) leaves only customers who bought in the group before",
            hint: "Apple gives them an introductory offer only if they never used one in the group")
    }
}

extension RuleNode {
    /// Whether one fact is compared with values of several types, which is an error of its own.
    fileprivate var hasTypeConflict: Bool {
        var types: [String: FactType] = [:]
        return comparisons.contains { comparison in
            guard comparison.comparisonOperator != .exists, let type = comparison.operands.first?.type else {
                return false
            }
            return types.updateValue(type, forKey: comparison.fact).map { $0 != type } ?? false
        }
    }

    var comparisons: [Comparison] { comparisons(at: "").map(\.comparison) }
}

extension OfferType {
    fileprivate var noun: String {
        switch self {
        case .introductory: "an introductory"
        case .promotional: "a promotional"
        case .winBack: "a win-back"
        }
    }
}

/// One of the App Store's own requirements of a customer, as facts (`platform.*`, docs/design.md#decisions).
typealias PlatformConstraint = (constraint: Constraint, reason: String)

extension Offer {
    /// Empty where the condition and the rules need not hold at once: an offer that was found open stays so.
    var platformConstraints: [PlatformConstraint] {
        guard availableFor == nil else { return [] }
        let bought: PlatformConstraint = (
            constraint: .literal("customer.everSubscribed", isOneOf: [.boolean(true)]),
            reason: "Apple: such an offer is for customers who have or had a subscription in the app"
        )
        switch type {
        case .introductory:
            let states: [SubscriptionStateName] = [.neverSubscribed, .inBillingRetryPeriod, .expired, .revoked]
            return [
                (
                    constraint: .literal("subscription.state", isOneOf: states.map { .text($0.rawValue) }),
                    reason: "Apple: an introductory offer is for customers without an active subscription in the group"
                )
            ]
        case .promotional:
            return [bought]
        case .winBack:
            return [
                (
                    constraint: .literal(
                        "subscription.state", isOneOf: [.text(SubscriptionStateName.expired.rawValue)]),
                    reason: "a win-back offer is for customers whose subscription has lapsed: the state `expired`"
                ),
                (
                    constraint: .literal("subscription.everInGroup", isOneOf: [.boolean(true)]),
                    reason: "a win-back offer is for customers who bought the lapsed subscription themselves"
                ),
                bought,
            ]
        }
    }
}

extension Constraint {
    /// - Parameter holds: whether the fact has one of the values; `false` if it must be known to have another.
    static func literal(_ fact: String, isOneOf values: [FactValue], holds: Bool = true) -> Constraint {
        .comparison(
            Literal(
                comparison: Comparison(fact: fact, comparisonOperator: .in, operands: values), holds: holds, path: ""))
    }
}

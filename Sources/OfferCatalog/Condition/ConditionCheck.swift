import OfferModel

/// Looks for what cannot be meant in an offer's condition: what can never hold, alternatives that are never reached, and
/// what holds whatever the facts are.
struct ConditionCheck {
    /// The condition as it is written.
    let field: Field
    let offer: Offer

    func run(_ solver: inout Satisfiability) {
        guard let node = offer.eligibility, !node.hasTypeConflict else { return }
        let demand = Demand(node)
        guard solver.canHold([demand]) else {
            for conflict in Conflict.find(in: demand, beside: [], &solver) { refuse(conflict) }
            return
        }
        let platform = offer.platformDemands
        guard solver.canHold([demand] + platform.map(\.demand)) else {
            refuse(platform, demand, &solver)
            return
        }
        warnAboutNeverReached(demand, beside: [], &solver)
        warnAboutAlwaysHolding(demand, &solver)
        warnAboutEarlierBuyers(demand, &solver)
    }

    private func at(_ path: String) -> Field {
        field.descendant(path)
    }

    private func refuse(_ conflict: Conflict) {
        at(conflict.path).refuse(.contradiction, conflict.detail, hint: conflict.hint)
    }

    /// The App Store's own rules and the condition exclude each other.
    private func refuse(_ platform: [PlatformDemand], _ demand: Demand, _ solver: inout Satisfiability) {
        let conjunct = demand.conjuncts.first { !solver.canHold([$0] + platform.map(\.demand)) } ?? demand
        let rule = platform.first { !solver.canHold([conjunct, $0.demand]) } ?? platform.first
        at(conjunct.path).refuse(
            .contradiction, "\(conjunct.words) can never hold for \(offer.type.noun) offer", hint: rule?.reason)
    }

    /// - Parameter others: what has to hold beside the node for it to matter.
    private func warnAboutNeverReached(
        _ demand: Demand, beside others: [Demand], _ solver: inout Satisfiability
    ) {
        switch demand {
        case .comparison: return
        case .all(let children, _):
            for (index, child) in children.enumerated() where solver.isWilling && !child.isComparison {
                var siblings = children
                siblings.remove(at: index)
                warnAboutNeverReached(child, beside: others + siblings, &solver)
            }
        case .any(let children, _):
            let platform = offer.platformDemands
            for child in children where solver.isWilling {
                if !solver.canHold(others + [child]) {
                    warn(child, Conflict.find(in: child, beside: others, &solver).first)
                } else if !solver.canHold(others + [child] + platform.map(\.demand)) {
                    at(child.path).warn(
                        .neverHolds, "\(child.words) can never hold for \(offer.type.noun) offer, so it reaches nobody",
                        hint: platform.first { !solver.canHold(others + [child, $0.demand]) }?.reason)
                } else {
                    warnAboutNeverReached(child, beside: others, &solver)
                }
            }
        }
    }

    private func warn(_ child: Demand, _ conflict: Conflict?) {
        let detail = conflict?.detail ?? "\(child.words) can never hold here"
        at(child.path).warn(
            .neverHolds, "\(detail), so this alternative reaches nobody",
            hint: conflict?.hint ?? "delete it, or correct it")
    }

    private func warnAboutAlwaysHolding(_ demand: Demand, _ solver: inout Satisfiability) {
        guard solver.isWilling else { return }
        if !solver.canHold([demand.negated]) {
            at(demand.path).warn(
                .alwaysHolds, "\(demand.words) holds whatever is known", hint: "delete it, or correct it")
            return
        }
        switch demand {
        case .comparison: return
        case .all(let children, _), .any(let children, _):
            for child in children { warnAboutAlwaysHolding(child, &solver) }
        }
    }

    /// Possible, but seldom meant: most of those who bought in the group used its introductory offer.
    private func warnAboutEarlierBuyers(_ demand: Demand, _ solver: inout Satisfiability) {
        guard offer.type == .introductory else { return }
        let newcomers =
            offer.platformDemands.map(\.demand) + [.claim("subscription.everInGroup", isNot: .boolean(true))]
        guard !solver.canHold([demand] + newcomers) else { return }
        let conjunct = demand.conjuncts.first { !solver.canHold([$0] + newcomers) } ?? demand
        at(conjunct.path).warn(
            .unusualTerms, "\(conjunct.words) leaves only customers who bought in the group before",
            hint: "Apple gives them an introductory offer only if they never used one in the group")
    }
}

extension Demand {
    fileprivate var isComparison: Bool {
        if case .comparison = self { true } else { false }
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

    private var comparisons: [Comparison] {
        switch self {
        case .all(let children), .any(let children): children.flatMap(\.comparisons)
        case .not(let child): child.comparisons
        case .comparison(let comparison): [comparison]
        }
    }
}

extension OfferType {
    /// The word with its article.
    fileprivate var noun: String {
        switch self {
        case .introductory: "an introductory"
        case .promotional: "a promotional"
        case .winBack: "a win-back"
        }
    }
}

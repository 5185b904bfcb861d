import OfferModel

/// Why a demand can never hold: the smallest part of it that explains it.
struct Conflict {
    /// Where, below the offer's condition.
    let path: String
    let detail: String
    let hint: String

    /// - Parameters:
    ///   - demand: one that cannot hold beside the others.
    ///   - others: what else has to hold.
    /// - Returns: one conflict, or of a group of alternatives one each.
    static func find(in demand: Demand, beside others: [Demand], _ solver: inout Satisfiability) -> [Conflict] {
        switch demand {
        case .comparison:
            return [find(among: others.flatMap(\.conjuncts), with: demand, &solver)]
        case .any(let children, _):
            return children.flatMap { find(in: $0, beside: others, &solver) }
        case .all(_, let path):
            let conjuncts = demand.conjuncts
            if let alone = conjuncts.first(where: { !solver.canHold(others + [$0]) }) {
                return find(in: alone, beside: others, &solver)
            }
            for (index, later) in conjuncts.enumerated() where solver.isWilling {
                for earlier in conjuncts[..<index] where !solver.canHold(others + [earlier, later]) {
                    return [Conflict(later, earlier)]
                }
            }
            return [
                Conflict(
                    path: path, detail: "these conditions can never hold together",
                    hint: "at least three of them exclude each other: correct one, or put them under `any`")
            ]
        }
    }

    private static func find(
        among others: [Demand], with demand: Demand, _ solver: inout Satisfiability
    ) -> Conflict {
        guard solver.canHold([demand]) else {
            return Conflict(
                path: demand.path, detail: "\(demand.words) can never hold", hint: hint(demand, demand))
        }
        let other = others.first { !solver.canHold([demand, $0]) }
        return other.map { Conflict(demand, $0) }
            ?? Conflict(
                path: demand.path, detail: "\(demand.words) can never hold together with the conditions beside it",
                hint: "correct it, or delete it")
    }

    private init(path: String, detail: String, hint: String) {
        self.path = path
        self.detail = detail
        self.hint = hint
    }

    private init(_ demand: Demand, _ other: Demand) {
        path = demand.path
        detail = "\(demand.words) can never hold together with \(other.words)"
        hint = Self.hint(demand, other)
    }

    private static func hint(_ demand: Demand, _ other: Demand) -> String {
        for fact in [demand.fact, other.fact].compactMap(\.self) {
            guard demand.fact != other.fact, let states = SubscriptionWorld.states(knowing: fact) else { continue }
            let words = states.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            return "`\(fact)` is known only in the states \(words)"
        }
        if let fact = demand.fact, fact == other.fact { return "no value of `\(fact)` is like that" }
        return "correct one of the two, or put them under `any`"
    }
}

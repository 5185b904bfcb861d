import OfferModel

/// A condition without `not`: what must hold, and of single comparisons also what must not.
indirect enum Demand {
    case comparison(Claim)
    case all([Demand], path: String)
    case any([Demand], path: String)

    /// Pushes `not` down to the comparisons: of a group under it the opposite group of opposites must hold, which is
    /// true of Kleene's logic as of plain logic.
    ///
    /// - Parameter path: the place of the node below the offer's condition: `.all[1].not`.
    init(_ node: RuleNode, holds: Bool = true, path: String = "") {
        switch node {
        case .comparison(let comparison):
            self = .comparison(Claim(comparison: comparison, holds: holds, path: path))
        case .not(let child):
            self.init(child, holds: !holds, path: path + ".not")
        case .all(let children):
            let demands = children.enumerated().map { Demand($1, holds: holds, path: "\(path).all[\($0)]") }
            self = holds ? .all(demands, path: path) : .any(demands, path: path)
        case .any(let children):
            let demands = children.enumerated().map { Demand($1, holds: holds, path: "\(path).any[\($0)]") }
            self = holds ? .any(demands, path: path) : .all(demands, path: path)
        }
    }

    /// The place in the offer's condition.
    var path: String {
        switch self {
        case .comparison(let claim): claim.path
        case .all(_, let path), .any(_, let path): path
        }
    }

    /// The opposite.
    var negated: Demand {
        switch self {
        case .comparison(var claim):
            claim.holds.toggle()
            return .comparison(claim)
        case .all(let children, let path): return .any(children.map(\.negated), path: path)
        case .any(let children, let path): return .all(children.map(\.negated), path: path)
        }
    }

    /// Everything that must hold at once, groups of alternatives as they are.
    var conjuncts: [Demand] {
        guard case .all(let children, _) = self else { return [self] }
        return children.flatMap(\.conjuncts)
    }
}

/// A comparison that must hold, or must not.
struct Claim {
    let comparison: Comparison
    var holds: Bool
    /// The place in the offer's condition.
    let path: String
}

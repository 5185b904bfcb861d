import OfferModel

/// A condition without `not`: what must hold, and of single comparisons also what must not.
indirect enum Constraint {
    case comparison(Literal)
    case all([Constraint], path: String)
    case any([Constraint], path: String)

    /// Pushes `not` down to the comparisons: of a group under it the opposite group of opposites must hold, which is
    /// true of Kleene's logic as of plain logic.
    ///
    /// - Parameter path: the place of the node below the offer's condition: `.all[1].not`.
    init(_ node: RuleNode, holds: Bool = true, path: String = "") {
        switch node {
        case .comparison(let comparison):
            self = .comparison(Literal(comparison: comparison, holds: holds, path: path))
        case .not(let child):
            self.init(child, holds: !holds, path: path + ".not")
        case .all(let children):
            let constraints = children.enumerated().map { Constraint($1, holds: holds, path: "\(path).all[\($0)]") }
            self = holds ? .all(constraints, path: path) : .any(constraints, path: path)
        case .any(let children):
            let constraints = children.enumerated().map { Constraint($1, holds: holds, path: "\(path).any[\($0)]") }
            self = holds ? .any(constraints, path: path) : .all(constraints, path: path)
        }
    }

    var path: String {
        switch self {
        case .comparison(let literal): literal.path
        case .all(_, let path), .any(_, let path): path
        }
    }

    var negated: Constraint {
        switch self {
        case .comparison(var literal):
            literal.holds.toggle()
            return .comparison(literal)
        case .all(let children, let path): return .any(children.map(\.negated), path: path)
        case .any(let children, let path): return .all(children.map(\.negated), path: path)
        }
    }

    /// Everything that must hold at once, groups of alternatives as they are.
    var conjuncts: [Constraint] {
        guard case .all(let children, _) = self else { return [self] }
        return children.flatMap(\.conjuncts)
    }
}

struct Literal {
    let comparison: Comparison
    var holds: Bool
    let path: String
}

extension Constraint {
    /// The constraint in the words of the file; of a group its place.
    var words: String {
        switch self {
        case .comparison(let literal): literal.holds ? literal.comparison.words : "not (\(literal.comparison.words))"
        case .all(_, let path), .any(_, let path):
            path.isEmpty ? "the condition" : "the group at `\(path.dropFirst())`"
        }
    }

    var literal: Literal? { if case .comparison(let literal) = self { literal } else { nil } }

    var fact: String? { literal?.comparison.fact }
}

extension Comparison {
    /// `` `subscription.daysSinceExpired` atLeast 30 ``.
    fileprivate var words: String {
        let values = operands.prefix(8).map(\.words).joined(separator: ", ")
        let list = operands.count > 8 ? "[\(values), …]" : "[\(values)]"
        return switch comparisonOperator {
        case .in, .notIn, .between: "\(quoted(fact)) \(comparisonOperator.rawValue) \(list)"
        default: "\(quoted(fact)) \(comparisonOperator.rawValue) \(values)"
        }
    }
}

extension FactValue {
    fileprivate var words: String {
        if case .text(let text) = self { quoted(text) } else { description }
    }
}

/// Why a constraint can never hold: the smallest part of it that explains it.
struct Conflict {
    let path: String
    let detail: String
    let hint: String

    /// - Returns: one conflict, or of a group of alternatives one each.
    static func find(in constraint: Constraint, beside others: [Constraint], _ solver: inout Satisfiability)
        -> [Conflict]
    {
        switch constraint {
        case .comparison:
            return [find(among: others.flatMap(\.conjuncts), with: constraint, &solver)]
        case .any(let children, _):
            return children.flatMap { find(in: $0, beside: others, &solver) }
        case .all(_, let path):
            let conjuncts = constraint.conjuncts
            if let alone = conjuncts.first(where: { !solver.canHold(others + [$0]) }) {
                return find(in: alone, beside: others, &solver)
            }
            for (index, later) in conjuncts.enumerated() where solver.hasBudget {
                for earlier in conjuncts[..<index] where !solver.canHold(others + [earlier, later]) {
                    return [between(later, earlier)]
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
        among others: [Constraint], with constraint: Constraint, _ solver: inout Satisfiability
    ) -> Conflict {
        guard solver.canHold([constraint]) else {
            return Conflict(
                path: constraint.path, detail: "\(constraint.words) can never hold", hint: hint(constraint, constraint))
        }
        let other = others.first { !solver.canHold([constraint, $0]) }
        return other.map { between(constraint, $0) }
            ?? Conflict(
                path: constraint.path,
                detail: "\(constraint.words) can never hold together with the conditions beside it",
                hint: "correct it, or delete it")
    }

    private static func between(_ constraint: Constraint, _ other: Constraint) -> Conflict {
        Conflict(
            path: constraint.path, detail: "\(constraint.words) can never hold together with \(other.words)",
            hint: hint(constraint, other))
    }

    private static func hint(_ constraint: Constraint, _ other: Constraint) -> String {
        for fact in [constraint.fact, other.fact].compactMap(\.self) {
            guard constraint.fact != other.fact, let states = StateModel.states(knowing: fact) else { continue }
            let words = states.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            return "`\(fact)` is known only in the states \(words)"
        }
        if let fact = constraint.fact, fact == other.fact { return "no value of `\(fact)` is like that" }
        return "correct one of the two, or put them under `any`"
    }
}

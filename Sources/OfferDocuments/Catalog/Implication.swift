package import OfferModel

extension RuleNode {
    /// Whether it is proven that every customer who meets this condition meets the other. `false` also where no proof
    /// was found.
    package func implies(_ other: RuleNode) -> Bool {
        var proof = ImplicationProof()
        return proof.holds(Constraint(self), Constraint(other))
    }
}

/// Proves by the structure of two conditions that one implies the other; comparisons of one fact are compared exactly.
///
/// Without `not`, a group holds by what holds in it, so what is unknown of a customer does not matter.
private struct ImplicationProof {
    /// How many comparisons with an operand a proof may cost; beyond it nothing is proven.
    private var budget = 1_000_000

    mutating func holds(_ one: Constraint, _ other: Constraint) -> Bool {
        budget -= 1
        guard budget > 0 else { return false }
        switch (one, other) {
        case (_, .all(let parts, _)):
            for part in parts where !holds(one, part) { return false }
            return true
        case (.any(let parts, _), _):
            for part in parts where !holds(part, other) { return false }
            return true
        case (_, .any(let parts, _)):
            for part in parts where holds(one, part) { return true }
            guard case .all(let conjuncts, _) = one else { return false }
            for conjunct in conjuncts where holds(conjunct, other) { return true }
            return false
        case (_, .comparison(let literal)):
            if imply(one.conjuncts.compactMap(\.literal), literal) { return true }
            guard case .all(let conjuncts, _) = one else { return false }
            for conjunct in conjuncts where conjunct.literal == nil && holds(conjunct, other) { return true }
            return false
        }
    }

    /// Several comparisons of one fact together: at least 30 and at most 180 imply between 30 and 180.
    private mutating func imply(_ literals: [Literal], _ other: Literal) -> Bool {
        let same = literals.filter { $0.comparison.fact == other.comparison.fact }
        if same.contains(where: { $0.comparison == other.comparison && $0.holds == other.holds }) { return true }
        let plain = same.filter(\.comparison.isPlain)
        guard !plain.isEmpty, other.comparison.isPlain else { return false }
        let comparisons = plain.map(\.comparison) + [other.comparison]
        let operands = comparisons.reduce(0) { $0 + $1.operands.count + 1 }
        budget -= 4 * operands * operands
        guard budget > 0 else { return false }
        return FactPoints.all(of: other.comparison.fact, comparedBy: comparisons).allSatisfy { point in
            other.holds(at: point) || !plain.allSatisfy { $0.holds(at: point) }
        }
    }
}

extension Literal {
    fileprivate func holds(at point: FactPoint) -> Bool { comparison.holds(at: point) == holds }
}

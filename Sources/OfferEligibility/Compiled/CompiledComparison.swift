import OfferModel

/// A comparison with its fact's name read. The same one stands wherever a catalog asks the same, so it is known by
/// identity.
final class CompiledComparison: Sendable, Placed {
    let comparison: Comparison
    /// `nil` is a name that no fact has.
    let name: FactName?
    /// `nil` where the values themselves say it.
    let type: FactType?
    /// The operands that are numbers.
    let numbers: [Double]
    /// The operands as evidence.
    let required: EvidenceValue?
    let place: Int

    init(_ comparison: Comparison, place: Int) {
        self.place = place
        self.comparison = comparison
        name = FactName(comparison.fact)
        type = name?.type
        numbers = comparison.operands.compactMap(\.number)
        required =
            switch comparison.comparisonOperator {
            case .exists: nil
            case .in, .notIn, .between: .list(comparison.operands)
            case .is, .isNot, .atLeast, .atMost, .moreThan, .lessThan:
                comparison.operands.first.map(EvidenceValue.value)
            }
    }

    var readsOffers: Bool {
        guard case .redeemed = name else { return false }
        return true
    }
}

/// The comparisons of a catalog while it is made ready, each once.
struct CompiledComparisons {
    private var known: [Key: CompiledComparison] = [:]

    /// Texts that Swift holds to be equal are told apart by how they are written, and zeros by their sign.
    private struct Key: Hashable {
        let comparison: Comparison
        let words: [UInt8]
        let signs: [FloatingPointSign]

        init(_ comparison: Comparison) {
            self.comparison = comparison
            words = Array("\(comparison.fact) \(comparison.operands)".utf8)
            signs = comparison.operands.compactMap(\.number).map(\.sign)
        }
    }

    mutating func compiled(_ comparison: Comparison) -> CompiledComparison {
        let key = Key(comparison)
        if let known = known[key] { return known }
        let compiled = CompiledComparison(comparison, place: known.count)
        known[key] = compiled
        return compiled
    }
}

import OfferModel

extension Demand {
    /// The demand in the words of the file; of a group its place.
    var words: String {
        switch self {
        case .comparison(let claim): claim.holds ? claim.comparison.words : "not (\(claim.comparison.words))"
        case .all(_, let path), .any(_, let path):
            path.isEmpty ? "the condition" : "the group at `\(path.dropFirst())`"
        }
    }

    /// The fact compared; `nil` for a group.
    var fact: String? {
        guard case .comparison(let claim) = self else { return nil }
        return claim.comparison.fact
    }
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

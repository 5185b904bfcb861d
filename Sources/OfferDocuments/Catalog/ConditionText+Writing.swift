package import OfferModel

extension ConditionText {
    /// A condition as the line that reads back as the same condition.
    package static func line(_ node: RuleNode) -> String {
        switch node {
        case .all(let nodes): nodes.map { part($0) }.joined(separator: " and ")
        case .any(let nodes): nodes.map { part($0) }.joined(separator: " or ")
        case .not(let node): "not \(part(node))"
        case .comparison(let comparison): line(comparison)
        }
    }

    /// In parentheses where it is a group: no reader has to know which of `and` and `or` goes first.
    private static func part(_ node: RuleNode) -> String {
        switch node {
        case .all, .any: "(\(line(node)))"
        case .not, .comparison: line(node)
        }
    }

    private static func line(_ comparison: Comparison) -> String {
        let isOwn = FactName(comparison.fact)?.type == nil
        let values = comparison.operands.map { text($0, isOwn: isOwn) }
        let operand =
            switch comparison.comparisonOperator {
            case .in, .notIn: " [\(values.joined(separator: ", "))]"
            case .between: " \(values.joined(separator: " and "))"
            case .exists: comparison.operands == [.boolean(false)] ? " false" : ""
            default: " \(values.joined())"
            }
        return "\(comparison.fact) \(comparison.comparisonOperator.rawValue)\(operand)"
    }

    /// - Parameter isOwn: whether the value says which type the fact has; then a text must not look like a time.
    private static func text(_ value: FactValue, isOwn: Bool) -> String {
        guard case .text(let text) = value else { return value.description }
        let isPlain =
            !text.isEmpty && PlainScalar(text) == .text && !["and", "or", "not"].contains(text.lowercased())
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-:/+@".unicodeScalars.contains($0))
            }
            && !(isOwn && Instant(iso8601: text) != nil)
        guard !isPlain else { return text }
        let escaped = text.unicodeScalars.reduce(into: "") { escaped, scalar in
            if scalar == "\"" || scalar == "\\" { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return "\"\(escaped)\""
    }
}

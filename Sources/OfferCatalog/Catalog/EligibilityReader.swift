import OfferModel

/// Reads an offer's own condition: a tree of `all`, `any`, `not` and comparisons.
enum EligibilityReader {
    private static let groups = ["all", "any", "not"]
    private static let operators = ComparisonOperator.allCases.map(\.rawValue)

    static func read(_ field: Field, _ context: inout OfferContext) -> RuleNode? {
        if context.isUnchecked { return UncheckedConditionReader.read(field) }
        guard let node = read(field, depth: 1, &context) else { return nil }
        let count = node.comparisonCount
        guard count <= DocumentLimits.comparisons else {
            field.refuse(
                .tooLarge, "the condition has \(count) comparisons, more than \(DocumentLimits.comparisons)",
                hint: "compare one fact with several values by `in`, or send a signal that says it")
            return nil
        }
        return node
    }

    private static func read(_ field: Field, depth: Int, _ context: inout OfferContext) -> RuleNode? {
        guard depth <= DocumentLimits.conditionDepth else {
            field.refuse(
                .tooDeep, "the condition is nested deeper than \(DocumentLimits.conditionDepth) levels",
                hint: "say it with fewer groups: an `all` within an `all` is one `all`")
            return nil
        }
        guard let mapping = field.mapping(groups + ["fact"] + operators) else { return nil }
        let written = groups.filter(mapping.has)
        if mapping.has("fact") || written.isEmpty {
            for group in written {
                mapping.refuse(
                    key: group, .notAllowed, "`\(group)` does not go with `fact`", hint: "nest one in the other")
            }
            return comparison(mapping, &context)
        }
        for key in operators {
            mapping.refuse(key: key, .notAllowed, "`\(key)` does not go with `\(written[0])`", hint: "add a `fact`")
        }
        guard written.count == 1 else {
            field.refuse(
                .contradiction, "\(written.map { "`\($0)`" }.joined(separator: " and ")) are at the same place",
                hint: "nest one in the other")
            return nil
        }
        return group(written[0], mapping, depth: depth + 1, &context)
    }

    /// - Parameter depth: the level of what is in the group.
    private static func group(
        _ key: String, _ mapping: Mapping, depth: Int, _ context: inout OfferContext
    ) -> RuleNode? {
        guard let field = mapping.optional(key) else { return nil }
        if key == "not" { return read(field, depth: depth, &context).map { .not($0) } }
        guard let items = field.list() else { return nil }
        var children: [RuleNode] = []
        for item in items {
            if let child = read(item, depth: depth, &context) { children.append(child) }
        }
        guard children.count == items.count else { return nil }
        return key == "all" ? .all(children) : .any(children)
    }

    private static func comparison(_ mapping: Mapping, _ context: inout OfferContext) -> RuleNode? {
        let written = ComparisonOperator.allCases.filter { mapping.has($0.rawValue) }
        let field = mapping.field
        guard let factField = mapping.required("fact")?.reported(at: field.path) else { return nil }
        guard let fact = FactReader.read(factField, &context) else { return nil }
        guard written.count <= 1, let comparisonOperator = written.first else {
            let found = written.map { "`\($0.rawValue)`" }.joined(separator: " and ")
            let isMissing = written.isEmpty
            field.refuse(
                isMissing ? .missingOperator : .contradiction,
                isMissing ? "the comparison has no operator" : "the comparison has several operators, \(found)",
                hint: isMissing
                    ? "add one, such as `is`, `in` or `atLeast`" : "make one comparison of each, under `all`")
            return nil
        }
        guard let operandField = mapping.optional(comparisonOperator.rawValue) else { return nil }
        let reader = OperandReader(fact: fact, comparisonOperator: comparisonOperator)
        guard let operands = reader.read(operandField) else { return nil }
        if fact.type == nil, comparisonOperator != .exists, let type = operands.first?.type {
            context.use(fact.name, as: type, at: operandField.reported(at: field.path))
        }
        return .comparison(
            Comparison(fact: fact.name, comparisonOperator: comparisonOperator, operands: operands))
    }
}

extension RuleNode {
    fileprivate var comparisonCount: Int {
        switch self {
        case .comparison: 1
        case .not(let child): child.comparisonCount
        case .all(let children), .any(let children): children.reduce(0) { $0 + $1.comparisonCount }
        }
    }
}

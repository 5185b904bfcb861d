import OfferModel

/// Reads a condition of an `unchecked` file as it is written: whether the fact exists and the values fit its operator is
/// left to the evaluator, whose answers to nonsense need cases too.
enum UncheckedConditionReader {
    static func read(_ field: Field) -> RuleNode? {
        guard let mapping = field.mapping(["all", "any", "not", "fact"] + ComparisonOperator.allCases.map(\.rawValue))
        else { return nil }
        if let items = mapping.optional("all") { return children(items).map { .all($0) } }
        if let items = mapping.optional("any") { return children(items).map { .any($0) } }
        if let child = mapping.optional("not") { return read(child).map { .not($0) } }
        let written = ComparisonOperator.allCases.filter { mapping.has($0.rawValue) }
        guard let fact = mapping.required("fact")?.text(), written.count == 1, let name = written.first else {
            field.refuse(
                .missingOperator, "a comparison has a fact and one operator", hint: "add one, such as `is` or `atLeast`"
            )
            return nil
        }
        guard let operands = mapping.optional(name.rawValue).flatMap(operands) else { return nil }
        return .comparison(Comparison(fact: fact, comparisonOperator: name, operands: operands))
    }

    private static func children(_ field: Field) -> [RuleNode]? {
        guard let items = field.list(allowsEmpty: true) else { return nil }
        let nodes = items.compactMap(read)
        return nodes.count == items.count ? nodes : nil
    }

    private static func operands(_ field: Field) -> [FactValue]? {
        guard case .sequence = field.node.content else { return field.factValue().map { [$0] } }
        guard let items = field.list(allowsEmpty: true) else { return nil }
        let values = items.compactMap { $0.factValue() }
        return values.count == items.count ? values : nil
    }
}

import OfferModel

/// Reads an offer's own condition: a tree of `all`, `any`, `not` and comparisons.
enum EligibilityReader {
    private static let groups = ["all", "any", "not"]
    private static let operators = ComparisonOperator.allCases.map(\.rawValue)

    static func read(_ field: Field, _ context: inout CatalogContext) -> RuleNode? {
        if context.isUnchecked { return UncheckedConditionReader.read(field) }
        guard let node = read(field, depth: 1, &context) else { return nil }
        let count = node.comparisons.count
        guard count <= DocumentLimits.comparisons else {
            return field.refuse(
                .tooLarge, "the condition has \(count) comparisons, more than \(DocumentLimits.comparisons)",
                hint: "compare one fact with several values by `in`, or send a signal that says it")
        }
        return node
    }

    private static func read(_ field: Field, depth: Int, _ context: inout CatalogContext) -> RuleNode? {
        guard depth <= DocumentLimits.conditionDepth else {
            return field.refuse(
                .tooDeep, "the condition is nested deeper than \(DocumentLimits.conditionDepth) levels",
                hint: "say it with fewer groups: an `all` within an `all` is one `all`")
        }
        guard let mapping = field.mapping(groups + ["fact"] + operators) else { return nil }
        let written = groups.filter(mapping.has)
        if mapping.has("fact") || written.isEmpty {
            for group in written {
                mapping.key(group)?.refuse(
                    .notAllowed, "`\(group)` does not go with `fact`", hint: "nest one in the other")
            }
            return comparison(mapping, &context)
        }
        for key in operators {
            mapping.key(key)?.refuse(.notAllowed, "`\(key)` does not go with `\(written[0])`", hint: "add a `fact`")
        }
        let nodes = written.compactMap { group($0, mapping, depth: depth + 1, &context) }
        guard written.count == 1 else {
            return field.refuse(
                .contradiction, "\(written.map { "`\($0)`" }.joined(separator: " and ")) are at the same place",
                hint: "nest one in the other")
        }
        return nodes.first
    }

    /// - Parameter depth: the level of what is in the group.
    private static func group(
        _ key: String, _ mapping: Mapping, depth: Int, _ context: inout CatalogContext
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

    private static func comparison(_ mapping: Mapping, _ context: inout CatalogContext) -> RuleNode? {
        let written = ComparisonOperator.allCases.filter { mapping.has($0.rawValue) }
        let field = mapping.field
        let factField = mapping.required("fact")?.reported(at: field.path)
        let fact = factField.flatMap { FactNameReader.read($0, &context) }
        guard written.count <= 1, let comparisonOperator = written.first else {
            let found = written.map { "`\($0.rawValue)`" }.joined(separator: " and ")
            let isMissing = written.isEmpty
            return field.refuse(
                isMissing ? .missingOperator : .contradiction,
                isMissing ? "the comparison has no operator" : "the comparison has several operators, \(found)",
                hint: isMissing
                    ? "add one, such as `is`, `in` or `atLeast`" : "make one comparison of each, under `all`")
        }
        // What a value must be follows from the fact.
        guard let operandField = mapping.optional(comparisonOperator.rawValue), let fact else { return nil }
        let reader = OperandReader(fact: fact, comparisonOperator: comparisonOperator)
        guard let operands = reader.read(operandField) else { return nil }
        if fact.type == nil, comparisonOperator != .exists, let type = operands.first?.type {
            context.use(fact.name, as: type, at: operandField.reported(at: field.path))
        }
        return .comparison(
            Comparison(fact: fact.name, comparisonOperator: comparisonOperator, operands: operands))
    }
}

/// A fact that a comparison names, with what its values must be.
struct ComparedFact {
    let name: String
    /// `nil` for a signal or an attribute, whose type is that of its first use.
    let type: FactType?
    var unit: String?
    /// The only values of a text, if they are closed.
    var values: [String]?
    var minimum: Double?
}

enum FactNameReader {
    static func read(_ field: Field, _ context: inout CatalogContext) -> ComparedFact? {
        guard let name = field.text() else { return nil }
        switch FactName(name) {
        case .subscription, .customer, .request:
            guard let definition = FactVocabulary.definition(name) else { break }
            return ComparedFact(
                name: name, type: definition.type, unit: definition.unit, values: definition.values,
                minimum: definition.minimum)
        case .redeemed(let offer) where TextForm.name.accepts(offer.rawValue):
            context.mentions.append((offer, field))
            return ComparedFact(name: name, type: .number, unit: FactVocabulary.redeemed.unit, minimum: 0)
        case .signal, .attribute:
            return ComparedFact(name: name, type: nil)
        case .owns(let product) where TextForm.productId.accepts(product.rawValue):
            guard isKnown(product, field, context) else { return nil }
            if context.otherTypes[product] == .consumable {
                let instead = FactVocabulary.purchasesPrefix + product.rawValue
                return field.refuse(
                    .notAllowed, "a consumable such as \(quoted(product.rawValue)) is not owned",
                    hint: "use \(quoted(instead)), the number of purchases")
            }
            return ComparedFact(name: name, type: .boolean)
        case .purchases(let product) where TextForm.productId.accepts(product.rawValue):
            guard isKnown(product, field, context) else { return nil }
            return ComparedFact(name: name, type: .number, unit: FactVocabulary.unit(name), minimum: 0)
        case .redeemed, .owns, .purchases, nil: break
        }
        return refuse(name, at: field)
    }

    /// Whether the catalog lists the product outside subscription groups.
    private static func isKnown(_ product: ProductId, _ field: Field, _ context: CatalogContext) -> Bool {
        if context.isNamedOutsideGroups(product) { return true }
        if context.subscriptions[product] != nil {
            field.refuse(
                .notAllowed, "product \(quoted(product.rawValue)) is a subscription",
                hint: "use `subscription.…` facts, such as `{ fact: subscription.productId, is: \(product) }`")
            return false
        }
        field.refuse(
            .unknownProduct, "unknown product \(quoted(product.rawValue))",
            hint: Suggestion.hint(
                for: product.rawValue, among: context.otherProducts.map(\.productId.rawValue), noun: "known products")
                ?? "list it under `products`")
        return false
    }

    private static func refuse(_ name: String, at field: Field) -> ComparedFact? {
        let ownNames = "has 1 to 64 letters, digits and `_`, a letter first"
        if name.hasPrefix(FactVocabulary.signalPrefix) {
            return field.refuse(.unknownFact, "\(quoted(name)) is not a signal", hint: "a signal's name \(ownNames)")
        }
        if name.hasPrefix(FactVocabulary.attributePrefix) {
            return field.refuse(
                .unknownFact, "\(quoted(name)) is not an attribute", hint: "an attribute's name \(ownNames)")
        }
        if name.hasPrefix(FactVocabulary.redeemedPrefix) {
            return field.refuse(
                .unknownFact, "\(quoted(name)) names no offer", hint: "end it in an offer's `id` of this catalog")
        }
        if [FactVocabulary.ownsPrefix, FactVocabulary.purchasesPrefix].contains(where: name.hasPrefix) {
            return field.refuse(
                .unknownFact, "\(quoted(name)) names no product", hint: "end it in a `productId` of `products`")
        }
        let nearest = Suggestion.nearest(to: name, among: FactVocabulary.all.map(\.name))
        return field.refuse(
            .unknownFact, "unknown fact \(quoted(name))",
            hint: nearest.map { "did you mean `\($0)`?" }
                ?? "the facts are listed in docs/facts.md; your own are written `signals.NAME`")
    }
}

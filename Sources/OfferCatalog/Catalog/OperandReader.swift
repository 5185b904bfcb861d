import OfferModel

/// Reads what a fact is compared with: by the fact's type, or, for a signal, by the value's own.
struct OperandReader {
    let fact: ComparedFact
    let comparisonOperator: ComparisonOperator

    func read(_ field: Field) -> [FactValue]? {
        guard isAllowed(at: field) else { return nil }
        switch comparisonOperator {
        case .exists:
            return field.boolean().map { [.boolean($0)] }
        case .in, .notIn:
            guard let items = field.list() else { return nil }
            let values = items.distinct(value)
            return values.count == items.count && areOfOneType(values, at: field) ? values : nil
        case .between:
            return bounds(field)
        default:
            return value(field).flatMap { isAllowed($0, at: field) ? [$0] : nil }
        }
    }

    private func isAllowed(at field: Field) -> Bool {
        guard let type = fact.definition?.type else { return true }
        let allowed = Self.operators(of: type)
        guard !allowed.contains(comparisonOperator) else { return true }
        refuseOperator(type, at: field)
        return false
    }

    /// A signal has no type before its first value.
    private func isAllowed(_ value: FactValue, at field: Field) -> Bool {
        guard fact.definition == nil, !Self.operators(of: value.type).contains(comparisonOperator) else { return true }
        refuseOperator(value.type, at: field)
        return false
    }

    private func refuseOperator(_ type: FactType, at field: Field) {
        let words = Self.operators(of: type).filter(\.isEvaluated).map { "`\($0.rawValue)`" }.joined(separator: ", ")
        field.refuse(
            .notAllowed, "`\(comparisonOperator.rawValue)` does not compare \(type.noun), as `\(fact.name)` is",
            hint: "use one of \(words)")
    }

    private func bounds(_ field: Field) -> [FactValue]? {
        guard let items = field.list() else { return nil }
        guard items.count == 2 else {
            field.refuse(
                .wrongType, "`between` needs two values, not \(items.count)", hint: "write it like `between: [30, 180]`"
            )
            return nil
        }
        let values = items.compactMap(value)
        guard values.count == 2, areOfOneType(values, at: field) else { return nil }
        guard isAllowed(values[0], at: field) else { return nil }
        if isDescending(values[0], values[1]) {
            field.refuse(
                .contradiction, "nothing is between \(values[0]) and \(values[1])",
                hint: "write the smaller value first")
            return nil
        }
        return values
    }

    private func isDescending(_ low: FactValue, _ high: FactValue) -> Bool {
        switch (low, high) {
        case (.number(let low), .number(let high)): low > high
        case (.instant(let low), .instant(let high)): low > high
        case (.money(let low), .money(let high)): low.milliunits > high.milliunits
        default: false
        }
    }

    private func areOfOneType(_ values: [FactValue], at field: Field) -> Bool {
        guard Set(values.map(\.type)).count <= 1 else {
            field.refuse(.wrongType, "the values are of different types", hint: "quote all texts and no numbers")
            return false
        }
        let currencies = Set(
            values.compactMap { value in if case .money(let money) = value { money.currency } else { nil } })
        guard currencies.count <= 1 else {
            field.refuse(.currencyMismatch, "the values are in different currencies")
            return false
        }
        return true
    }

    private func value(_ field: Field) -> FactValue? {
        guard let definition = fact.definition else { return untyped(field) }
        switch definition.type {
        case .text: return text(field, definition)
        case .number: return number(field, definition)
        case .boolean: return field.boolean().map { .boolean($0) }
        case .money: return field.money().map { .money($0) }
        case .instant: return field.instant().map { .instant($0) }
        }
    }

    private func text(_ field: Field, _ definition: FactDefinition) -> FactValue? {
        guard let text = field.text() else { return nil }
        if let values = definition.values, !values.contains(text) {
            field.refuse(
                .unknownValue, "`\(fact.name)` is never \(quoted(text))",
                hint: Suggestion.hint(for: text, among: values, noun: "one of"))
            return nil
        }
        return .text(text)
    }

    private func number(_ field: Field, _ definition: FactDefinition) -> FactValue? {
        guard let number = field.number() else { return nil }
        if let minimum = definition.minimum, number < minimum {
            field.refuse(
                .outOfRange, "`\(fact.name)` is never less than \(FactValue.number(minimum))",
                hint: "compare with \(FactValue.number(minimum)) or more")
            return nil
        }
        guard number == number.rounded(), abs(number) <= 1e9 else {
            field.refuse(.wrongType, "`\(fact.name)` is a whole number of \(definition.unit ?? "units"), not \(number)")
            return nil
        }
        return .number(number)
    }

    private func untyped(_ field: Field) -> FactValue? {
        guard case .scalar(let text, let isQuoted) = field.node.content else {
            field.refuse(.wrongType, "this must be a number, a text, true or false, not \(field.node.kind)")
            return nil
        }
        if !isQuoted, let number = PlainScalar.number(text) { return .number(number) }
        if !isQuoted, text == "true" || text == "false" { return .boolean(text == "true") }
        return field.text().map { .text($0) }
    }

    private static func operators(of type: FactType) -> [ComparisonOperator] {
        switch type {
        case .text: [.is, .isNot, .in, .notIn, .exists]
        case .boolean: [.is, .isNot, .exists]
        case .number: ComparisonOperator.allCases
        case .money: [.is, .isNot, .atLeast, .atMost, .moreThan, .lessThan, .between, .exists]
        case .instant: [.atLeast, .atMost, .moreThan, .lessThan, .between, .exists]
        }
    }
}

extension FactType {
    fileprivate var noun: String {
        switch self {
        case .text: "a text"
        case .number: "a number"
        case .boolean: "a true or false"
        case .money: "an amount"
        case .instant: "a time"
        }
    }
}

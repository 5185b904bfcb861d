import OfferModel

/// Reads what a fact is compared with: by the fact's type, or, for a signal or an attribute, by the value's own.
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
            guard values.count == items.count, areOfOneType(values, at: field) else { return nil }
            return values.allSatisfy { isAllowed($0, at: field) } ? values : nil
        case .between:
            return bounds(field)
        case .is, .isNot, .atLeast, .atMost, .moreThan, .lessThan:
            return value(field).flatMap { isAllowed($0, at: field) ? [$0] : nil }
        }
    }

    private func value(_ field: Field) -> FactValue? {
        OperandValueReader(fact: fact).read(field)
    }

    private func isAllowed(at field: Field) -> Bool {
        guard let type = fact.type, !type.operators.contains(comparisonOperator) else { return true }
        refuseOperator(type, at: field)
        return false
    }

    /// A signal has no type before its first value.
    private func isAllowed(_ value: FactValue, at field: Field) -> Bool {
        guard fact.type == nil, !value.type.operators.contains(comparisonOperator) else { return true }
        refuseOperator(value.type, at: field)
        return false
    }

    private func refuseOperator(_ type: FactType, at field: Field) {
        let words = type.operators.map { "`\($0.rawValue)`" }.joined(separator: ", ")
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
        case (.number(let low), .number(let high)): return low > high
        case (.instant(let low), .instant(let high)): return low > high
        case (.money(let low), .money(let high)): return low.milliunits > high.milliunits
        case (.text(let low), .text(let high)):
            guard fact.type == .version, let low = DottedVersion(low), let high = DottedVersion(high) else {
                return false
            }
            return low > high
        default: return false
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
}

extension FactType {
    fileprivate var noun: String {
        switch self {
        case .text: "a text"
        case .number: "a number"
        case .boolean: "a true or false"
        case .money: "an amount"
        case .instant: "a time"
        case .version: "a version"
        case .locale: "a locale"
        case .storefront: "a storefront"
        }
    }
}

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

    /// A signal has no type before its first value.
    private func isAllowed(_ value: FactValue? = nil, at field: Field) -> Bool {
        guard let type = fact.type ?? value?.type, !type.operators.contains(comparisonOperator) else { return true }
        let words = type.operators.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        field.refuse(
            .notAllowed, "`\(comparisonOperator.rawValue)` does not compare \(type.noun), as `\(fact.name)` is",
            hint: "use one of \(words)")
        return false
    }

    private func bounds(_ field: Field) -> [FactValue]? {
        guard let items = field.list() else { return nil }
        guard items.count == 2 else {
            return field.refuse(
                .wrongType, "`between` needs two values, not \(items.count)", hint: "write it like `between: [30, 180]`"
            )
        }
        let values = items.compactMap(value)
        guard values.count == 2, areOfOneType(values, at: field) else { return nil }
        guard isAllowed(values[0], at: field) else { return nil }
        if isDescending(values[0], values[1]) {
            return field.refuse(
                .contradiction, "nothing is between \(values[0]) and \(values[1])",
                hint: "write the smaller value first")
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

extension OperandReader {
    private func value(_ field: Field) -> FactValue? {
        switch fact.type {
        case nil: field.factValue { $0.instant() }
        case .text where FactName(fact.name) == .request(.placement): field.text(.placement).map { .text($0) }
        case .text: text(field)
        case .number: number(field)
        case .boolean: field.boolean().map { .boolean($0) }
        case .money: field.money().map { .money($0) }
        case .instant: field.instant().map { .instant($0) }
        case .version: field.text(.version).map { .text($0) }
        case .locale: field.text(.locale).map { .text($0) }
        case .storefront: field.text(.storefront).map { .text($0) }
        }
    }

    private func text(_ field: Field) -> FactValue? {
        guard let text = field.text() else { return nil }
        if let values = fact.values, !values.contains(text) {
            return field.refuse(
                .unknownValue, "`\(fact.name)` is never \(quoted(text))",
                hint: Suggestion.hint(for: text, among: values, noun: "one of"))
        }
        return .text(text)
    }

    /// A count; of days or months also as a period, such as `P30D`.
    private func number(_ field: Field) -> FactValue? {
        if case .scalar(let text, _) = field.node.content, text.hasPrefix("P") { return period(field) }
        guard let number = field.number() else { return nil }
        if let minimum = fact.minimum, number < minimum {
            return field.refuse(
                .outOfRange, "`\(fact.name)` is never less than \(FactValue.number(minimum))",
                hint: "compare with \(FactValue.number(minimum)) or more")
        }
        guard number == number.rounded(), number.magnitude <= 1e9 else {
            return field.refuse(
                .wrongType, "`\(fact.name)` is a whole number\(ofUnit), not \(number)")
        }
        return .number(number)
    }

    private var ofUnit: String { fact.unit.map { " of \($0)" } ?? "" }

    private func period(_ field: Field) -> FactValue? {
        guard let (period, text) = field.writtenPeriod() else { return nil }
        switch fact.unit {
        case "days":
            guard let length = period.fixedMilliseconds, length % Instant.Duration.day == 0 else {
                return field.refuse(
                    .invalidValue, "`\(text)` is not a whole number of days", hint: "write days, such as `P30D` or 30"
                )
            }
            return .number(Double(length / Instant.Duration.day))
        case "months":
            guard period.days == 0, period.timeMilliseconds == 0 else {
                return field.refuse(
                    .invalidValue, "`\(text)` is not a whole number of months",
                    hint: "write months or years, such as `P3M` or 3")
            }
            return .number(Double(period.months))
        default:
            return field.refuse(
                .wrongType, "`\(fact.name)` is a number\(ofUnit), not a period",
                hint: "write digits, such as 3")
        }
    }
}

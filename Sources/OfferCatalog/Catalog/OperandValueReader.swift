import OfferModel

/// Reads one value that a fact is compared with.
struct OperandValueReader {
    let fact: ComparedFact

    func read(_ field: Field) -> FactValue? {
        switch fact.type {
        case nil: ownType(field)
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
            field.refuse(
                .unknownValue, "`\(fact.name)` is never \(quoted(text))",
                hint: Suggestion.hint(for: text, among: values, noun: "one of"))
            return nil
        }
        return .text(text)
    }

    /// A count; of days or months also as a period, such as `P30D`.
    private func number(_ field: Field) -> FactValue? {
        if case .scalar(let text, _) = field.node.content, text.hasPrefix("P") { return period(field) }
        guard let number = field.number() else { return nil }
        if let minimum = fact.minimum, number < minimum {
            field.refuse(
                .outOfRange, "`\(fact.name)` is never less than \(FactValue.number(minimum))",
                hint: "compare with \(FactValue.number(minimum)) or more")
            return nil
        }
        guard number == number.rounded(), number.magnitude <= 1e9 else {
            field.refuse(.wrongType, "`\(fact.name)` is a whole number of \(fact.unit ?? "units"), not \(number)")
            return nil
        }
        return .number(number)
    }

    private func period(_ field: Field) -> FactValue? {
        guard let period = field.period() else { return nil }
        switch fact.unit {
        case "days":
            guard let length = period.fixedMilliseconds, length % Instant.Duration.day == 0 else {
                field.refuse(
                    .invalidValue, "`\(period)` is not a whole number of days", hint: "write days, such as `P30D` or 30"
                )
                return nil
            }
            return .number(Double(length / Instant.Duration.day))
        case "months":
            guard period.days == 0, period.timeMilliseconds == 0 else {
                field.refuse(
                    .invalidValue, "`\(period)` is not a whole number of months",
                    hint: "write months or years, such as `P3M` or 3")
                return nil
            }
            return .number(Double(period.months))
        default:
            field.refuse(
                .wrongType, "`\(fact.name)` is a number of \(fact.unit ?? "units"), not a period",
                hint: "write digits, such as 3")
            return nil
        }
    }

    /// A signal or an attribute has the type of what it is compared with.
    private func ownType(_ field: Field) -> FactValue? {
        switch field.node.content {
        case .scalar(let text, let isQuoted):
            if !isQuoted, let number = PlainScalar.number(text) { return .number(number) }
            if !isQuoted, text == "true" || text == "false" { return .boolean(text == "true") }
            return field.text().map { .text($0) }
        case .mapping(let entries) where entries.contains { $0.key == "at" }:
            return field.mapping(["at"])?.required("at")?.instant().map { .instant($0) }
        case .mapping:
            return field.money().map { .money($0) }
        default:
            field.refuse(
                .wrongType, "this must be a number, a text, true or false, an amount or a time, not \(field.node.kind)",
                hint:
                    "write an amount as `{ amount: \"9.99\", currency: USD }`, a time as `{ at: 2026-12-01T00:00:00Z }`"
            )
            return nil
        }
    }
}

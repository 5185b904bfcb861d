import OfferModel

/// A fact's value as two columns: its type, and a text that reads back as the same value.
struct StoredFactValue {
    let value: FactValue

    init(_ value: FactValue) {
        self.value = value
    }

    var type: String { value.type.rawValue }

    var text: String {
        switch value {
        case .text(let text): text
        case .number(let number): "\(number)"
        case .boolean(let flag): flag ? "true" : "false"
        case .money(let money): "\(money.milliunits) \(money.currency)"
        case .instant(let instant): "\(instant.milliseconds)"
        }
    }

    /// `nil` if the text is none of that type.
    init?(type: String, text: String) {
        switch FactType(rawValue: type) {
        case .text: value = .text(text)
        case .number:
            guard let number = Double(text), number.isFinite else { return nil }
            value = .number(number)
        case .boolean:
            guard let flag = Bool(text) else { return nil }
            value = .boolean(flag)
        case .money:
            let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let milliunits = Int64(parts[0]),
                InputBounds.storedIntegers.contains(milliunits)
            else { return nil }
            value = .money(Money(milliunits: milliunits, currency: String(parts[1])))
        case .instant:
            guard let instant = Int64(text).flatMap({ Instant(storedValue: .integer($0)) }) else { return nil }
            value = .instant(instant)
        // No value is of these: it is a text that a fact of the vocabulary compares by a rule of its own.
        case .version, .locale, .storefront, nil: return nil
        }
    }
}

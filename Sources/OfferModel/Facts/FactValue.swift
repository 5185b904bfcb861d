/// A value of a fact, observed or required.
public enum FactValue: Sendable {
    /// Text, compared byte by byte.
    case text(String)
    /// A finite number; counts and days are whole.
    case number(Double)
    case boolean(Bool)
    /// An amount; amounts of different currencies do not compare.
    case money(Money)
    case instant(Instant)

    public var type: FactType {
        switch self {
        case .text: .text
        case .number: .number
        case .boolean: .boolean
        case .money: .money
        case .instant: .instant
        }
    }
}

extension FactValue: Hashable {
    /// Equality of type and value; texts are equal when their UTF-8 bytes are, as identifiers are.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.isSameBytes(as: right)
        case (.number(let left), .number(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        case (.money(let left), .money(let right)): left == right
        case (.instant(let left), .instant(let right)): left == right
        case (.text, _), (.number, _), (.boolean, _), (.money, _), (.instant, _): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        switch self {
        case .text(let text): text.hashBytes(into: &hasher)
        case .number(let number): hasher.combine(number)
        case .boolean(let flag): hasher.combine(flag)
        case .money(let money): hasher.combine(money)
        case .instant(let instant): hasher.combine(instant)
        }
    }
}

extension FactValue: CustomStringConvertible {
    /// The value as people write it: `50`, `9.99 USD`, `true`, `2026-12-01T00:00:00Z`.
    public var description: String {
        switch self {
        case .text(let text): text
        case .number(let number):
            number == number.rounded() && number.magnitude < 1e15 ? String(Int64(saturating: number)) : String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .money(let money): money.description
        case .instant(let instant): instant.description
        }
    }
}

extension FactValue: Codable {
    private enum MoneyKeys: String, CodingKey {
        case amount, currency
    }
    private enum InstantKeys: String, CodingKey {
        case at
    }

    /// Reads a JSON string, number, boolean, `{"amount","currency"}` or `{"at": milliseconds}`.
    ///
    /// - Throws: `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.singleValueContainer() {
            if let flag = try? container.decode(Bool.self) {
                self = .boolean(flag)
                return
            }
            if let number = try? container.decode(Double.self) {
                self = .number(number)
                return
            }
            if let text = try? container.decode(String.self) {
                self = .text(text)
                return
            }
        }
        if let container = try? decoder.container(keyedBy: InstantKeys.self), container.contains(.at) {
            self = .instant(try container.decode(Instant.self, forKey: .at))
            return
        }
        let container = try decoder.container(keyedBy: MoneyKeys.self)
        let amount = try container.decode(String.self, forKey: .amount)
        guard let milliunits = Money.milliunits(amount) else {
            throw DecodingError.dataCorruptedError(
                forKey: .amount, in: container, debugDescription: "`\(amount)` is not an amount")
        }
        self = .money(Money(milliunits: milliunits, currency: try container.decode(String.self, forKey: .currency)))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .money(let money):
            var container = encoder.container(keyedBy: MoneyKeys.self)
            try container.encode(money.amount, forKey: .amount)
            try container.encode(money.currency, forKey: .currency)
        case .instant(let instant):
            var container = encoder.container(keyedBy: InstantKeys.self)
            try container.encode(instant, forKey: .at)
        case .text(let text): try text.encode(to: encoder)
        case .number(let number):
            if let whole = Int64(exactly: number) { return try whole.encode(to: encoder) }
            try number.encode(to: encoder)
        case .boolean(let flag): try flag.encode(to: encoder)
        }
    }
}

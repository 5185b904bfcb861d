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
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
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

extension FactValue: Encodable {
    /// Writes a JSON string, number, boolean, `{"amount","currency"}` or `{"at": milliseconds}`.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .money(let money): try ["amount": money.amount, "currency": money.currency].encode(to: encoder)
        case .instant(let instant): try ["at": instant].encode(to: encoder)
        case .text(let text): try text.encode(to: encoder)
        case .number(let number):
            if let whole = Int64(exactly: number) { return try whole.encode(to: encoder) }
            try number.encode(to: encoder)
        case .boolean(let flag): try flag.encode(to: encoder)
        }
    }
}

/// A request's statements about the device and the place in the app: the `request.*` facts, as the backend states them.
public struct DeviceRequest: Sendable, Hashable, Encodable {
    public var appVersion: String?
    public var osVersion: String?
    public var locale: String?
    /// The place in the app that asks.
    public var placement: String?

    public init() {}

    public init(
        appVersion: String? = nil, osVersion: String? = nil, locale: String? = nil, placement: String? = nil
    ) {
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.locale = locale
        self.placement = placement
    }

    /// Only what these facts say.
    package func keeping(_ facts: Set<String>) -> DeviceRequest {
        func kept(_ value: String?, _ fact: RequestFact) -> String? {
            facts.contains(RequestFact.prefix + fact.rawValue) ? value : nil
        }
        return DeviceRequest(
            appVersion: kept(appVersion, .appVersion), osVersion: kept(osVersion, .osVersion),
            locale: kept(locale, .locale), placement: kept(placement, .placement))
    }

    /// Whether a text can name a placement: 1 to 64 letters, digits, `.`, `_` and `-`, a letter or digit first.
    public static func isPlacement(_ text: String) -> Bool {
        func isLetterOrDigit(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
        return isLetterOrDigit(first)
            && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
    }
}

/// A version of numbers and dots, such as `4.10.1`, ordered number by number: `1.10` is later than `1.9`, and `2.0` is
/// `2`.
///
/// Anything else, such as `4.2-beta`, is not a version here: how such words are ordered is each app's own business.
public struct DottedVersion: Sendable, Hashable, Comparable {
    /// Without the zeros at the end.
    private let numbers: [Int64]

    /// Reads 1 to 16 numbers of at most nine digits; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        var scanner = DigitScanner(text)
        var numbers: [Int64] = []
        repeat {
            guard let number = scanner.number(), numbers.count < 16 else { return nil }
            numbers.append(number)
        } while scanner.skip(".")
        guard scanner.isAtEnd else { return nil }
        while numbers.last == 0 { numbers.removeLast() }
        self.numbers = numbers
    }

    /// By the first number that differs; what is missing is zero.
    public static func < (left: Self, right: Self) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}

/// A language with perhaps a script and a region, such as `de-CH`, `pt_BR` or `zh-Hant-TW`.
///
/// Letter case, `-` or `_`, and what Apple writes behind an `@` (`de_CH@currency=EUR`) make no difference.
public struct LocaleTag: Sendable, Hashable {
    private let parts: [[UInt8]]

    /// Reads a tag: a language of two to eight letters, then parts of one to eight letters or digits; `nil` for
    /// anything else.
    public init?(_ text: some StringProtocol) {
        let tag = text.utf8.prefix { $0 != UInt8(ascii: "@") }
        let parts = tag.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
            .map { $0.map(Self.lowercased) }
        guard let language = parts.first, (2...8).contains(language.count), language.allSatisfy(Self.isLetter),
            parts.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(Self.isLetterOrDigit) })
        else { return nil }
        self.parts = parts
    }

    /// Whether it begins with all of the other one's parts: `de-CH` begins with `de`, `den` does not (RFC 4647, basic
    /// filtering).
    public func begins(with other: LocaleTag) -> Bool {
        parts.starts(with: other.parts)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || (0x30...0x39).contains(byte) }
}

/// One value, or several where a rule compares with a list.
public enum EvidenceValue: Sendable, Hashable {
    case value(FactValue)
    case list([FactValue])
}

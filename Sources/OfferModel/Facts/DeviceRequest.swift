/// What a request says about the device that asks: the `request.*` facts, by the backend's word.
public struct DeviceRequest: Sendable, Hashable, Codable {
    public var appVersion: String?
    public var osVersion: String?
    public var locale: String?

    public init(appVersion: String? = nil, osVersion: String? = nil, locale: String? = nil) {
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.locale = locale
    }
}

/// A version of numbers and dots, such as `4.10.1`, ordered number by number: `1.10` is later than `1.9`, and `2.0` is `2`.
///
/// Anything else, such as `4.2-beta`, is no version here: how such words are ordered is each app's own business.
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

    /// Reads a tag: a language of two to eight letters, then parts of one to eight letters or digits; `nil` for anything
    /// else.
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

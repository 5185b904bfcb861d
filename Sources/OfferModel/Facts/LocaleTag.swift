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

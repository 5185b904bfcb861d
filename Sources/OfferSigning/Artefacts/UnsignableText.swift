/// A value that must not be signed as it is.
public struct UnsignableText: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nothing where Apple wants a value: the signature would look right and never be accepted.
        case empty
        /// U+2063, which separates the fields of a V1 signature: it could move their boundaries.
        case separator
        /// A control character, which no identifier of App Store Connect has.
        case controlCharacter
    }

    /// What is wrong.
    public let code: Code
    /// The field by Apple's name, such as `productId`.
    public let field: String

    /// One lower-case line for people.
    public var description: String {
        switch code {
        case .empty: "`\(field)` is empty and cannot be signed"
        case .separator: "`\(field)` contains the invisible separator U+2063 and cannot be signed"
        case .controlCharacter: "`\(field)` contains a control character and cannot be signed"
        }
    }

    /// What to do next.
    public var hint: String { "copy `\(field)` again from App Store Connect" }

    /// - Throws: ``UnsignableText`` unless the value is text that may be signed.
    static func check(_ value: String, _ field: String) throws(UnsignableText) {
        guard !value.isEmpty else { throw UnsignableText(code: .empty, field: field) }
        for scalar in value.unicodeScalars {
            switch scalar.value {
            case 0x2063: throw UnsignableText(code: .separator, field: field)
            case 0..<0x20, 0x7F..<0xA0: throw UnsignableText(code: .controlCharacter, field: field)
            default: continue
            }
        }
    }
}

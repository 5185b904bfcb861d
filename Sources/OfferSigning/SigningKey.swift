public import OfferModel

/// A private P-256 key that belongs to a key id in App Store Connect.
///
/// Conforming types never show key material: not in a description, an error or a dump (invariant 9).
public protocol SigningKey: Sendable {
    /// The key's id in App Store Connect; part of what is signed.
    var keyId: KeyId { get }

    /// ECDSA with SHA-256 over the message, as the DER of an `ECDSA-Sig-Value`: the form V1 wants.
    func derSignature(of message: [UInt8]) throws -> [UInt8]

    /// ECDSA with SHA-256 over the message, as the 64 bytes R‖S: the form a JWS wants (RFC 7518 §3.4).
    func rawSignature(of message: [UInt8]) throws -> [UInt8]

    /// Whether the public half verifies a signature in DER.
    func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool

    /// Whether the public half verifies a signature of 64 bytes R‖S; `false` for any other number of bytes.
    func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool

    /// Whether the public half verifies what the key signs now.
    var works: Bool { get }
}

/// A value that must not be signed as it is.
public struct UnsignableText: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nothing where Apple wants a value: the signature would look right and never be accepted.
        case empty
        /// U+2063, which separates the fields of a V1 signature: it could move their boundaries.
        case separator
        /// A control character, which no identifier of App Store Connect has.
        case controlCharacter
    }

    public let code: Code
    /// The field by Apple's name, such as `productId`.
    public let field: String

    public var description: String {
        switch code {
        case .empty: "`\(field)` is empty and cannot be signed"
        case .separator: "`\(field)` contains the invisible separator U+2063 and cannot be signed"
        case .controlCharacter: "`\(field)` contains a control character and cannot be signed"
        }
    }

    public var hint: String { "copy `\(field)` again from App Store Connect" }

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

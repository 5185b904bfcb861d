public import OfferModel

/// A bearer token, `offerd_<id>_<secret>`: the id finds the key, the secret proves it.
///
/// Only the secret's SHA-256 is stored. The secret is 256 random bits, so a plain digest is enough: there is nothing to
/// guess that a slow hash would protect.
public struct APIToken: Sendable, Equatable {
    /// The public half: 16 lower-case hexadecimal digits.
    public let id: String
    /// The secret half: 64 lower-case hexadecimal digits.
    let secret: String

    private static let prefix = "offerd"
    private static let idLength = 16
    private static let secretLength = 64

    /// Draws a new token.
    ///
    /// - Throws: when the generator has no entropy.
    public init(random: some RandomSource) throws {
        id = Hexadecimal.lowercase(try random.bytes(Self.idLength / 2))
        secret = Hexadecimal.lowercase(try random.bytes(Self.secretLength / 2))
    }

    /// Reads a token; `nil` if it has not the form of one.
    public init?(_ text: some StringProtocol) {
        let parts = String(text).utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].elementsEqual(Self.prefix.utf8),
            Self.isHexadecimal(parts[1], length: Self.idLength),
            Self.isHexadecimal(parts[2], length: Self.secretLength)
        else { return nil }
        id = String(Substring(parts[1]))
        secret = String(Substring(parts[2]))
    }

    /// The whole token: shown once, at its making.
    public var text: String { "\(Self.prefix)_\(id)_\(secret)" }

    /// What is stored of the secret.
    func secretDigest(_ digest: some Digest) -> [UInt8] {
        digest.sha256(Array(secret.utf8))
    }

    private static func isHexadecimal(_ text: Substring.UTF8View, length: Int) -> Bool {
        text.count == length && text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

extension APIToken: CustomStringConvertible, CustomReflectable {
    /// The public half only.
    public var description: String { "\(Self.prefix)_\(id)_…" }

    /// The public half only.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

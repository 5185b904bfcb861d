public import OfferModel

/// A secret for digests of values that could be guessed, such as transaction ids (`audit.digestKey`).
///
/// Its name may be shown; the secret never is (invariant 9).
public final class OpenSSLDigestKey: KeyedDigest {
    /// 16 hexadecimal digits that follow from the secret and do not tell it.
    public let name: String
    private let keyed: any KeyedDigest

    /// The fewest bytes a secret may have.
    private static let length = 32

    /// Loads a file of at least 64 hexadecimal digits, as `openssl rand -hex 32` writes them.
    ///
    /// - Throws: ``SigningKeyError``, each cause with its own code, message and hint.
    public convenience init(file path: String) throws {
        var bytes = try PrivateKeyFile.read(path)
        defer { bytes.cleanse() }
        try self.init(hexadecimal: bytes, source: "digest key `\(path)`")
    }

    /// Reads hexadecimal digits that are already in memory. These bytes are wiped, copies that the caller keeps are not.
    ///
    /// - Parameter source: what messages call the key.
    /// - Throws: ``SigningKeyError`` with `malformed`.
    public init(hexadecimal: consuming [UInt8], source: String) throws {
        var digits = hexadecimal
        defer { digits.cleanse() }
        while let last = digits.last, [0x0A, 0x0D, 0x20].contains(last) { digits.removeLast() }
        guard var secret = Hexadecimal.bytes(String(decoding: digits, as: UTF8.self)), secret.count >= Self.length
        else {
            throw SigningKeyError(
                .malformed, "\(source) is not \(Self.length * 2) hexadecimal digits or more",
                hint: "make one with `(umask 077; openssl rand -hex \(Self.length) > digest.key)`")
        }
        defer { secret.cleanse() }
        keyed = OpenSSLDigest().keyed(by: secret, name: "")
        name = Hexadecimal.lowercase(keyed.digest(of: Array("offerd-digest-key-1".utf8))[..<8])
    }

    /// The 32 bytes of HMAC-SHA-256.
    public func digest(of bytes: [UInt8]) -> [UInt8] {
        keyed.digest(of: bytes)
    }
}

extension OpenSSLDigestKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its name.
    public var description: String { "digest key `\(name)`" }

    /// The same as the description.
    public var debugDescription: String { description }

    /// Only the name, so that `dump` has nothing to show.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

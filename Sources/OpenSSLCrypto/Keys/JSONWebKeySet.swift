public import OfferSigning

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys that a login provider publishes as a JSON Web Key Set (RFC 7517 §5).
public enum JSONWebKeySet {
    /// The longest set, in bytes.
    public static let longest = 64 * 1_024
    private static let most = 100

    /// The keys by which customer tokens are verified, by `kid`: RSA and P-256 keys for signatures. Others are left out.
    ///
    /// - Throws: ``InvalidKeySet`` if there is none, too.
    public static func keys(_ bytes: [UInt8]) throws(InvalidKeySet) -> [String: any CustomerTokenKey] {
        guard bytes.count <= longest else { throw InvalidKeySet("it has more than \(longest) bytes") }
        guard let set = try? JSONDecoder().decode(KeySet.self, from: Data(bytes)) else {
            throw InvalidKeySet("it is not a JSON Web Key Set, an object with a list `keys`")
        }
        guard set.keys.count <= most else { throw InvalidKeySet("it has more than \(most) keys") }
        var keys: [String: any CustomerTokenKey] = [:]
        for case .some(let entry) in set.keys.map(\.entry) {
            guard let id = entry.kid, keys[id] == nil, let key = ProviderKey(entry) else { continue }
            keys[id] = key
        }
        guard !keys.isEmpty else {
            throw InvalidKeySet("it has no key with a `kid` for RS256, of 2,048 bits or more, or for ES256")
        }
        return keys
    }

    private struct KeySet: Decodable {
        let keys: [AnyKey]
    }

    /// One entry; `nil` if its members are not of the types that they should have, which spoils no other key.
    private struct AnyKey: Decodable {
        let entry: Entry?

        init(from decoder: any Decoder) throws { entry = try? Entry(from: decoder) }
    }

    fileprivate struct Entry: Decodable {
        enum CodingKeys: String, CodingKey {
            case kty, kid, use, alg, n, e, crv, x, y
            case operations = "key_ops"
        }

        let kty: String
        let kid: String?
        let use: String?
        let operations: [String]?
        let alg: String?
        let n: String?
        let e: String?
        let crv: String?
        let x: String?
        let y: String?
    }
}

/// Why a text is not a usable key set.
public struct InvalidKeySet: Error, Sendable, Hashable {
    public let detail: String

    init(_ detail: String) { self.detail = detail }
}

private struct ProviderKey: CustomerTokenKey {
    private static let rsaBits = 2_048...8_192
    /// In bytes. A longer one makes verifying slow.
    private static let longestExponent = 8

    let algorithm: CustomerToken.Algorithm
    private let context: VerifyingContext

    /// `nil` for a key that is for something else, or of a kind that is not supported.
    init?(_ entry: JSONWebKeySet.Entry) {
        guard (entry.use ?? "sig") == "sig", entry.operations?.contains("verify") ?? true else { return nil }
        let encoded: [UInt8]?
        (algorithm, encoded) =
            switch entry.kty {
            case "RSA": (.rs256, Self.rsa(entry))
            case "EC" where entry.crv == "P-256": (.es256, Self.p256(entry))
            default: (.es256, nil)
            }
        guard (entry.alg ?? algorithm.rawValue) == algorithm.rawValue, let encoded,
            let key = KeyHandle(publicKeyDER: encoded),
            key.isEllipticCurve || Self.rsaBits.contains(key.bits), let context = try? VerifyingContext(key: key)
        else { return nil }
        self.context = context
    }

    func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch algorithm {
        // libcrypto's padding for RSA keys is that of RS256: PKCS #1 v1.5.
        case .rs256: context.isValid(derSignature: signature, of: message)
        case .es256: context.isValid(rawSignature: signature, of: message)
        }
    }

    /// The SubjectPublicKeyInfo of an RSA key (RFC 3279 §2.3.1); `nil` for an exponent with which everyone could sign.
    private static func rsa(_ entry: JSONWebKeySet.Entry) -> [UInt8]? {
        guard let n = number(entry.n), let e = number(entry.e), e != [1], e.count <= longestExponent,
            let last = e.last, last % 2 == 1
        else { return nil }
        let key = element(0x30, element(0x02, n) + element(0x02, e))
        // rsaEncryption, 1.2.840.113549.1.1.1, with NULL
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        return element(0x30, algorithm + element(0x03, [0] + key))
    }

    /// The SubjectPublicKeyInfo of a key on P-256 (RFC 5480 §2); libcrypto checks that the point is on the curve.
    private static func p256(_ entry: JSONWebKeySet.Entry) -> [UInt8]? {
        guard let x = bytes(entry.x), let y = bytes(entry.y), x.count == 32, y.count == 32 else { return nil }
        // id-ecPublicKey, 1.2.840.10045.2.1, with prime256v1, 1.2.840.10045.3.1.7
        let algorithm: [UInt8] = [
            0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
            0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
        ]
        return element(0x30, algorithm + element(0x03, [0, 4] + x + y))
    }

    private static func bytes(_ text: String?) -> [UInt8]? { text.flatMap { Base64URL.decode(Array($0.utf8)) } }

    /// The content of a positive INTEGER in DER.
    private static func number(_ text: String?) -> [UInt8]? {
        guard let magnitude = bytes(text).map({ Array($0.drop { $0 == 0 }) }), let first = magnitude.first else {
            return nil
        }
        return first & 0x80 == 0 ? magnitude : [0] + magnitude
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count
        let (high, low) = (UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length))
        let header: [UInt8] = length < 0x80 ? [tag, low] : length < 0x100 ? [tag, 0x81, low] : [tag, 0x82, high, low]
        return header + content
    }
}

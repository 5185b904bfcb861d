public import OfferModel

/// SHA-256 and HMAC-SHA-256 by libcrypto.
public struct OpenSSLDigest: Digest {
    /// A digest without state.
    public init() {}

    /// The 32 bytes of SHA-256 (FIPS 180-4).
    public func sha256(_ bytes: [UInt8]) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return SHA256.shared.digest(of: bytes)
    }

    /// The 32 bytes of HMAC-SHA-256 (RFC 2104) under a key of any length.
    public func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        keyed(by: key, name: "").digest(of: message)
    }

    /// The same under one key again and again, which is made ready once.
    public func keyed(by key: [UInt8], name: String) -> any KeyedDigest {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return OpenSSLKeyedDigest(name: name, prepared: PreparedHMAC(key: key))
    }
}

/// HMAC-SHA-256 under one key.
private struct OpenSSLKeyedDigest: KeyedDigest {
    let name: String
    let prepared: PreparedHMAC

    func digest(of bytes: [UInt8]) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return prepared.code(of: bytes)
    }
}

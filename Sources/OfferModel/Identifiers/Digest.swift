/// Cryptographic digests, so that targets without OpenSSL can ask for one.
public protocol Digest: Sendable {
    /// The 32 bytes of SHA-256.
    func sha256(_ bytes: [UInt8]) -> [UInt8]

    /// The 32 bytes of HMAC-SHA-256 (RFC 2104) under a key of any length.
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8]

    /// The same under one key again and again, which is made ready once.
    func keyed(by key: [UInt8], name: String) -> any KeyedDigest
}

/// Digests under a secret key, of values that could be guessed; the key itself stays with OpenSSL.
public protocol KeyedDigest: Sendable {
    /// Which key it is, without showing it.
    var name: String { get }

    /// The 32 bytes of HMAC-SHA-256.
    func digest(of bytes: [UInt8]) -> [UInt8]
}

/// A source of unpredictable bytes, so that targets without OpenSSL can ask for some.
public protocol RandomSource: Sendable {
    /// So many bytes of the system's cryptographic generator.
    ///
    /// - Throws: when the generator has no entropy; then nothing may be signed.
    func bytes(_ count: Int) throws -> [UInt8]
}

extension RandomSource {
    /// A fresh version-4 UUID in lower case.
    ///
    /// - Throws: when the generator has no entropy.
    public func uuid() throws -> LowercaseUUID {
        LowercaseUUID(version4From: try bytes(16))
    }

    /// A fresh version-7 UUID in lower case, for what is stored in the order of time; 74 bits of it are random.
    ///
    /// - Throws: when the generator has no entropy.
    public func orderedUUID(at now: Instant) throws -> LowercaseUUID {
        LowercaseUUID(version7At: now, random: try bytes(10))
    }
}

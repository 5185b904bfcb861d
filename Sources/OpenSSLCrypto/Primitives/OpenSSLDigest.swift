public import OfferModel

/// SHA-256 and HMAC-SHA-256 by libcrypto.
public struct OpenSSLDigest: Digest {
    /// What SHA-256 works on at once.
    private static let blockLength = 64

    /// A digest without state.
    public init() {}

    /// The 32 bytes of SHA-256 (FIPS 180-4).
    public func sha256(_ bytes: [UInt8]) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return SHA256Algorithm.shared.digest(of: bytes)
    }

    /// The 32 bytes of HMAC-SHA-256 (RFC 2104) under a key of any length.
    ///
    /// Put together here from two digests: libcrypto's own function looks HMAC up anew for each message.
    public func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        // Room from the start: an array that grew would leave the key behind where it was.
        var (inner, outer) = ([UInt8](), [UInt8]())
        inner.reserveCapacity(Self.blockLength + message.count)
        outer.reserveCapacity(Self.blockLength + 32)
        defer {
            inner.cleanse()
            outer.cleanse()
        }
        let key = key.count > Self.blockLength ? sha256(key) : key
        for place in 0..<Self.blockLength {
            let byte = place < key.count ? key[place] : 0
            inner.append(byte ^ 0x36)
            outer.append(byte ^ 0x5C)
        }
        inner.append(contentsOf: message)
        outer.append(contentsOf: sha256(inner))
        return sha256(outer)
    }
}

import COpenSSL
public import OfferModel

/// SHA-256 and HMAC-SHA-256 by libcrypto.
public struct OpenSSLDigest: Digest {
    /// A digest without state.
    public init() {}

    /// The 32 bytes of SHA-256 (FIPS 180-4).
    public func sha256(_ bytes: [UInt8]) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        var digest = [UInt8](repeating: 0, count: 32)
        let status = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        precondition(status == 1, "libcrypto has no SHA-256")
        return digest
    }

    /// The 32 bytes of HMAC-SHA-256 (RFC 2104) under a key of any length.
    public func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        var code = [UInt8](repeating: 0, count: 32)
        let result = unsafe HMAC(
            EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
        precondition(unsafe result != nil, "libcrypto has no HMAC-SHA-256")
        return code
    }
}

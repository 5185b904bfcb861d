import COpenSSL

/// Signs ECDSA with SHA-256 under one key.
struct SigningContext: Sendable {
    private let context: PreparedContext
    private let maximumLength: Int

    init(key: KeyHandle) throws(OpenSSLFailure) {
        context = try unsafe PreparedContext("prepare to sign") { context in
            unsafe key.lend { unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, $0) }
        }
        maximumLength = unsafe key.lend { Int(unsafe EVP_PKEY_get_size($0)) }
    }

    /// The DER of an `ECDSA-Sig-Value` over the message's SHA-256.
    func signature(of message: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: maximumLength)
        var length = maximumLength
        let status = unsafe context.copied {
            unsafe EVP_DigestSign($0, &signature, &length, message, message.count)
        }
        guard status == 1 else { throw OpenSSLFailure("sign") }
        // DER drops leading zeros, so most signatures are shorter than the maximum.
        signature.removeLast(maximumLength - length)
        return signature
    }

    /// The same signature as the 64 bytes R‖S; only of a key on P-256.
    func rawSignature(of message: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        guard let raw = ECDSASignature.raw(der: try signature(of: message)) else {
            throw OpenSSLFailure("make a signature of 64 bytes with this key")
        }
        return raw
    }
}

/// Checks ECDSA-with-SHA-256 signatures of one public key.
struct VerifyingContext: Sendable {
    private let context: PreparedContext

    init(key: KeyHandle) throws(OpenSSLFailure) {
        context = try unsafe PreparedContext("prepare to verify") { context in
            unsafe key.lend { unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, $0) }
        }
    }

    func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool {
        let status = unsafe context.copied {
            unsafe EVP_DigestVerify($0, derSignature, derSignature.count, message, message.count)
        }
        return status == 1
    }

    func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool {
        guard let der = ECDSASignature.der(raw: rawSignature) else { return false }
        return isValid(derSignature: der, of: message)
    }
}

/// The two spellings of a P-256 signature.
///
/// ```
/// DER (V1):  30 len  02 len R  02 len S      R and S without leading zeros, 00 before a high bit
/// raw (JWS): R in 32 bytes ‖ S in 32 bytes   big endian, leading zeros kept (RFC 7518 §3.4)
/// ```
enum ECDSASignature {
    private static let fieldLength = 32

    /// R‖S of a DER signature; `nil` if it is none of P-256.
    static func raw(der: [UInt8]) -> [UInt8]? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let parsed = unsafe parse(der) else { return nil }
        defer { unsafe ECDSA_SIG_free(parsed) }
        guard let r = unsafe bytes(of: ECDSA_SIG_get0_r(parsed), count: fieldLength),
            let s = unsafe bytes(of: ECDSA_SIG_get0_s(parsed), count: fieldLength)
        else { return nil }
        return r + s
    }

    /// The DER of R‖S; `nil` unless it has 64 bytes.
    static func der(raw: [UInt8]) -> [UInt8]? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard raw.count == 2 * fieldLength, let value = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(value) }
        let width = Int32(clamping: fieldLength)
        let r = unsafe BN_bin2bn(Array(raw.prefix(fieldLength)), width, nil)
        let s = unsafe BN_bin2bn(Array(raw.suffix(fieldLength)), width, nil)
        guard unsafe ECDSA_SIG_set0(value, r, s) == 1 else {
            unsafe BN_free(r)
            unsafe BN_free(s)
            return nil
        }
        return unsafe derEncoding { unsafe i2d_ECDSA_SIG(value, $0) }
    }

    /// One form for both spellings of a signature under a key, (r, s) and (r, n − s); `nil` unless the bytes are
    /// exactly the DER of two numbers.
    static func canonical(der: [UInt8], key: OpaquePointer) -> [UInt8]? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let parsed = unsafe parse(der) else { return nil }
        defer { unsafe ECDSA_SIG_free(parsed) }
        var order: OpaquePointer?
        guard unsafe derEncoding({ unsafe i2d_ECDSA_SIG(parsed, $0) }) == der,
            unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_ORDER, &order) == 1, let order = unsafe order
        else { return nil }
        defer { unsafe BN_free(order) }
        let (r, s) = unsafe (ECDSA_SIG_get0_r(parsed), ECDSA_SIG_get0_s(parsed))
        guard let other = unsafe BN_new() else { return nil }
        defer { unsafe BN_free(other) }
        // An s of n or more is not a signature, and stays as it is.
        let isInRange = unsafe BN_cmp(s, order) < 0
        // 128 bytes hold the numbers of any curve.
        guard unsafe BN_sub(other, order, s) == 1, let first = unsafe bytes(of: r, count: 128),
            let second = unsafe bytes(of: isInRange && BN_cmp(other, s) < 0 ? other : s, count: 128)
        else { return nil }
        return first + second
    }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &cursor, buffer.count)
        }
    }

    /// A number padded to a length; `nil` if it is longer.
    private static func bytes(of number: OpaquePointer?, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe BN_bn2binpad(number, buffer.baseAddress, Int32(clamping: buffer.count))
        }
        return written == Int32(clamping: count) ? bytes : nil
    }
}

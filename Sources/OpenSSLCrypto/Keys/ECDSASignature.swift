import COpenSSL

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
        let parsed: OpaquePointer? = unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &cursor, buffer.count)
        }
        guard let parsed = unsafe parsed else { return nil }
        defer { unsafe ECDSA_SIG_free(parsed) }
        var raw = [UInt8](repeating: 0, count: 2 * fieldLength)
        let complete = unsafe raw.withUnsafeMutableBufferPointer { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            let width = Int32(clamping: fieldLength)
            return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(parsed), start, width) == width
                && BN_bn2binpad(ECDSA_SIG_get0_s(parsed), start + fieldLength, width) == width
        }
        return complete ? raw : nil
    }

    /// The DER of R‖S; `nil` unless it has 64 bytes.
    static func der(raw: [UInt8]) -> [UInt8]? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard raw.count == 2 * fieldLength else { return nil }
        guard let value = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(value) }
        let width = Int32(clamping: fieldLength)
        let r = unsafe BN_bin2bn(Array(raw.prefix(fieldLength)), width, nil)
        let s = unsafe BN_bin2bn(Array(raw.suffix(fieldLength)), width, nil)
        guard unsafe ECDSA_SIG_set0(value, r, s) == 1 else {
            unsafe BN_free(r)
            unsafe BN_free(s)
            return nil
        }
        var der = [UInt8](repeating: 0, count: 72)
        let length = unsafe der.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return Int(unsafe i2d_ECDSA_SIG(value, &cursor))
        }
        guard length > 0, length <= der.count else { return nil }
        der.removeLast(der.count - length)
        return der
    }

    /// One form for both spellings of a signature under a key, (r, s) and (r, n − s); `nil` unless the bytes are exactly the
    /// DER of two numbers.
    static func canonical(der: [UInt8], key: OpaquePointer) -> [UInt8]? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let parsed: OpaquePointer? = unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &cursor, buffer.count)
        }
        guard let parsed = unsafe parsed else { return nil }
        defer { unsafe ECDSA_SIG_free(parsed) }
        var order: OpaquePointer?
        guard unsafe encoded(parsed) == der,
            unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_ORDER, &order) == 1, let order = unsafe order
        else { return nil }
        defer { unsafe BN_free(order) }
        let (r, s) = unsafe (ECDSA_SIG_get0_r(parsed), ECDSA_SIG_get0_s(parsed))
        guard let other = unsafe BN_new() else { return nil }
        defer { unsafe BN_free(other) }
        // One that is too great is no signature, and stays as it is.
        let isInRange = unsafe BN_cmp(s, order) < 0
        guard unsafe BN_sub(other, order, s) == 1 else { return nil }
        guard let first = unsafe bytes(of: r),
            let second = unsafe bytes(of: isInRange && BN_cmp(other, s) < 0 ? other : s)
        else { return nil }
        return first + second
    }

    private static func encoded(_ signature: OpaquePointer) -> [UInt8] {
        let length = Int(unsafe i2d_ECDSA_SIG(signature, nil))
        guard length > 0 else { return [] }
        var der = [UInt8](repeating: 0, count: length)
        let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return Int(unsafe i2d_ECDSA_SIG(signature, &cursor))
        }
        return written == length ? der : []
    }

    /// A number in as many bytes as any curve's fit into.
    private static func bytes(of number: OpaquePointer?) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 128)
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe BN_bn2binpad(number, buffer.baseAddress, Int32(clamping: buffer.count))
        }
        return written == Int32(clamping: bytes.count) ? bytes : nil
    }
}

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
            let width = Int32(fieldLength)
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
        let width = Int32(fieldLength)
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
}

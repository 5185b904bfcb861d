import COpenSSL

/// Comparison that takes as long for a near miss as for a far one.
public enum ConstantTime {
    /// Whether two byte strings are equal. The time depends on their lengths, never on where they differ.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}

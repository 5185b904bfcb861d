import FoundationEssentials

/// Base64 with the standard alphabet and padding (RFC 4648 §4), as V1 signatures and `x5c` are written.
public enum Base64 {
    /// The text of some bytes.
    public static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }
}

extension KeyHandle {
    /// Whether the DER signature belongs to this key and the message (ECDSA with SHA-256). Who checks many of one key
    /// keeps a ``VerifyingContext``.
    func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool {
        (try? VerifyingContext(key: self))?.isValid(derSignature: derSignature, of: message) ?? false
    }

    /// Whether the 64 bytes R‖S belong to this key and the message (ES256).
    func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool {
        (try? VerifyingContext(key: self))?.isValid(rawSignature: rawSignature, of: message) ?? false
    }
}

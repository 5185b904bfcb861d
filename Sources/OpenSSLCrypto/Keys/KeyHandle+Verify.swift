import COpenSSL

extension KeyHandle {
    /// Whether the DER signature belongs to this key and the message (ECDSA with SHA-256).
    func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        let prepared = unsafe lend { unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, $0) }
        guard prepared == 1 else { return false }
        return unsafe EVP_DigestVerify(
            context, derSignature, derSignature.count, message, message.count) == 1
    }

    /// Whether the 64 bytes R‖S belong to this key and the message (ES256).
    func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool {
        guard let der = ECDSASignature.der(raw: rawSignature) else { return false }
        return isValid(derSignature: der, of: message)
    }
}

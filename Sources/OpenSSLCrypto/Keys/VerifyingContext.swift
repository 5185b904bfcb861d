import COpenSSL

/// A prepared context that checks ECDSA-with-SHA-256 signatures of one key, copied for each: a copy is cheaper than looking
/// the algorithms up again.
///
/// `@unchecked Sendable`: the prepared context is only read after `init`; each check works on its own copy.
@safe
final class VerifyingContext: @unchecked Sendable {
    private let prepared: OpaquePointer

    /// - Parameter key: the public key; the context keeps its own reference.
    init(key: KeyHandle) throws(OpenSSLFailure) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLFailure("prepare to verify") }
        unsafe prepared = unsafe context
        let status = unsafe key.lend { unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, $0) }
        guard status == 1 else { throw OpenSSLFailure("prepare to verify") }
    }

    deinit {
        unsafe EVP_MD_CTX_free(prepared)
    }

    /// Whether the DER signature belongs to the key and the message.
    func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_MD_CTX_copy_ex(context, prepared) == 1 else { return false }
        return unsafe EVP_DigestVerify(
            context, derSignature, derSignature.count, message, message.count) == 1
    }

    /// Whether the 64 bytes R‖S belong to the key and the message (ES256).
    func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool {
        guard let der = ECDSASignature.der(raw: rawSignature) else { return false }
        return isValid(derSignature: der, of: message)
    }
}

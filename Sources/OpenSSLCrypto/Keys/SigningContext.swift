import COpenSSL

/// A prepared ECDSA-with-SHA-256 signing context, copied for each signature: a copy is cheaper than looking the
/// algorithms up again.
///
/// `@unchecked Sendable`: the prepared context is only read after `init`; each signature works on its own copy.
@safe
final class SigningContext: @unchecked Sendable {
    private let prepared: OpaquePointer
    private let maximumLength: Int

    init(key: KeyHandle) throws(OpenSSLFailure) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLFailure("prepare to sign") }
        unsafe prepared = unsafe context
        maximumLength = unsafe key.lend { Int(unsafe EVP_PKEY_get_size($0)) }
        let status = unsafe key.lend { unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, $0) }
        guard status == 1 else { throw OpenSSLFailure("prepare to sign") }
    }

    deinit {
        unsafe EVP_MD_CTX_free(prepared)
    }

    /// The DER of an `ECDSA-Sig-Value` over the message's SHA-256.
    func signature(of message: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLFailure("sign") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_MD_CTX_copy_ex(context, prepared) == 1 else { throw OpenSSLFailure("sign") }
        var signature = [UInt8](repeating: 0, count: maximumLength)
        var length = maximumLength
        guard unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
            throw OpenSSLFailure("sign")
        }
        // DER drops leading zeros, so most signatures are shorter than the most they can be.
        signature.removeLast(maximumLength - length)
        return signature
    }
}

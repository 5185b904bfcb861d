import COpenSSL

/// libcrypto's SHA-256, looked up once: a name given with each digest is looked up each time, which takes longer than
/// digesting a short text.
///
/// `@unchecked Sendable`: nothing changes an algorithm, and libcrypto counts its references atomically.
@safe
final class SHA256Algorithm: @unchecked Sendable {
    static let shared = SHA256Algorithm()

    private let pointer: OpaquePointer

    private init() {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let found = unsafe EVP_MD_fetch(nil, "SHA2-256", nil) else {
            preconditionFailure("libcrypto has no SHA-256")
        }
        unsafe pointer = unsafe found
    }

    deinit {
        unsafe EVP_MD_free(pointer)
    }

    /// The 32 bytes of a digest.
    func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, pointer, nil)
        precondition(status == 1, "libcrypto has no SHA-256")
        return digest
    }
}

import COpenSSL

/// SHA-256, looked up in libcrypto once: looking an algorithm up takes longer than a short digest.
///
/// `@unchecked Sendable`: the algorithm is only read.
@safe
final class SHA256: @unchecked Sendable {
    static let shared = SHA256()

    /// How many bytes a digest has.
    static let length = 32
    /// How many bytes are taken in at a time.
    static let blockLength = 64

    private let algorithm: OpaquePointer

    private init() {
        guard let found = unsafe EVP_MD_fetch(nil, "SHA256", nil) else {
            // A trap, because only how libcrypto was built or configured leads here, no input: without SHA-256 nothing
            // can be signed, verified or recorded, and the first digest of the process meets it.
            preconditionFailure("libcrypto has no SHA-256")
        }
        unsafe algorithm = unsafe found
    }

    deinit {
        unsafe EVP_MD_free(algorithm)
    }

    /// The digest of all bytes at once.
    func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.length)
        let status = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil)
        precondition(status == 1, "libcrypto failed to take a SHA-256")
        return digest
    }

    /// A digest that has taken some bytes in and waits for more; whoever asks frees it.
    func context(after bytes: [UInt8]) -> OpaquePointer? {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        let begun = unsafe EVP_DigestInit_ex(context, algorithm, nil)
        let updated = unsafe EVP_DigestUpdate(context, bytes, bytes.count)
        precondition(begun == 1 && updated == 1, "libcrypto failed to begin a SHA-256")
        return unsafe context
    }
}

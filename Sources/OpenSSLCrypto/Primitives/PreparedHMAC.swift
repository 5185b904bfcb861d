import COpenSSL

/// HMAC-SHA-256 (RFC 2104) under one key, of which both halves have taken the key in already and are copied for each
/// message: a copy is cheaper than looking the algorithms up and taking the key in again.
///
/// `@unchecked Sendable`: the prepared halves are only read after `init`; each message works on its own copy.
@safe
final class PreparedHMAC: @unchecked Sendable {
    private let inner: OpaquePointer
    private let outer: OpaquePointer

    init(key: [UInt8]) {
        var block = [UInt8](repeating: 0, count: SHA256.blockLength)
        defer { block.cleanse() }
        for (place, byte) in (key.count > SHA256.blockLength ? SHA256.shared.digest(of: key) : key).enumerated() {
            block[place] = byte
        }
        var (innerBlock, outerBlock) = (block.map { $0 ^ 0x36 }, block.map { $0 ^ 0x5C })
        defer {
            innerBlock.cleanse()
            outerBlock.cleanse()
        }
        guard let inner = unsafe SHA256.shared.context(after: innerBlock),
            let outer = unsafe SHA256.shared.context(after: outerBlock)
        else {
            // A trap, because only memory that has run out leads here, no input: Swift itself ends the process then.
            preconditionFailure("no memory to prepare an HMAC")
        }
        unsafe self.inner = unsafe inner
        unsafe self.outer = unsafe outer
    }

    deinit {
        unsafe EVP_MD_CTX_free(inner)
        unsafe EVP_MD_CTX_free(outer)
    }

    /// The 32 bytes of a message.
    func code(of message: [UInt8]) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else {
            // A trap, as in `init`: a code that is missing or wrong would pass for what a row once held.
            preconditionFailure("no memory for an HMAC")
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        let half = unsafe Self.finish(inner, with: message, in: context)
        return unsafe Self.finish(outer, with: half, in: context)
    }

    private static func finish(
        _ half: OpaquePointer, with bytes: [UInt8], in context: OpaquePointer
    ) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256.length)
        let copied = unsafe EVP_MD_CTX_copy_ex(context, half)
        let updated = unsafe EVP_DigestUpdate(context, bytes, bytes.count)
        let finished = unsafe EVP_DigestFinal_ex(context, &digest, nil)
        precondition(copied == 1 && updated == 1 && finished == 1, "libcrypto failed to take an HMAC")
        return digest
    }
}

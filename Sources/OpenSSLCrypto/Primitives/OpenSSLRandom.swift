import COpenSSL
public import OfferModel

/// Unpredictable bytes from libcrypto's generator, which the kernel seeds (invariant 8).
public struct OpenSSLRandom: RandomSource {
    /// The generator; it has no state of its own here.
    public init() {}

    /// So many unpredictable bytes.
    ///
    /// - Throws: ``OpenSSLFailure`` when the generator has no entropy; then nothing may be signed.
    public func bytes(_ count: Int) throws -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let length = Int32(exactly: count), length >= 0 else {
            throw OpenSSLFailure("draw `\(count)` bytes")
        }
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe RAND_bytes(&bytes, length) == 1 else { throw OpenSSLFailure("draw random bytes") }
        return bytes
    }
}

import COpenSSL
public import OfferModel
import Synchronization

/// Unpredictable bytes from libcrypto's generator, which the kernel seeds (invariant 8).
public struct OpenSSLRandom: RandomSource {
    /// The generator; what it has in reserve all of them share.
    public init() {}

    /// So many unpredictable bytes.
    ///
    /// - Throws: ``OpenSSLFailure`` when the generator has no entropy; then nothing may be signed.
    public func bytes(_ count: Int) throws -> [UInt8] {
        guard (1...RandomReserve.most).contains(count) else { return try Self.draw(count) }
        return try RandomReserve.shared.take(count)
    }

    /// Asks libcrypto, each time.
    static func draw(_ count: Int) throws -> [UInt8] {
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

/// Bytes drawn beforehand for ids and nonces: libcrypto takes as long for sixteen as for a thousand, and a request has four.
///
/// Secrets are longer than what it gives, and never come from here. Each byte is given once.
private final class RandomReserve: Sendable {
    static let shared = RandomReserve()

    /// The most that is given at once: a UUID.
    static let most = 16
    private static let size = 1_024

    private let rest = Mutex<[UInt8]>([])

    func take(_ count: Int) throws -> [UInt8] {
        try rest.withLock { rest in
            if rest.count < count { rest = try OpenSSLRandom.draw(Self.size) }
            let taken = Array(rest.suffix(count))
            rest.removeLast(count)
            return taken
        }
    }
}

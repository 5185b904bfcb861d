import COpenSSL
public import OfferModel
import Synchronization

/// libcrypto's list of errors, one per thread.
///
/// A synchronous function clears it before and after it calls libcrypto, with no suspension between, so nothing is left
/// for the next user of the thread.
enum ErrorQueue {
    static func clear() {
        // Clearing an empty list takes as long as a short digest.
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }
}

/// Something that libcrypto could not do, which no input should cause: no memory, no entropy, a broken installation.
///
/// The library's own error text is never attached: it means nothing to operators and could quote what it was given.
public struct OpenSSLFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operation, such as `sign`.
    public let operation: String

    init(_ operation: String) {
        self.operation = operation
    }

    public var description: String { "libcrypto could not \(operation)" }
}

extension [UInt8] {
    /// Overwrites the bytes in a way the optimiser may not remove.
    mutating func cleanse() {
        unsafe withUnsafeMutableBytes { buffer in
            unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        }
    }
}

/// A context of libcrypto that is prepared once and copied for each use: a copy is cheaper than looking the algorithms
/// up again.
///
/// `@unchecked Sendable`: it is only read after `init`; each use works on its own copy.
@safe
final class PreparedContext: @unchecked Sendable {
    private let prepared: OpaquePointer

    /// - Parameter prepare: answers with 1 if it has prepared the context.
    init(_ operation: String, _ prepare: (OpaquePointer) -> Int32) throws(OpenSSLFailure) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLFailure(operation) }
        unsafe prepared = unsafe context
        guard unsafe prepare(context) == 1 else { throw OpenSSLFailure(operation) }
    }

    deinit {
        unsafe EVP_MD_CTX_free(prepared)
    }

    /// The body's result for a copy of the context; 0 without memory for one.
    func copied(_ body: (OpaquePointer) -> Int32) -> Int32 {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = unsafe EVP_MD_CTX_new() else { return 0 }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_MD_CTX_copy_ex(context, prepared) == 1 else { return 0 }
        return unsafe body(context)
    }
}

/// The output of an `i2d_…` function of libcrypto; `nil` if it fails.
func derEncoding(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
    let length = Int(write(nil))
    guard length > 0 else { return nil }
    var der = [UInt8](repeating: 0, count: length)
    let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
        var cursor = buffer.baseAddress
        return Int(unsafe write(&cursor))
    }
    return written == length ? der : nil
}

/// A value that shows its description and nothing else in `print`, `dump` and the debugger: it holds a secret
/// (invariant 9).
public protocol SecretHolder: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension SecretHolder {
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Unpredictable bytes from libcrypto's generator, which the kernel seeds (invariant 8).
public struct OpenSSLRandom: RandomSource {
    public init() {}

    /// - Throws: ``OpenSSLFailure`` when the generator has no entropy; then nothing may be signed.
    public func bytes(_ count: Int) throws -> [UInt8] {
        guard (1...RandomReserve.most).contains(count) else { return try Self.draw(count) }
        return try RandomReserve.shared.take(count)
    }

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

/// Bytes drawn in advance for ids and nonces: libcrypto takes as long for sixteen as for a thousand, and a request
/// needs four draws. Each byte is used once. Secrets are longer than what it gives, and never come from here.
private final class RandomReserve: Sendable {
    static let shared = RandomReserve()

    /// The longest draw: a UUID.
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

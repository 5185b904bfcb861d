import COpenSSL
public import OfferModel

/// SHA-256 and HMAC-SHA-256 by libcrypto.
public struct OpenSSLDigest: Digest {
    public init() {}

    public func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.shared.digest(of: bytes) }

    public func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        unsafe left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }

    public func keyed(by key: [UInt8], name: String) -> any KeyedDigest { PreparedHMAC(key: key, name: name) }
}

/// SHA-256, looked up in libcrypto once: looking an algorithm up takes longer than a short digest.
///
/// `@unchecked Sendable`: the algorithm is only read.
@safe
final class SHA256: @unchecked Sendable {
    static let shared = SHA256()

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

    func digest(of bytes: [UInt8]) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        var digest = [UInt8](repeating: 0, count: Self.length)
        let status = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil)
        // A trap, as in `init`: a digest that is missing or wrong would pass for that of other bytes.
        precondition(status == 1, "libcrypto failed to take a SHA-256")
        return digest
    }

    /// A digest that has taken some bytes in and waits for more.
    func context(after bytes: [UInt8]) throws(OpenSSLFailure) -> PreparedContext {
        try unsafe PreparedContext("begin a SHA-256") {
            unsafe EVP_DigestInit_ex($0, algorithm, nil) & EVP_DigestUpdate($0, bytes, bytes.count)
        }
    }
}

/// HMAC-SHA-256 (RFC 2104) under one key, which both halves have taken in.
private struct PreparedHMAC: KeyedDigest {
    let name: String
    private let inner: PreparedContext
    private let outer: PreparedContext

    init(key: [UInt8], name: String) {
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
        guard let inner = try? SHA256.shared.context(after: innerBlock),
            let outer = try? SHA256.shared.context(after: outerBlock)
        else {
            // A trap, because only memory that has run out leads here, no input: Swift itself ends the process then.
            preconditionFailure("no memory to prepare an HMAC")
        }
        (self.name, self.inner, self.outer) = (name, inner, outer)
    }

    func digest(of bytes: [UInt8]) -> [UInt8] { Self.finish(outer, with: Self.finish(inner, with: bytes)) }

    private static func finish(_ half: PreparedContext, with bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256.length)
        let status = unsafe half.copied {
            unsafe EVP_DigestUpdate($0, bytes, bytes.count) & EVP_DigestFinal_ex($0, &digest, nil)
        }
        // A trap, as in `init`: a code that is missing or wrong would pass for what a row once held.
        precondition(status == 1, "libcrypto failed to take an HMAC")
        return digest
    }
}

/// A secret for digests of values that could be guessed, such as transaction ids (`audit.digestKey`).
///
/// Its name may be shown; the secret never is (invariant 9).
public final class OpenSSLDigestKey: KeyedDigest, SecretHolder {
    /// 16 hexadecimal digits that follow from the secret and do not reveal it.
    public let name: String
    private let keyed: any KeyedDigest

    private static let length = 32

    /// Loads a file of at least 64 hexadecimal digits, as `openssl rand -hex 32` writes them.
    public convenience init(file path: String) throws {
        var bytes = try PrivateKeyFile.read(path)
        defer { bytes.cleanse() }
        try self.init(hexadecimal: bytes, source: "digest key `\(path)`")
    }

    /// Reads hexadecimal digits that are already in memory. These bytes are wiped, copies that the caller keeps are
    /// not.
    public init(hexadecimal: consuming [UInt8], source: String) throws {
        var digits = hexadecimal
        defer { digits.cleanse() }
        while let last = digits.last, [0x0A, 0x0D, 0x20].contains(last) { digits.removeLast() }
        guard var secret = Hexadecimal.bytes(String(decoding: digits, as: UTF8.self)), secret.count >= Self.length
        else {
            throw SigningKeyError(
                .malformed, "\(source) is not \(Self.length * 2) hexadecimal digits or more",
                hint: "make one with `(umask 077; openssl rand -hex \(Self.length) > digest.key)`")
        }
        defer { secret.cleanse() }
        keyed = OpenSSLDigest().keyed(by: secret, name: "")
        name = Hexadecimal.lowercase(keyed.digest(of: Array("offerd-digest-key-1".utf8))[..<8])
    }

    public func digest(of bytes: [UInt8]) -> [UInt8] { keyed.digest(of: bytes) }

    public var description: String { "digest key `\(name)`" }
}

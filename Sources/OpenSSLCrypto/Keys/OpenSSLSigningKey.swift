public import OfferModel
public import OfferSigning

/// A private P-256 key in libcrypto, checked when it was loaded.
///
/// Its key id, its public key and the public key's fingerprint may be shown; nothing else ever is (invariant 9). What
/// cannot be loaded throws ``SigningKeyError``, each cause with its own code, message and hint.
public final class OpenSSLSigningKey: SigningKey, SecretHolder {
    public let keyId: KeyId
    public let publicKey: OpenSSLPublicKey
    private let context: SigningContext

    /// Loads a key from a file, unless the name that the file was downloaded under says that it is another key.
    public convenience init(file path: String, keyId: KeyId) throws {
        try DownloadedKeyName(path).requireInAppPurchase(keyId)
        try self.init(pem: try PrivateKeyFile.read(path), keyId: keyId, source: "key file `\(path)`")
    }

    /// Loads a key from PEM that is already in memory, such as an environment variable's. These bytes are wiped, copies
    /// that the caller keeps are not.
    ///
    /// - Parameter source: what messages call the key, such as "environment variable `SIGNING_KEY`".
    public convenience init(pem: consuming [UInt8], keyId: KeyId, source: String) throws {
        var bytes = pem
        defer { bytes.cleanse() }
        PrivateKeyPEM.unfold(&bytes)
        try PrivateKeyPEM.check(bytes, source: source)
        guard let handle = KeyHandle(privateKeyPEM: bytes) else {
            throw SigningKeyError(
                .malformed, "\(source) has the form of a private key, but its contents are damaged",
                hint: "copy the file again as it was downloaded")
        }
        try self.init(checking: handle, keyId: keyId, source: source)
    }

    /// Finds a key in a token, which signs with it; the private half never gets here.
    ///
    /// - Parameters:
    ///   - token: a PKCS #11 URI without a PIN.
    ///   - module: the path of the token's library; `nil` for the system's default.
    public convenience init(token: String, module: String?, pin: TokenPIN, keyId: KeyId) throws {
        var bytes = try pin.bytes()
        defer { bytes.cleanse() }
        let handle = try TokenEngine.privateKey(token, module: module, pin: bytes)
        try self.init(checking: handle, keyId: keyId, source: "`\(token)`")
    }

    /// Makes a new key and writes it as PKCS#8 PEM to a new file that only its owner can read. The private half never
    /// leaves this target otherwise.
    public static func generate(toNewFile path: String, keyId: KeyId) throws -> OpenSSLSigningKey {
        try DownloadedKeyName(path).requireInAppPurchase(keyId)
        let handle = try KeyHandle.generate(curve: KeyHandle.p256)
        let key = try OpenSSLSigningKey(checking: handle, keyId: keyId, source: "the new key")
        try handle.write(privateKeyToNewFile: path)
        return key
    }

    private init(checking handle: KeyHandle, keyId: KeyId, source: String) throws {
        try handle.requireP256(source: source)
        context = try SigningContext(key: handle)
        try Self.requireSound(context, VerifyingContext(key: handle), source: source)
        // By its bytes: a token need not be asked to verify.
        publicKey = try OpenSSLPublicKey(pem: String(decoding: try handle.publicKeyPEM(), as: UTF8.self))
        self.keyId = keyId
    }

    private static let testMessage = Array("offerd key self-test".utf8)

    /// Signs and verifies once, so that a key whose halves do not match is found at load and not by a customer.
    private static func requireSound(
        _ signer: SigningContext, _ verifier: VerifyingContext, source: String
    ) throws(SigningKeyError) {
        let message = testMessage
        guard let signature = try? signer.signature(of: message) else {
            throw SigningKeyError(
                .cannotSign, "\(source) cannot sign",
                hint: "if it is in a token, allow it to sign with ECDSA: its attribute CKA_SIGN must be true")
        }
        guard verifier.isValid(derSignature: signature, of: message) else {
            throw SigningKeyError(
                .selfTestFailed,
                "\(source) does not verify what it signs: its public half belongs to another key",
                hint: "download the key again, or restore it from a backup")
        }
    }

    public func derSignature(of message: [UInt8]) throws -> [UInt8] { try context.signature(of: message) }

    public func rawSignature(of message: [UInt8]) throws -> [UInt8] { try context.rawSignature(of: message) }

    public func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool {
        publicKey.isValid(derSignature: derSignature, of: message)
    }

    public func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool {
        publicKey.isValid(rawSignature: rawSignature, of: message)
    }

    /// Whether what it signs now verifies, by the message that was signed when it was loaded.
    public var works: Bool {
        let message = Self.testMessage
        return (try? derSignature(of: message)).map { publicKey.isValid(derSignature: $0, of: message) } ?? false
    }

    public var description: String { "signing key `\(keyId)`" }
}

/// A public P-256 key: verifies, and identifies a private key without showing it.
public final class OpenSSLPublicKey: Sendable {
    private let verifier: VerifyingContext
    private let der: [UInt8]
    /// The key as SubjectPublicKeyInfo in PEM: what `openssl dgst -verify` reads.
    public let pem: String

    init(_ handle: KeyHandle) throws(OpenSSLFailure) {
        verifier = try VerifyingContext(key: handle)
        der = try handle.publicKeyDER()
        pem = String(decoding: try handle.publicKeyPEM(), as: UTF8.self)
    }

    /// Reads SubjectPublicKeyInfo in PEM.
    public convenience init(pem: String) throws {
        guard let handle = KeyHandle(publicKeyPEM: Array(pem.utf8)) else {
            throw SigningKeyError(
                .malformed, "the public key is not SubjectPublicKeyInfo in PEM",
                hint: "it begins with `-----BEGIN PUBLIC KEY-----`")
        }
        try handle.requireP256(source: "the public key")
        try self.init(handle)
    }

    /// The SHA-256 of the key's SubjectPublicKeyInfo, 64 lower-case digits: safe to print and to log.
    public var fingerprint: String { Hexadecimal.lowercase(OpenSSLDigest().sha256(der)) }

    /// Checks ECDSA with SHA-256, the signature in DER.
    public func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool {
        verifier.isValid(derSignature: derSignature, of: message)
    }

    /// Checks ES256, the signature as the 64 bytes R‖S.
    public func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool {
        verifier.isValid(rawSignature: rawSignature, of: message)
    }
}

/// Why a key could not be loaded, made or written. Never holds key material (invariant 9).
public struct SigningKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case notFound
        case unreadable
        /// A directory, a device or a pipe.
        case notAFile
        case openToOthers
        /// More than 16 KiB.
        case tooLarge
        case empty
        case byteOrderMark
        /// Spaces or tabs before the lines that begin and end the key.
        case indented
        case notPEM
        /// PEM that was encoded in Base64 once more, or put into quotes.
        case encodedPEM
        /// The path of a file where the text of a key belongs.
        case pathOfKey
        /// A file that by its name holds a key for another of Apple's services.
        case otherService
        /// A file that by its name holds another key than the configuration says.
        case otherKeyId
        /// More than one private key, of which one would have to be guessed.
        case severalKeys
        case truncated
        /// The key is protected by a password, which a service cannot type.
        case encrypted
        /// A private key in another form than PKCS#8, such as `EC PRIVATE KEY`.
        case notPKCS8
        /// PEM of something else, such as a public key or a certificate.
        case notAPrivateKey
        case malformed
        /// RSA, Ed25519 or another kind of key.
        case notEllipticCurve
        /// A curve given by its numbers and not by its name.
        case explicitCurve
        case wrongCurve
        /// Such as a key of a token that is not meant to sign.
        case cannotSign
        /// The private and the public half do not belong together.
        case selfTestFailed
        /// The token or its library cannot be reached.
        case noToken
        case wrongPIN
        /// The token has no such key.
        case notInToken
        case alreadyExists
        case unwritable
    }

    public let code: Code
    /// One lower-case line for people, naming the file or variable in backticks.
    public let detail: String
    public let hint: String

    init(_ code: Code, _ detail: String, hint: String) {
        self.code = code
        self.detail = detail
        self.hint = hint
    }

    public var description: String { detail }
}

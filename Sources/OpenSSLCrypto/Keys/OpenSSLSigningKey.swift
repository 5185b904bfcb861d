public import OfferModel
public import OfferSigning

/// A private P-256 key in libcrypto, checked when it was loaded.
///
/// Its key id, its public key and the public key's fingerprint may be shown; nothing else ever is (invariant 9).
public final class OpenSSLSigningKey: SigningKey {
    /// The key's id in App Store Connect; part of what is signed.
    public let keyId: KeyId
    /// The public half.
    public let publicKey: OpenSSLPublicKey
    private let context: SigningContext

    /// Loads the `.p8` file at a path.
    ///
    /// - Throws: ``SigningKeyError``, each cause with its own code, message and hint.
    public convenience init(file path: String, keyId: KeyId) throws {
        try self.init(pem: try PrivateKeyFile.read(path), keyId: keyId, source: "key file `\(path)`")
    }

    /// Loads a key from PEM that is already in memory, such as an environment variable's. These bytes are wiped, copies
    /// that the caller keeps are not.
    ///
    /// - Parameter source: what messages call the key, such as "environment variable `SIGNING_KEY`".
    /// - Throws: ``SigningKeyError``, each cause with its own code, message and hint.
    public convenience init(pem: consuming [UInt8], keyId: KeyId, source: String) throws {
        var bytes = pem
        defer { bytes.cleanse() }
        try PrivateKeyPEM.check(bytes, source: source)
        guard let handle = KeyHandle(privateKeyPEM: bytes) else {
            throw SigningKeyError(
                .malformed, "\(source) has the form of a private key, but its contents are damaged",
                hint: "copy the file again as it was downloaded")
        }
        try self.init(checking: handle, keyId: keyId, source: source)
    }

    /// Makes a new key and writes it as PKCS#8 PEM to a new file that only its owner can read. The private half never
    /// leaves this target otherwise.
    ///
    /// - Throws: ``SigningKeyError`` with `alreadyExists` or `unwritable`.
    public static func generate(toNewFile path: String, keyId: KeyId) throws -> OpenSSLSigningKey {
        let handle = try KeyHandle.generate(curve: KeyHandle.p256)
        let key = try OpenSSLSigningKey(checking: handle, keyId: keyId, source: "the new key")
        var pem = try handle.privateKeyPEM()
        defer { pem.cleanse() }
        try PrivateKeyFile.write(pem, toNewFile: path)
        return key
    }

    private init(checking handle: KeyHandle, keyId: KeyId, source: String) throws {
        try KeyRequirement.requireP256(handle, source: source)
        context = try SigningContext(key: handle)
        try KeyRequirement.requireSound(handle, context, source: source)
        publicKey = try OpenSSLPublicKey(handle)
        self.keyId = keyId
    }

    /// ECDSA with SHA-256 over the message, as the DER of an `ECDSA-Sig-Value`.
    ///
    /// - Throws: ``OpenSSLFailure``; then nothing was signed.
    public func derSignature(of message: [UInt8]) throws -> [UInt8] {
        try context.signature(of: message)
    }

    /// ECDSA with SHA-256 over the message, as the 64 bytes R‖S.
    ///
    /// - Throws: ``OpenSSLFailure``; then nothing was signed.
    public func rawSignature(of message: [UInt8]) throws -> [UInt8] {
        guard let raw = ECDSASignature.raw(der: try context.signature(of: message)) else {
            throw OpenSSLFailure("split a signature")
        }
        return raw
    }
}

extension OpenSSLSigningKey: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The key's id, never its material.
    public var description: String { "signing key `\(keyId)`" }

    /// The same as the description.
    public var debugDescription: String { description }

    /// Only the key's id, so that `dump` has nothing to show.
    public var customMirror: Mirror { Mirror(self, children: ["keyId": keyId.rawValue]) }
}

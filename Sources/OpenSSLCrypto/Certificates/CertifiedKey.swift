import COpenSSL

/// A certificate with its private key: what the local App Store signs with. Never one of Apple's keys.
public struct CertifiedKey: Sendable {
    private let key: KeyHandle
    private let context: SigningContext
    private let certificate: Certificate

    /// A new key with a certificate that it signs itself: a root.
    ///
    /// - Throws: ``CertificateError`` with `unusableProfile`, ``OpenSSLFailure``.
    public static func selfSigned(_ profile: CertificateProfile) throws -> CertifiedKey {
        let key = try KeyHandle.generate(curve: profile.curve.name)
        let der = try CertificateBuilder().certificate(profile, key: key, issuer: nil, signingKey: key)
        return try CertifiedKey(key, der)
    }

    /// A new key with a certificate signed by this one. Whether this one may do so is not asked: tests need chains that
    /// are wrong, and the verifier asks.
    ///
    /// - Throws: ``CertificateError`` with `unusableProfile`, ``OpenSSLFailure``.
    public func issue(_ profile: CertificateProfile) throws -> CertifiedKey {
        let newKey = try KeyHandle.generate(curve: profile.curve.name)
        let der = try CertificateBuilder().certificate(
            profile, key: newKey, issuer: certificate, signingKey: key)
        return try CertifiedKey(newKey, der)
    }

    /// Puts a certificate and the file of its private key together again.
    ///
    /// - Throws: ``CertificateError`` with `malformedCertificate` or `keyMismatch`, ``SigningKeyError`` for the key, as
    ///   for ``OpenSSLSigningKey/init(file:keyId:)``.
    public init(certificateDER: [UInt8], privateKeyFile path: String) throws {
        var pem = try PrivateKeyFile.read(path)
        defer { pem.cleanse() }
        try PrivateKeyPEM.check(pem, source: "key file `\(path)`")
        guard let key = KeyHandle(privateKeyPEM: pem) else {
            throw SigningKeyError(
                .malformed, "key file `\(path)` has the form of a private key, but its contents are damaged",
                hint: "restore it or make a new root")
        }
        try self.init(key, certificateDER)
    }

    private init(_ key: KeyHandle, _ der: [UInt8]) throws {
        guard let certificate = Certificate(der: der) else {
            throw CertificateError(
                .malformedCertificate, "the certificate is not the DER of one X.509 certificate",
                hint: "restore it or make a new one")
        }
        let belongs = unsafe certificate.publicKey.lend { first in
            unsafe key.lend { unsafe EVP_PKEY_eq(first, $0) } == 1
        }
        guard belongs else {
            throw CertificateError(
                .keyMismatch, "the private key does not belong to the certificate",
                hint: "use the two files that were made together")
        }
        self.key = key
        self.certificate = certificate
        context = try SigningContext(key: key)
    }

    /// The certificate's DER.
    public var certificateDER: [UInt8] { certificate.der }

    /// Writes the private key as unencrypted PKCS#8 PEM to a new file that only its owner can read. It never leaves this
    /// target otherwise.
    ///
    /// - Throws: ``SigningKeyError`` with `alreadyExists` or `unwritable`.
    public func write(privateKeyToNewFile path: String) throws {
        var pem = try key.privateKeyPEM()
        defer { pem.cleanse() }
        try PrivateKeyFile.write(pem, toNewFile: path)
    }

    /// ES256 over the message: the 64 bytes R‖S, for a certificate with a P-256 key.
    ///
    /// - Throws: ``OpenSSLFailure``, also for a key on another curve.
    public func rawSignature(of message: [UInt8]) throws -> [UInt8] {
        guard let raw = ECDSASignature.raw(der: try context.signature(of: message)) else {
            throw OpenSSLFailure("make a signature of 64 bytes with this key")
        }
        return raw
    }
}

extension CertifiedKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That it is one, never its material.
    public var description: String { "certified key" }

    /// The same as the description.
    public var debugDescription: String { description }

    /// Nothing, so that `dump` has nothing to show.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

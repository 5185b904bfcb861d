import COpenSSL
import OfferModel

/// A public P-256 key: verifies, and names a private key without showing it.
public final class OpenSSLPublicKey: Sendable {
    private let handle: KeyHandle
    private let der: [UInt8]
    /// The key as SubjectPublicKeyInfo in PEM: what `openssl dgst -verify` reads.
    public let pem: String

    init(_ handle: KeyHandle) throws(OpenSSLFailure) {
        self.handle = handle
        der = try handle.publicKeyDER()
        pem = String(decoding: try handle.publicKeyPEM(), as: UTF8.self)
    }

    /// Reads SubjectPublicKeyInfo in PEM.
    ///
    /// - Throws: ``SigningKeyError`` with `malformed`, `notEllipticCurve`, `explicitCurve` or `wrongCurve`.
    public convenience init(pem: String) throws {
        guard let handle = KeyHandle(publicKeyPEM: Array(pem.utf8)) else {
            throw SigningKeyError(
                .malformed, "the public key is not SubjectPublicKeyInfo in PEM",
                hint: "it begins with `-----BEGIN PUBLIC KEY-----`")
        }
        try KeyRequirement.requireP256(handle, source: "the public key")
        try self.init(handle)
    }

    /// The SHA-256 of the key's SubjectPublicKeyInfo, 64 lower-case digits: safe to print and to log.
    public var fingerprint: String {
        Hexadecimal.lowercase(OpenSSLDigest().sha256(der))
    }

    /// Whether the DER signature belongs to this key and the message (ECDSA with SHA-256).
    public func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool {
        handle.isValid(derSignature: derSignature, of: message)
    }

    /// Whether the 64 bytes R‖S belong to this key and the message (ES256).
    public func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool {
        handle.isValid(rawSignature: rawSignature, of: message)
    }
}

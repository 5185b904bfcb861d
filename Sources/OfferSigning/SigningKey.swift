public import OfferModel

/// A private P-256 key that belongs to a key id in App Store Connect.
///
/// Conforming types never show key material: not in a description, an error or a dump (invariant 9).
public protocol SigningKey: Sendable {
    /// The key's id in App Store Connect; part of what is signed.
    var keyId: KeyId { get }

    /// ECDSA with SHA-256 over the message, as the DER of an `ECDSA-Sig-Value`: the form V1 wants.
    ///
    /// - Throws: when libcrypto fails; then nothing was signed.
    func derSignature(of message: [UInt8]) throws -> [UInt8]

    /// ECDSA with SHA-256 over the message, as the 64 bytes R‖S: the form a JWS wants (RFC 7518 §3.4).
    ///
    /// - Throws: when libcrypto fails; then nothing was signed.
    func rawSignature(of message: [UInt8]) throws -> [UInt8]
}

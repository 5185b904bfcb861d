import COpenSSL
import OfferModel

/// An X.509 certificate of libcrypto, read once into plain values.
///
/// `@unchecked Sendable`: everything is read in `init`; afterwards libcrypto only reads the certificate, and counts its
/// references atomically.
@safe
final class Certificate: @unchecked Sendable {
    /// An extension by its object identifier.
    struct Extension: Hashable {
        let oid: String
        let isCritical: Bool
    }

    private let pointer: OpaquePointer
    /// The bytes it was read from.
    let der: [UInt8]
    /// The first moment of its validity.
    let notBefore: Instant
    /// The last moment of its validity.
    let notAfter: Instant
    /// All extensions in their order.
    let extensions: [Extension]
    /// Whether its basic constraints say CA:TRUE.
    let isAuthority: Bool
    /// How many authorities may follow it; `nil` for any number.
    let pathLength: Int?
    /// Whether its key usage, if it has one, allows signing certificates.
    let maySignCertificates: Bool
    /// Whether its key usage, if it has one, allows signing data.
    let maySignData: Bool
    /// Its public key.
    let publicKey: KeyHandle

    /// Reads a certificate; `nil` unless the bytes are exactly one, with a readable key, dates and extensions.
    init?(der: [UInt8]) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let pointer = unsafe Self.parse(der) else { return nil }
        let flags = unsafe X509_get_extension_flags(pointer)
        guard flags & UInt32(EXFLAG_INVALID) == 0,
            let notBefore = unsafe CertificateTime.instant(X509_get0_notBefore(pointer)),
            let notAfter = unsafe CertificateTime.instant(X509_get0_notAfter(pointer)),
            let extensions = unsafe Self.readExtensions(pointer),
            let key = unsafe X509_get_pubkey(pointer)
        else {
            unsafe X509_free(pointer)
            return nil
        }
        unsafe self.pointer = unsafe pointer
        self.der = der
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.extensions = extensions
        isAuthority = flags & UInt32(EXFLAG_CA) != 0
        let length = unsafe X509_get_pathlen(pointer)
        pathLength = length < 0 ? nil : length
        // Without the extension libcrypto answers with all bits set.
        let usage = unsafe X509_get_key_usage(pointer)
        maySignCertificates = usage & UInt32(KU_KEY_CERT_SIGN) != 0
        maySignData = usage & UInt32(KU_DIGITAL_SIGNATURE) != 0
        publicKey = unsafe KeyHandle(owning: key)
    }

    deinit {
        unsafe X509_free(pointer)
    }

    /// Whether it names the other certificate's subject as its issuer.
    func names(issuer: Certificate) -> Bool {
        unsafe X509_NAME_cmp(X509_get_issuer_name(pointer), X509_get_subject_name(issuer.pointer)) == 0
    }

    /// Whether the other certificate's key signed it. Public-key work.
    func isSigned(by issuer: Certificate) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return unsafe issuer.publicKey.lend { unsafe X509_verify(pointer, $0) } == 1
    }

    /// Lends the certificate to libcrypto; the pointer must not be kept.
    func lend<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let certificate = unsafe d2i_X509(nil, &cursor, buffer.count) else { return nil }
            guard let start = buffer.baseAddress, unsafe cursor == start + buffer.count else {
                unsafe X509_free(certificate)
                return nil
            }
            return unsafe certificate
        }
    }

    /// `nil` if an extension cannot be named or occurs twice (RFC 5280 §4.2 forbids it).
    private static func readExtensions(_ certificate: OpaquePointer) -> [Extension]? {
        var extensions = [Extension]()
        for index in 0..<max(0, unsafe X509_get_ext_count(certificate)) {
            guard let found = unsafe X509_get_ext(certificate, index),
                let oid = unsafe ObjectIdentifierText.read(X509_EXTENSION_get_object(found)),
                !extensions.contains(where: { $0.oid == oid })
            else { return nil }
            extensions.append(
                Extension(oid: oid, isCritical: unsafe X509_EXTENSION_get_critical(found) == 1))
        }
        return extensions
    }
}

import COpenSSL
import OfferModel

/// An X.509 certificate of libcrypto, read once into plain values.
///
/// `@unchecked Sendable`: everything is read in `init`; afterwards libcrypto only reads the certificate, and counts its
/// references atomically.
@safe
final class Certificate: @unchecked Sendable {
    struct Extension: Hashable {
        let oid: String
        let isCritical: Bool
    }

    private let pointer: OpaquePointer
    let der: [UInt8]
    let notBefore: Instant
    let notAfter: Instant
    let extensions: [Extension]
    /// Whether its basic constraints say CA:TRUE.
    let isAuthority: Bool
    let pathLength: Int?
    /// Whether its key usage, if it has one, allows signing certificates.
    let maySignCertificates: Bool
    /// Whether its key usage, if it has one, allows signing data.
    let maySignData: Bool
    let publicKey: KeyHandle
    /// The signed bytes, and the algorithm.
    let signedPart: ArraySlice<UInt8>
    let signature: [UInt8]

    /// Reads a certificate; `nil` unless the bytes are the one DER encoding of exactly one, with a readable key, dates
    /// and extensions. Other encodings are refused because there could be any number of them for one certificate.
    init?(der: [UInt8]) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let pointer = unsafe Self.parse(der) else { return nil }
        let flags = unsafe X509_get_extension_flags(pointer)
        guard flags & UInt32(EXFLAG_INVALID) == 0, unsafe derEncoding({ unsafe i2d_X509(pointer, $0) }) == der,
            let (signedPart, signature) = unsafe Self.signature(in: der, of: pointer),
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
        self.signedPart = signedPart
        self.signature = signature
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

    func names(issuer: Certificate) -> Bool {
        unsafe X509_NAME_cmp(X509_get_issuer_name(pointer), X509_get_subject_name(issuer.pointer)) == 0
    }

    /// Whether the other certificate's key signed it. Public-key work.
    func isSigned(by issuer: Certificate) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return unsafe issuer.publicKey.lend { unsafe X509_verify(pointer, $0) } == 1
    }

    /// The signature in the form that all its spellings have in common; `nil` if it cannot be one of the issuer's.
    ///
    /// From an ECDSA signature (r, s) anyone can make (r, n − s), which is as valid. Both are accepted, and both are
    /// the same here.
    func canonicalSignature(by issuer: Certificate) -> [UInt8]? {
        guard issuer.publicKey.isEllipticCurve else { return signature }
        return unsafe issuer.publicKey.lend { unsafe ECDSASignature.canonical(der: signature, key: $0) }
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

    /// Takes the DER of a certificate apart; `nil` if the algorithm outside of what is signed is not the one inside, or
    /// the signature has no whole bytes.
    ///
    /// ```
    /// 30 len | to be signed | algorithm | 03 len 00 signature
    /// ```
    private static func signature(
        in der: [UInt8], of certificate: OpaquePointer
    ) -> (signedPart: ArraySlice<UInt8>, signature: [UInt8])? {
        var bits: UnsafePointer<ASN1_BIT_STRING>?
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_get0_signature(&bits, &algorithm, certificate)
        guard unsafe X509_ALGOR_cmp(algorithm, X509_get0_tbs_sigalg(certificate)) == 0,
            let bits = unsafe bits, let bytes = unsafe ASN1_STRING_get0_data(bits)
        else { return nil }
        let signature = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(ASN1_STRING_length(bits))))
        // The lengths are DER's, and the second byte says how many bytes follow for the first of them.
        let start = der.count > 1 && der[1] >= 0x80 ? 2 + Int(der[1] & 0x7F) : 2
        let unusedBits = der.count - signature.count - 1
        let end = unusedBits - headerLength(ofContents: signature.count + 1)
        guard start < end, der[end] == 0x03, der[unusedBits] == 0 else { return nil }
        return (der[start..<end], signature)
    }

    /// How many bytes DER puts before contents of a length: the tag, and the length.
    private static func headerLength(ofContents count: Int) -> Int {
        switch count {
        case ..<0x80: 2
        case ..<0x100: 3
        case ..<0x1_0000: 4
        default: 5  // Certificates are not that long.
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

enum ObjectIdentifierText {
    /// Basic constraints, RFC 5280 §4.2.1.9.
    static let basicConstraints = "2.5.29.19"
    /// Key usage, RFC 5280 §4.2.1.3.
    static let keyUsage = "2.5.29.15"

    /// The dotted form; `nil` if it does not fit 128 characters.
    static func read(_ object: OpaquePointer?) -> String? {
        var text = [CChar](repeating: 0, count: 128)
        let length = Int(unsafe OBJ_obj2txt(&text, Int32(text.count), object, 1))
        guard length > 0, length < text.count else { return nil }
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// ASN.1 times, which have whole seconds.
enum CertificateTime {
    static func instant(_ time: UnsafePointer<ASN1_TIME>?) -> Instant? {
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        // A missing time would mean "now" to libcrypto.
        guard unsafe time != nil, unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            return nil
        }
        return Instant(
            milliseconds: Int64(days) * Instant.Duration.day + Int64(seconds) * Instant.Duration.second)
    }

    /// Sets an ASN.1 time to a moment, rounded down to the second.
    static func set(_ time: UnsafeMutablePointer<ASN1_TIME>?, to instant: Instant) -> Bool {
        unsafe time != nil && ASN1_TIME_set(time, Int(instant.seconds)) != nil
    }
}

import COpenSSL
import OfferModel

/// Writes one certificate with libcrypto.
@safe
struct CertificateBuilder: ~Copyable {
    private let certificate: OpaquePointer

    init() throws(OpenSSLFailure) {
        guard let certificate = unsafe X509_new() else { throw OpenSSLFailure("make a certificate") }
        unsafe self.certificate = unsafe certificate
    }

    deinit {
        unsafe X509_free(certificate)
    }

    /// Fills in the profile, signs and returns the DER.
    ///
    /// - Parameter issuer: the issuer's certificate; `nil` for a certificate that signs itself.
    func certificate(
        _ profile: CertificateProfile, key: KeyHandle, issuer: Certificate?, signingKey: KeyHandle
    ) throws -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        try require(unsafe X509_set_version(certificate, 2) == 1)
        try setSerialNumber()
        try setNames(profile.commonName, issuer: issuer)
        try require(unsafe CertificateTime.set(X509_getm_notBefore(certificate), to: profile.notBefore))
        try require(unsafe CertificateTime.set(X509_getm_notAfter(certificate), to: profile.notAfter))
        try require(unsafe key.lend { unsafe X509_set_pubkey(certificate, $0) } == 1)
        if profile.hasBasicConstraints { try addBasicConstraints(profile) }
        if !profile.keyUsage.isEmpty { try addKeyUsage(profile.keyUsage) }
        for oid in profile.markers { try addMarker(oid, isCritical: false) }
        for oid in profile.criticalMarkers { try addMarker(oid, isCritical: true) }
        // Apple signs its P-384 authorities' certificates with SHA-384.
        let digest = unsafe signingKey.curve == KeyHandle.p256 ? EVP_sha256() : EVP_sha384()
        try require(unsafe signingKey.lend { unsafe X509_sign(certificate, $0, digest) } > 0)
        return try encoded()
    }

    private func require(_ success: Bool) throws(OpenSSLFailure) {
        guard success else { throw OpenSSLFailure("make a certificate") }
    }

    private func setSerialNumber() throws {
        var bytes = try OpenSSLRandom().bytes(16)
        // Positive, and never shorter (RFC 5280 §4.1.2.2).
        bytes[0] = bytes[0] & 0x3F | 0x40
        let number = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil)
        defer { unsafe BN_free(number) }
        try require(unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil)
    }

    private func setNames(_ commonName: String, issuer: Certificate?) throws(OpenSSLFailure) {
        let subject = unsafe X509_get_subject_name(certificate)
        let text = Array(commonName.utf8)
        try require(
            unsafe X509_NAME_add_entry_by_NID(
                subject, NID_commonName, MBSTRING_UTF8, text, Int32(text.count), -1, 0) == 1)
        guard let issuer else {
            try require(unsafe X509_set_issuer_name(certificate, subject) == 1)
            return
        }
        try require(
            unsafe issuer.lend { unsafe X509_set_issuer_name(certificate, X509_get_subject_name($0)) }
                == 1)
    }

    private func addBasicConstraints(_ profile: CertificateProfile) throws(OpenSSLFailure) {
        guard let constraints = unsafe BASIC_CONSTRAINTS_new() else {
            throw OpenSSLFailure("make a certificate")
        }
        defer { unsafe BASIC_CONSTRAINTS_free(constraints) }
        unsafe constraints.pointee.ca = profile.isAuthority ? 0xFF : 0
        if let length = profile.pathLength {
            guard let number = unsafe ASN1_INTEGER_new() else {
                throw OpenSSLFailure("make a certificate")
            }
            unsafe constraints.pointee.pathlen = unsafe number
            try require(unsafe ASN1_INTEGER_set(number, length) == 1)
        }
        try require(
            unsafe X509_add1_ext_i2d(
                certificate, NID_basic_constraints, constraints, 1, UInt(X509V3_ADD_DEFAULT)) == 1)
    }

    private func addKeyUsage(_ usage: CertificateProfile.KeyUsage) throws(OpenSSLFailure) {
        guard let bits = unsafe ASN1_BIT_STRING_new() else {
            throw OpenSSLFailure("make a certificate")
        }
        defer { unsafe ASN1_BIT_STRING_free(bits) }
        for bit in 0..<9 where usage.rawValue >> bit & 1 == 1 {
            try require(unsafe ASN1_BIT_STRING_set_bit(bits, Int32(bit), 1) == 1)
        }
        try require(
            unsafe X509_add1_ext_i2d(certificate, NID_key_usage, bits, 1, UInt(X509V3_ADD_DEFAULT)) == 1)
    }

    private func addMarker(_ oid: String, isCritical: Bool) throws {
        guard let object = unsafe OBJ_txt2obj(oid, 1) else {
            throw CertificateError(
                .unusableProfile, "`\(oid)` is not an object identifier",
                hint: "write it as numbers with points")
        }
        defer { unsafe ASN1_OBJECT_free(object) }
        guard let value = unsafe ASN1_OCTET_STRING_new() else {
            throw OpenSSLFailure("make a certificate")
        }
        defer { unsafe ASN1_OCTET_STRING_free(value) }
        let null: [UInt8] = [0x05, 0x00]
        try require(unsafe ASN1_OCTET_STRING_set(value, null, Int32(null.count)) == 1)
        let marker = unsafe X509_EXTENSION_create_by_OBJ(nil, object, isCritical ? 1 : 0, value)
        defer { unsafe X509_EXTENSION_free(marker) }
        try require(unsafe X509_add_ext(certificate, marker, -1) == 1)
    }

    private func encoded() throws(OpenSSLFailure) -> [UInt8] {
        let length = Int(unsafe i2d_X509(certificate, nil))
        try require(length > 0)
        var der = [UInt8](repeating: 0, count: length)
        let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return Int(unsafe i2d_X509(certificate, &cursor))
        }
        try require(written == length)
        return der
    }
}

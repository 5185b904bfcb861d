import COpenSSL
public import OfferModel

/// A certificate with its private key: what the local App Store signs with. Never one of Apple's keys.
public struct CertifiedKey: Sendable, SecretHolder {
    private let key: KeyHandle
    private let context: SigningContext
    private let certificate: Certificate

    /// A new key with a certificate that it signs itself: a root.
    public static func selfSigned(_ profile: CertificateProfile) throws -> CertifiedKey {
        let key = try KeyHandle.generate(curve: profile.curve.name)
        let der = try CertificateBuilder().certificate(profile, key: key, issuer: nil, signingKey: key)
        return try CertifiedKey(key, der)
    }

    /// A new key with a certificate signed by this one. Whether this one may do so is not asked: tests need chains that
    /// are wrong, and the verifier asks.
    public func issue(_ profile: CertificateProfile) throws -> CertifiedKey {
        let newKey = try KeyHandle.generate(curve: profile.curve.name)
        let der = try CertificateBuilder().certificate(
            profile, key: newKey, issuer: certificate, signingKey: key)
        return try CertifiedKey(newKey, der)
    }

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

    public var certificateDER: [UInt8] { certificate.der }

    /// Writes the private key as unencrypted PKCS#8 PEM to a new file that only its owner can read. It never leaves
    /// this target otherwise.
    public func write(privateKeyToNewFile path: String) throws {
        try key.write(privateKeyToNewFile: path)
    }

    /// ES256 over the message: the 64 bytes R‖S, for a certificate with a P-256 key.
    ///
    /// - Throws: ``OpenSSLFailure``, also for a key on another curve.
    public func rawSignature(of message: [UInt8]) throws -> [UInt8] { try context.rawSignature(of: message) }

    public var description: String { "certified key" }
}

/// The contents of a new certificate: for the local App Store, and for tests, which need wrong certificates too.
public struct CertificateProfile: Sendable, Hashable {
    public enum Curve: Sendable, Hashable {
        case p256
        case p384

        var name: String { self == .p256 ? KeyHandle.p256 : "secp384r1" }
    }

    /// The purposes in the key usage extension (RFC 5280 §4.2.1.3).
    public struct KeyUsage: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let digitalSignature = KeyUsage(rawValue: 1 << 0)
        public static let keyCertSign = KeyUsage(rawValue: 1 << 5)
        public static let cRLSign = KeyUsage(rawValue: 1 << 6)
    }

    public var commonName: String
    /// The first moment of validity; certificates know whole seconds, so it is rounded down.
    public var notBefore: Instant
    public var notAfter: Instant
    public var isAuthority: Bool
    /// How many authorities may follow this one; `nil` for any number.
    public var pathLength: Int?
    /// Object identifiers of extensions with an ASN.1 NULL as value, not critical: Apple's markers.
    public var markers: [String]
    public var criticalMarkers: [String] = []
    public var curve: Curve
    public var hasBasicConstraints = true
    /// The key usage; empty for a certificate without that extension.
    public var keyUsage: KeyUsage

    /// A profile with the key usage that suits it.
    public init(
        commonName: String, notBefore: Instant, notAfter: Instant, isAuthority: Bool = false,
        pathLength: Int? = nil,
        markers: [String] = [], curve: Curve = .p256
    ) {
        self.commonName = commonName
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isAuthority = isAuthority
        self.pathLength = pathLength
        self.markers = markers
        self.curve = curve
        keyUsage = isAuthority ? [.keyCertSign, .cRLSign] : .digitalSignature
    }
}

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
        guard let der = unsafe derEncoding({ unsafe i2d_X509(certificate, $0) }) else {
            throw OpenSSLFailure("make a certificate")
        }
        return der
    }

    private func require(_ success: Bool) throws(OpenSSLFailure) {
        guard success else { throw OpenSSLFailure("make a certificate") }
    }

    private func made<Object>(_ object: UnsafeMutablePointer<Object>?) throws(OpenSSLFailure)
        -> UnsafeMutablePointer<Object>
    {
        guard let object = unsafe object else { throw OpenSSLFailure("make a certificate") }
        return unsafe object
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
        let constraints = unsafe try made(BASIC_CONSTRAINTS_new())
        defer { unsafe BASIC_CONSTRAINTS_free(constraints) }
        unsafe constraints.pointee.ca = profile.isAuthority ? 0xFF : 0
        if let length = profile.pathLength {
            let number = unsafe try made(ASN1_INTEGER_new())
            unsafe constraints.pointee.pathlen = unsafe number
            try require(unsafe ASN1_INTEGER_set(number, length) == 1)
        }
        try require(
            unsafe X509_add1_ext_i2d(
                certificate, NID_basic_constraints, constraints, 1, UInt(X509V3_ADD_DEFAULT)) == 1)
    }

    private func addKeyUsage(_ usage: CertificateProfile.KeyUsage) throws(OpenSSLFailure) {
        let bits = unsafe try made(ASN1_BIT_STRING_new())
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
        let value = unsafe try made(ASN1_OCTET_STRING_new())
        defer { unsafe ASN1_OCTET_STRING_free(value) }
        let null: [UInt8] = [0x05, 0x00]
        try require(unsafe ASN1_OCTET_STRING_set(value, null, Int32(null.count)) == 1)
        let marker = unsafe X509_EXTENSION_create_by_OBJ(nil, object, isCritical ? 1 : 0, value)
        defer { unsafe X509_EXTENSION_free(marker) }
        try require(unsafe X509_add_ext(certificate, marker, -1) == 1)
    }
}

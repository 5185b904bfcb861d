import OfferModel
import OfferSigning

/// The three certificates of App Store data, and what each must be.
///
/// ```
/// x5c[0] leaf          P-256, not an authority, marker 1.2.840.113635.100.6.11.1
/// x5c[1] intermediate  authority,               marker 1.2.840.113635.100.6.2.1
/// x5c[2] root          authority, its fingerprint is trusted
/// ```
struct CertificateChain: Sendable {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate

    /// Reads the certificates.
    ///
    /// - Throws: `malformedCertificate`, naming which one.
    init(der: [[UInt8]]) throws(SignedDataRefusal) {
        leaf = try Self.read(der[0], "leaf")
        intermediate = try Self.read(der[1], "intermediate")
        root = try Self.read(der[2], "root")
    }

    /// Checks everything that needs no public-key work and no date.
    func checkContents() throws(SignedDataRefusal) {
        try Self.requireKnownCriticalExtensions(root, "root")
        try Self.requireKnownCriticalExtensions(intermediate, "intermediate")
        try Self.requireKnownCriticalExtensions(leaf, "leaf")
        try Self.requireAuthority(root, "root", authoritiesBelow: 1)
        try Self.requireAuthority(intermediate, "intermediate", authoritiesBelow: 0)
        try requireLeafIsNoAuthority()
        guard intermediate.extensions.contains(where: { $0.oid == AppleMarker.intermediate }) else {
            throw SignedDataRefusal(
                .missingIntermediateExtension,
                "the intermediate certificate lacks Apple's extension `\(AppleMarker.intermediate)`")
        }
        guard leaf.extensions.contains(where: { $0.oid == AppleMarker.leaf }) else {
            throw SignedDataRefusal(
                .missingLeafExtension, "the leaf certificate lacks Apple's extension `\(AppleMarker.leaf)`")
        }
        guard leaf.publicKey.curve == KeyHandle.p256 else {
            throw SignedDataRefusal(.unsupportedKey, "the leaf certificate's key is not on P-256")
        }
    }

    /// Checks what can be told of who signed what without public-key work: each certificate names the next.
    func checkIssuers() throws(SignedDataRefusal) {
        try Self.requireNamed(root, "root", by: root, "its own key")
        try Self.requireNamed(intermediate, "intermediate", by: root, "the root")
        try Self.requireNamed(leaf, "leaf", by: intermediate, "the intermediate")
    }

    /// Checks that the root signed the intermediate. The root itself is known by its fingerprint.
    func checkIntermediateSignature() throws(SignedDataRefusal) {
        guard intermediate.isSigned(by: root) else { throw Self.broken("intermediate", "the root") }
    }

    /// Checks that the intermediate signed the leaf.
    func checkLeafSignature() throws(SignedDataRefusal) {
        guard leaf.isSigned(by: intermediate) else { throw Self.broken("leaf", "the intermediate") }
    }

    /// What the intermediate is known by: the same for every spelling of it.
    ///
    /// - Throws: `malformedCertificate` for a signature that is not DER.
    func intermediateKey(_ trusted: TrustedRoots.Set) throws(SignedDataRefusal) -> [UInt8] {
        try OpenSSLDigest().sha256(
            trusted.digest + Self.counted(root.der) + Self.parts(of: intermediate, "intermediate", by: root))
    }

    /// What the whole chain is known by: the same for every spelling of it.
    ///
    /// - Throws: `malformedCertificate` for a signature that is not DER.
    func key(_ trusted: TrustedRoots.Set) throws(SignedDataRefusal) -> [UInt8] {
        try OpenSSLDigest().sha256(intermediateKey(trusted) + Self.parts(of: leaf, "leaf", by: intermediate))
    }

    private static func parts(
        of certificate: Certificate, _ name: String, by issuer: Certificate
    ) throws(SignedDataRefusal) -> [UInt8] {
        guard let signature = certificate.canonicalSignature(by: issuer) else {
            throw SignedDataRefusal(
                .malformedCertificate, "the \(name) certificate is not signed in the form of its issuer's key")
        }
        return counted(certificate.signedPart) + counted(signature)
    }

    /// Bytes after their number, so that none can lend some to what follows.
    private static func counted(_ bytes: some Collection<UInt8>) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bytes.count >> $0) } + bytes
    }

    private static func read(_ der: [UInt8], _ name: String) throws(SignedDataRefusal) -> Certificate {
        guard let certificate = Certificate(der: der) else {
            throw SignedDataRefusal(
                .malformedCertificate, "the \(name) certificate is not the DER of an X.509 certificate")
        }
        return certificate
    }

    private static func requireKnownCriticalExtensions(
        _ certificate: Certificate, _ name: String
    ) throws(SignedDataRefusal) {
        let known = [
            ObjectIdentifierText.basicConstraints, ObjectIdentifierText.keyUsage, AppleMarker.leaf,
            AppleMarker.intermediate,
        ]
        for found in certificate.extensions where found.isCritical && !known.contains(found.oid) {
            throw SignedDataRefusal(
                .unknownCriticalExtension,
                "the \(name) certificate has the unknown critical extension `\(found.oid)`")
        }
    }

    private static func requireAuthority(
        _ certificate: Certificate, _ name: String, authoritiesBelow: Int
    ) throws(SignedDataRefusal) {
        guard certificate.isAuthority else {
            throw SignedDataRefusal(.wrongBasicConstraints, "the \(name) certificate is not an authority")
        }
        guard certificate.maySignCertificates else {
            throw SignedDataRefusal(
                .wrongBasicConstraints,
                "the \(name) certificate's key usage does not allow signing certificates")
        }
        if let length = certificate.pathLength, length < authoritiesBelow {
            throw SignedDataRefusal(
                .wrongBasicConstraints,
                "the \(name) certificate allows `\(length)` authorities below it, the chain has \(authoritiesBelow)"
            )
        }
    }

    private func requireLeafIsNoAuthority() throws(SignedDataRefusal) {
        guard !leaf.isAuthority else {
            throw SignedDataRefusal(.wrongBasicConstraints, "the leaf certificate is an authority")
        }
        guard leaf.maySignData else {
            throw SignedDataRefusal(
                .wrongBasicConstraints, "the leaf certificate's key usage does not allow signing data")
        }
    }

    private static func requireNamed(
        _ certificate: Certificate, _ name: String, by issuer: Certificate, _ issuerName: String
    ) throws(SignedDataRefusal) {
        guard certificate.names(issuer: issuer) else { throw broken(name, issuerName) }
    }

    private static func broken(_ name: String, _ issuerName: String) -> SignedDataRefusal {
        SignedDataRefusal(.brokenChain, "the \(name) certificate is not signed by \(issuerName)")
    }
}

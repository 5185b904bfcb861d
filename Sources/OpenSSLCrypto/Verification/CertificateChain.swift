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

    /// Checks that each certificate is signed by the next and the root by itself.
    func checkSignatures() throws(SignedDataRefusal) {
        try Self.requireIssued(root, "root", by: root, "its own key")
        try Self.requireIssued(intermediate, "intermediate", by: root, "the root")
        try Self.requireIssued(leaf, "leaf", by: intermediate, "the intermediate")
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

    private static func requireIssued(
        _ certificate: Certificate, _ name: String, by issuer: Certificate, _ issuerName: String
    ) throws(SignedDataRefusal) {
        guard certificate.names(issuer: issuer), certificate.isSigned(by: issuer) else {
            throw SignedDataRefusal(
                .brokenChain, "the \(name) certificate is not signed by \(issuerName)")
        }
    }
}

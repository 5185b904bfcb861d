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

    var named: [(name: String, certificate: Certificate)] {
        [("leaf", leaf), ("intermediate", intermediate), ("root", root)]
    }

    init(der: [[UInt8]]) throws(SignedDataRefusal) {
        leaf = try Self.read(der[0], "leaf")
        intermediate = try Self.read(der[1], "intermediate")
        root = try Self.read(der[2], "root")
    }

    /// Checks everything that needs no public-key work and no date.
    func checkContents() throws(SignedDataRefusal) {
        for (name, certificate) in named.reversed() {
            try Self.requireKnownCriticalExtensions(certificate, name)
        }
        try Self.requireAuthority(root, "root", authoritiesBelow: 1)
        try Self.requireAuthority(intermediate, "intermediate", authoritiesBelow: 0)
        try SignedDataRefusal.require(!leaf.isAuthority, .wrongBasicConstraints, "the leaf certificate is an authority")
        try SignedDataRefusal.require(
            leaf.maySignData, .wrongBasicConstraints, "the leaf certificate's key usage does not allow signing data")
        try SignedDataRefusal.require(
            intermediate.extensions.contains(where: { $0.oid == AppleMarker.intermediate }),
            .missingIntermediateExtension,
            "the intermediate certificate lacks Apple's extension `\(AppleMarker.intermediate)`")
        try SignedDataRefusal.require(
            leaf.extensions.contains(where: { $0.oid == AppleMarker.leaf }), .missingLeafExtension,
            "the leaf certificate lacks Apple's extension `\(AppleMarker.leaf)`")
        try SignedDataRefusal.require(
            leaf.publicKey.curve == KeyHandle.p256, .unsupportedKey, "the leaf certificate's key is not on P-256")
    }

    /// Checks without public-key work that each certificate names the next as its issuer.
    func checkIssuers() throws(SignedDataRefusal) {
        try Self.requireNamed(root, "root", by: root, "its own key")
        try Self.requireNamed(intermediate, "intermediate", by: root, "the root")
        try Self.requireNamed(leaf, "leaf", by: intermediate, "the intermediate")
    }

    /// Checks that the root signed the intermediate. The root itself is known by its fingerprint.
    func checkIntermediateSignature() throws(SignedDataRefusal) {
        guard intermediate.isSigned(by: root) else { throw Self.broken("intermediate", "the root") }
    }

    func checkLeafSignature() throws(SignedDataRefusal) {
        guard leaf.isSigned(by: intermediate) else { throw Self.broken("leaf", "the intermediate") }
    }

    /// The cache key of the intermediate: the same for every spelling of it.
    func intermediateKey(_ trusted: TrustedRoots.Set) throws(SignedDataRefusal) -> [UInt8] {
        try OpenSSLDigest().sha256(
            trusted.digest + Self.counted(root.der) + Self.parts(of: intermediate, "intermediate", by: root))
    }

    /// The cache key of the whole chain: the same for every spelling of it.
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

    /// Length-prefixed bytes, so that concatenations are unambiguous.
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
        try SignedDataRefusal.require(
            certificate.isAuthority, .wrongBasicConstraints, "the \(name) certificate is not an authority")
        try SignedDataRefusal.require(
            certificate.maySignCertificates, .wrongBasicConstraints,
            "the \(name) certificate's key usage does not allow signing certificates")
        if let length = certificate.pathLength, length < authoritiesBelow {
            throw SignedDataRefusal(
                .wrongBasicConstraints,
                "the \(name) certificate allows `\(length)` authorities below it, the chain has \(authoritiesBelow)"
            )
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

/// The extensions by which Apple marks the certificates of App Store data; only their presence matters.
///
/// Source: Apple, `JWSDecodedHeader`, and Apple's open-source server libraries.
public enum AppleMarker {
    /// The leaf: Mac App Store and iTunes Store receipt signing.
    public static let leaf = "1.2.840.113635.100.6.11.1"
    /// The intermediate: Worldwide Developer Relations.
    public static let intermediate = "1.2.840.113635.100.6.2.1"
}

/// When all certificates of a chain are valid at once, both ends included.
struct ChainValidity: Sendable {
    private let intervals: [(name: String, notBefore: Instant, notAfter: Instant)]
    /// The latest beginning.
    let notBefore: Instant
    /// The earliest end; before `notBefore` if there is no common moment.
    let notAfter: Instant

    init(_ certificates: [(name: String, certificate: Certificate)]) {
        intervals = certificates.map { ($0.name, $0.certificate.notBefore, $0.certificate.notAfter) }
        notBefore = intervals.map(\.notBefore).max() ?? .distantFuture
        notAfter = intervals.map(\.notAfter).min() ?? .distantPast
    }

    /// - Throws: `certificateNotValidAtDate`, naming the first certificate at fault.
    func check(_ date: Instant) throws(SignedDataRefusal) {
        if notBefore <= date, date <= notAfter { return }
        for (name, start, end) in intervals where date < start || end < date {
            let fact = date < start ? "is valid from `\(start)`" : "was valid until `\(end)`"
            throw SignedDataRefusal(
                .certificateNotValidAtDate, "the \(name) certificate \(fact), the data is dated `\(date)`")
        }
    }
}

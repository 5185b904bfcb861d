import FoundationEssentials
public import OfferModel
import OfferSigning
import OpenSSLCrypto

/// A root of one's own with the chain that signs for it, made like Apple's: root and intermediate P-384, leaf P-256,
/// Apple's marker extensions on the lower two.
///
/// The keys of root and intermediate are forgotten as soon as the chain is made, so nothing else can ever be issued
/// under this root. A server trusts it only where its configuration says so, and never for Production.
public struct LocalRoot: Sendable {
    /// The root certificate's DER: what a server is told to trust.
    public let rootDER: [UInt8]
    /// The intermediate certificate's DER.
    public let intermediateDER: [UInt8]
    let leaf: CertifiedKey

    /// The leaf certificate's DER.
    public var leafDER: [UInt8] { leaf.certificateDER }

    /// The beginning of the chain's validity, before any subscription existed, so that old scenarios verify.
    public static let validFrom = Instant(milliseconds: 946_684_800_000)

    private static let validYears = 20

    /// Makes a new root and its chain, valid from the year 2000 until 20 years after `now`.
    ///
    /// - Throws: what libcrypto throws when it cannot make keys or certificates.
    public static func make(now: Instant) throws -> LocalRoot {
        let end = now.adding(months: validYears * 12)
        let root = try CertifiedKey.selfSigned(
            CertificateProfile(
                commonName: "offerd local test root, not Apple", notBefore: validFrom, notAfter: end,
                isAuthority: true, curve: .p384))
        let intermediate = try root.issue(
            CertificateProfile(
                commonName: "offerd local test intermediate, not Apple", notBefore: validFrom, notAfter: end,
                isAuthority: true, pathLength: 0, markers: [AppleMarker.intermediate], curve: .p384))
        let leaf = try intermediate.issue(
            CertificateProfile(
                commonName: "offerd local test receipt signing, not Apple", notBefore: validFrom, notAfter: end,
                markers: [AppleMarker.leaf], curve: .p256))
        return LocalRoot(
            rootDER: root.certificateDER, intermediateDER: intermediate.certificateDER, leaf: leaf)
    }

    init(rootDER: [UInt8], intermediateDER: [UInt8], leaf: CertifiedKey) {
        self.rootDER = rootDER
        self.intermediateDER = intermediateDER
        self.leaf = leaf
    }

    /// Signs payload bytes as they are, as the App Store does: ES256 with the three certificates in `x5c`.
    ///
    /// - Returns: a JWS in compact serialisation.
    /// - Throws: what libcrypto throws when it cannot sign.
    public func sign(payload: [UInt8]) throws -> String {
        let certificates = [leafDER, intermediateDER, rootDER]
            .map { "\"\(Data($0).base64EncodedString())\"" }
            .joined(separator: ",")
        let header = "{\"alg\":\"ES256\",\"x5c\":[\(certificates)]}"
        let signingInput = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(payload))"
        let signature = try leaf.rawSignature(of: Array(signingInput.utf8))
        return "\(signingInput).\(Base64URL.encode(signature))"
    }
}

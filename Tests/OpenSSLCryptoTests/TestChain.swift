import OfferModel
import OfferSigning
import Testing

@testable import OpenSSLCrypto

/// A chain like Apple's, made anew; a test changes the profile it is about.
struct TestChain {
    /// What each certificate shall say.
    struct Profiles {
        var root: CertificateProfile
        var intermediate: CertificateProfile
        var leaf: CertificateProfile
    }

    static let notBefore = Instant(milliseconds: 1_735_689_600_000)  // 2025-01-01T00:00:00Z
    static let notAfter = Instant(milliseconds: 1_893_456_000_000)  // 2030-01-01T00:00:00Z
    static let inside = Instant(milliseconds: 1_764_547_200_000)  // 2025-12-01T00:00:00Z

    let root: CertifiedKey
    let intermediate: CertifiedKey
    let leaf: CertifiedKey

    init(_ change: (inout Profiles) -> Void = { _ in }) throws {
        var profiles = Profiles(
            root: CertificateProfile(
                commonName: "Test Root", notBefore: Self.notBefore, notAfter: Self.notAfter, isAuthority: true,
                curve: .p384),
            intermediate: CertificateProfile(
                commonName: "Test Intermediate", notBefore: Self.notBefore, notAfter: Self.notAfter,
                isAuthority: true, pathLength: 0, markers: [AppleMarker.intermediate], curve: .p384),
            leaf: CertificateProfile(
                commonName: "Test Leaf", notBefore: Self.notBefore, notAfter: Self.notAfter,
                markers: [AppleMarker.leaf]))
        change(&profiles)
        root = try CertifiedKey.selfSigned(profiles.root)
        intermediate = try root.issue(profiles.intermediate)
        leaf = try intermediate.issue(profiles.leaf)
    }

    /// Leaf, intermediate, root in DER.
    var der: [[UInt8]] { [leaf.certificateDER, intermediate.certificateDER, root.certificateDER] }

    /// A verifier that trusts the root for Sandbox.
    func verifier() throws -> AppStoreChainVerifier {
        try AppStoreChainVerifier(additionalRoots: [.sandbox: [root.certificateDER]])
    }

    /// Signs a payload with the leaf, under the chain or other certificates.
    func sign(_ payload: String = "{}", certificates: [[UInt8]]? = nil) throws -> CompactJWS {
        try Self.sign(payload, key: leaf, certificates: certificates ?? der)
    }

    /// Signs a payload with any key under any certificates.
    static func sign(
        _ payload: String = "{}", key: CertifiedKey, certificates: [[UInt8]]
    ) throws -> CompactJWS {
        let x5c = certificates.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        let header = "{\"alg\":\"ES256\",\"x5c\":[\(x5c)]}"
        let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
        let signature = try key.rawSignature(of: Array(input.utf8))
        return try CompactJWS(parsing: "\(input).\(Base64URL.encode(signature))")
    }
}

extension AppStoreChainVerifier {
    /// Why the data is refused; `nil` if it is accepted.
    func refusal(
        _ jws: CompactJWS, _ date: Instant = TestChain.inside, _ environment: AppStoreEnvironment = .sandbox
    ) -> SignedDataRefusal? {
        do {
            try verify(jws, effectiveDate: date, environment: environment)
            return nil
        } catch {
            return error
        }
    }

    /// Checks a chain alone, as `verify` does besides the signature of the data.
    @discardableResult
    func verifyChain(
        _ certificates: [String], effectiveDate date: Instant, environment: AppStoreEnvironment
    ) throws(SignedDataRefusal) -> TrustAnchor {
        let examined = try examined(certificates, date, environment)
        try verifyChain(examined)
        return examined.verified.anchor
    }

    /// Why the chain is refused; `nil` if it is accepted.
    func refusal(
        chain der: [[UInt8]], _ date: Instant = TestChain.inside, _ environment: AppStoreEnvironment = .sandbox
    ) -> SignedDataRefusal? {
        do {
            try verifyChain(der.map { Base64.encode($0) }, effectiveDate: date, environment: environment)
            return nil
        } catch {
            return error
        }
    }
}

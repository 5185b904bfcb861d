import OfferModel
import OfferSigning
import Testing

@testable import OpenSSLCrypto

@Suite("Data that Xcode signed")
struct XcodeTrustTests {
    private let xcode: CertifiedKey
    private let verifier: AppStoreChainVerifier

    init() throws {
        xcode = try Self.certificate()
        verifier = try AppStoreChainVerifier(additionalRoots: [.xcode: [xcode.certificateDER]])
    }

    /// A certificate as Xcode makes it.
    private static func certificate(_ curve: CertificateProfile.Curve = .p256) throws -> CertifiedKey {
        try CertifiedKey.selfSigned(
            CertificateProfile(
                commonName: "StoreKit Testing in Xcode", notBefore: TestChain.notBefore, notAfter: TestChain.notAfter,
                isAuthority: true, pathLength: 0, curve: curve))
    }

    private func refusal(_ jws: CompactJWS, _ environment: AppStoreEnvironment = .xcode) -> SignedDataRefusal? {
        verifier.refusal(jws, TestChain.inside, environment)
    }

    @Test("it is accepted under the configured certificate, time and again (invariant 6)")
    func accepted() throws {
        let jws = try TestChain.sign(key: xcode, certificates: [xcode.certificateDER])
        for _ in 0..<2 {
            #expect(
                try verifier.verify(jws, effectiveDate: TestChain.inside, environment: .xcode) == .configured)
            #expect(
                try verifier.forOneRequest().verify(jws, effectiveDate: TestChain.inside, environment: .xcode)
                    == .configured)
        }
    }

    @Test("another certificate of the same name is refused, and so is another key's signature (invariant 6)")
    func others() throws {
        let other = try Self.certificate()
        let foreign = try TestChain.sign(key: other, certificates: [other.certificateDER])
        #expect(refusal(foreign)?.code == .untrustedRoot)
        let stolen = try TestChain.sign(key: other, certificates: [xcode.certificateDER])
        #expect(refusal(stolen)?.code == .badSignature)
    }

    @Test("a changed byte anywhere in the certificate is refused (invariant 6)")
    func changed() throws {
        for position in xcode.certificateDER.indices {
            var der = xcode.certificateDER
            der[position] ^= 1
            #expect(verifier.refusal(chain: [der], TestChain.inside, .xcode)?.code == .untrustedRoot)
        }
    }

    @Test(
        "one certificate is no chain anywhere else, even where it is trusted as a root (invariant 6)",
        arguments: [AppStoreEnvironment.production, .sandbox, .localTesting])
    func elsewhere(_ environment: AppStoreEnvironment) throws {
        let jws = try TestChain.sign(key: xcode, certificates: [xcode.certificateDER])
        #expect(refusal(jws, environment)?.code == .certificateCount)
        guard environment != .production else { return }
        let trusting = try AppStoreChainVerifier(additionalRoots: [environment: [xcode.certificateDER]])
        let found = trusting.refusal(jws, TestChain.inside, environment)
        #expect(found == SignedDataRefusal(.certificateCount, "`x5c` must hold 3 certificates, it holds 1"))
    }

    @Test("a chain of three is refused in Xcode, even under a root that is configured (invariant 6)")
    func chains() throws {
        let chain = try TestChain { $0.root.curve = .p256 }
        let trusting = try AppStoreChainVerifier(additionalRoots: [.xcode: [chain.root.certificateDER]])
        let expected = SignedDataRefusal(.certificateCount, "`x5c` must hold 1 certificate, it holds 3")
        #expect(try trusting.refusal(chain.sign(), TestChain.inside, .xcode) == expected)
    }

    @Test("the certificate's dates hold for it too")
    func dates() throws {
        let late = TestChain.notAfter.adding(milliseconds: 1)
        let found = verifier.refusal(chain: [xcode.certificateDER], late, .xcode)
        #expect(found?.code == .certificateNotValidAtDate)
        #expect(found?.detail.hasPrefix("the Xcode certificate was valid until ") == true)
    }

    @Test("a certificate whose key cannot sign App Store data is refused at construction")
    func unusableKey() throws {
        let certificate = try Self.certificate(.p384).certificateDER
        let error = #expect(throws: CertificateError.self) {
            try AppStoreChainVerifier(additionalRoots: [.xcode: [certificate]])
        }
        #expect(error?.code == .unusableKey)
    }
}

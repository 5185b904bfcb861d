import OfferModel
import OfferSigning
import Testing

@testable import OpenSSLCrypto

@Suite("Trust of each environment")
struct EnvironmentTrustTests {
    @Test("a chain accepted for one environment is refused for every other, cold and warm (invariant 6)")
    func environmentsDoNotMix() throws {
        let chain = try TestChain()
        let jws = try chain.sign()
        for trusted in [AppStoreEnvironment.sandbox, .localTesting] {
            let verifier = try AppStoreChainVerifier(additionalRoots: [trusted: [chain.root.certificateDER]])
            for environment in AppStoreEnvironment.allCases where environment != trusted {
                let expected = environment == .xcode ? SignedDataRefusal.Code.environmentNotSupported : .untrustedRoot
                #expect(verifier.refusal(jws, TestChain.inside, environment)?.code == expected)
            }
            #expect(verifier.refusal(jws, TestChain.inside, trusted) == nil)
            for environment in AppStoreEnvironment.allCases where environment != trusted {
                let expected = environment == .xcode ? SignedDataRefusal.Code.environmentNotSupported : .untrustedRoot
                #expect(verifier.refusal(jws, TestChain.inside, environment)?.code == expected)
            }
        }
    }

    @Test("data verified in one environment is verified again in another that trusts the root too (invariant 6)")
    func environmentsShareNoChains() throws {
        let chain = try TestChain()
        let root = chain.root.certificateDER
        let verifier = try AppStoreChainVerifier(additionalRoots: [.sandbox: [root], .localTesting: [root]])
        for _ in 0..<2 {
            #expect(verifier.refusal(chain: chain.der, TestChain.inside, .sandbox) == nil)
        }
        #expect(verifier.cache.count == 1)
        for _ in 0..<2 {
            #expect(verifier.refusal(chain: chain.der, TestChain.inside, .localTesting) == nil)
        }
        #expect(verifier.cache.count == 2)
    }

    @Test("without configured roots only Apple's is trusted, and for LocalTesting and Xcode none")
    func defaults() throws {
        let roots = try TrustedRoots(additional: [:])
        let fingerprint = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
        #expect(Hexadecimal.lowercase(TrustedRoots.appleRootG3) == fingerprint)
        #expect(roots[.production]?.digest == roots[.sandbox]?.digest)
        #expect(roots[.localTesting]?.digest != roots[.sandbox]?.digest)
        #expect(roots[.xcode] == nil)
    }

    @Test("an additional root for Production is refused at construction")
    func noRootForProduction() throws {
        let root = try TestChain().root.certificateDER
        let error = #expect(throws: CertificateError.self) {
            try AppStoreChainVerifier(additionalRoots: [.production: [root]])
        }
        #expect(error?.code == .rootNotAllowed)
        #expect(error?.detail == "`Production` allows no additional trusted root")
    }

    @Test("an entry for Production is refused even if it is empty")
    func noEntryForProduction() throws {
        let error = #expect(throws: CertificateError.self) {
            try AppStoreChainVerifier(additionalRoots: [.production: []])
        }
        #expect(error?.code == .rootNotAllowed)
    }

    @Test("a root that is no certificate, or not signed by itself, is refused at construction")
    func wrongRoots() throws {
        let chain = try TestChain()
        for bytes in [[], [1, 2, 3], chain.root.certificateDER + [0], Array("-----BEGIN CERTIFICATE-----".utf8)] {
            let error = #expect(throws: CertificateError.self) {
                try AppStoreChainVerifier(additionalRoots: [.localTesting: [bytes]])
            }
            #expect(error?.code == .malformedCertificate)
        }
        let error = #expect(throws: CertificateError.self) {
            try AppStoreChainVerifier(additionalRoots: [.localTesting: [chain.intermediate.certificateDER]])
        }
        #expect(error?.code == .rootNotSelfSigned)
    }

    @Test("several roots may be trusted at once")
    func severalRoots() throws {
        let chains = [try TestChain(), try TestChain()]
        let verifier = try AppStoreChainVerifier(additionalRoots: [.localTesting: chains.map(\.root.certificateDER)])
        for chain in chains {
            #expect(try verifier.refusal(chain.sign(), TestChain.inside, .localTesting) == nil)
        }
    }
}

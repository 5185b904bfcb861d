import Foundation
import OfferModel
import OfferSigning
import OpenSSLCrypto
import Testing

/// Where Apple's certificates are, if they are.
private enum AppleCertificates {
    static let folder: String? = ProcessInfo.processInfo.environment["APPLE_CERTIFICATES"].flatMap {
        $0.isEmpty ? nil : $0
    }
}

/// Runs with `APPLE_CERTIFICATES` set to a folder with Apple's certificates of 2025, which are not in this repository.
@Suite("Apple's own chain of 2025", .enabled(if: AppleCertificates.folder != nil))
struct AppleChainTests {
    private static let leafBegins = Instant(milliseconds: 1_758_311_091_000)  // 2025-09-19T19:44:51Z
    private static let leafEnds = Instant(milliseconds: 1_823_449_643_000)  // 2027-10-13T17:47:23Z

    private let der: [[UInt8]]

    init() throws {
        let folder = URL(filePath: try #require(AppleCertificates.folder))
        der = try ["AppStoreSigning-2025.der", "AppleWWDRCA-G6.der", "AppleRootCA-G3.der"].map {
            Array(try Data(contentsOf: folder.appending(path: $0)))
        }
    }

    @Test("it is accepted for its dates, both ends included", arguments: [AppStoreEnvironment.production, .sandbox])
    func accepted(_ environment: AppStoreEnvironment) throws {
        let verifier = try AppStoreChainVerifier()
        for date in [Self.leafBegins, TestChain.inside, Self.leafEnds] {
            #expect(verifier.refusal(chain: der, date, environment) == nil)
        }
    }

    @Test("outside its dates the leaf is refused by name, cold and warm")
    func outside() throws {
        let verifier = try AppStoreChainVerifier()
        for _ in 0..<2 {
            let early = verifier.refusal(chain: der, Self.leafBegins.adding(milliseconds: -1), .production)
            #expect(early?.code == .certificateNotValidAtDate)
            #expect(early?.detail.hasPrefix("the leaf certificate is valid from ") == true)
            let late = verifier.refusal(chain: der, Self.leafEnds.adding(milliseconds: 1), .production)
            #expect(late?.code == .certificateNotValidAtDate)
            #expect(late?.detail.hasPrefix("the leaf certificate was valid until ") == true)
            #expect(verifier.refusal(chain: der, TestChain.inside, .production) == nil)
        }
    }

    @Test("it is told from a chain to a root of one's own, cold and warm")
    func anchor() throws {
        let own = try TestChain()
        let verifier = try AppStoreChainVerifier(additionalRoots: [.sandbox: [own.root.certificateDER]])
        for _ in 0..<2 {
            for (certificates, anchor) in [(der, TrustAnchor.apple), (own.der, .configured)] {
                let found = try verifier.verifyChain(
                    certificates.map { Data($0).base64EncodedString() }, effectiveDate: TestChain.inside,
                    environment: .sandbox)
                #expect(found == anchor)
            }
        }
    }

    @Test("it is not trusted for LocalTesting or Xcode")
    func otherEnvironments() throws {
        let verifier = try AppStoreChainVerifier()
        #expect(verifier.refusal(chain: der, TestChain.inside, .localTesting)?.code == .untrustedRoot)
        #expect(verifier.refusal(chain: der, TestChain.inside, .xcode)?.code == .environmentNotSupported)
        let own = try TestChain { $0.root.curve = .p256 }.root.certificateDER
        let xcode = try AppStoreChainVerifier(additionalRoots: [.xcode: [own]])
        #expect(xcode.refusal(chain: der, TestChain.inside, .xcode)?.code == .certificateCount)
    }

    @Test("data with Apple's chain and a signature by another key is refused for exactly that (invariant 6)")
    func foreignSignature() throws {
        let jws = try TestChain.sign(key: TestChain().leaf, certificates: der)
        let refusal = try AppStoreChainVerifier().refusal(jws, TestChain.inside, .production)
        #expect(refusal?.code == .badSignature)
    }

    @Test("Apple's root under another chain is refused (invariant 6)")
    func splicedRoot() throws {
        let chain = try TestChain()
        let jws = try chain.sign(certificates: [chain.der[0], chain.der[1], der[2]])
        #expect(try AppStoreChainVerifier().refusal(jws, TestChain.inside, .production)?.code == .brokenChain)
    }
}

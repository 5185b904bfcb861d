import OfferModel
import OfferSigning
import Synchronization
import Testing

@testable import OpenSSLCrypto

@Suite("Remembering verified chains")
struct ChainCacheTests {
    /// A clock that a test sets.
    private final class ManualClock: Sendable {
        private let elapsed = Mutex(Duration.zero)
        private let start = ContinuousClock.now

        func advance(_ duration: Duration) {
            elapsed.withLock { $0 += duration }
        }

        var now: ContinuousClock.Instant {
            start + elapsed.withLock { $0 }
        }
    }

    private let clock = ManualClock()

    private func cache(capacity: Int) -> ChainCache<VerifiedChain> {
        ChainCache(capacity: capacity, lifetime: .seconds(900)) { [clock] in clock.now }
    }

    private func chain() throws -> VerifiedChain {
        let made = try CertificateChain(der: TestChain().der)
        return VerifiedChain(
            leaf: try VerifyingContext(key: made.leaf.publicKey), validity: ChainValidity(made.named),
            anchor: .configured)
    }

    @Test("it holds no more than its capacity, and lets go of the one unused for longest")
    func bound() throws {
        let cache = cache(capacity: 3)
        let chain = try chain()
        for key in 0..<3 { cache.insert(chain, for: [UInt8(key)]) }
        #expect(cache.verified(for: [0]) != nil)
        cache.insert(chain, for: [3])
        #expect(cache.count == 3)
        #expect(cache.verified(for: [1]) == nil)
        for key in [0, 2, 3] { #expect(cache.verified(for: [UInt8(key)]) != nil) }
        for key in 10..<200 { cache.insert(chain, for: [UInt8(key)]) }
        #expect(cache.count == 3)
        #expect(cache.verified(for: [199]) != nil)
    }

    @Test("it forgets a chain when its time is over, however often it was used meanwhile")
    func expiry() throws {
        let cache = cache(capacity: 3)
        cache.insert(try chain(), for: [1])
        for _ in 0..<8 {
            clock.advance(.seconds(100))
            #expect(cache.verified(for: [1]) != nil)
        }
        clock.advance(.milliseconds(99_999))
        #expect(cache.verified(for: [1]) != nil)
        clock.advance(.milliseconds(1))
        #expect(cache.verified(for: [1]) == nil)
        #expect(cache.count == 0)
    }

    @Test("a chain gets in only after it was verified, once for each set of trusted roots")
    func verifiedOnly() throws {
        let made = try TestChain()
        let root = made.root.certificateDER
        let verifier = try AppStoreChainVerifier(additionalRoots: [.sandbox: [root], .localTesting: [root]])
        let outside = TestChain.notAfter.adding(milliseconds: 1)
        #expect(verifier.refusal(chain: made.der, outside) != nil)
        #expect(verifier.refusal(chain: [made.der[1], made.der[0], made.der[2]]) != nil)
        #expect(verifier.cache.count == 0)
        let unsigned = try CompactJWS(parsing: "\(header(made)).e30.")
        #expect(verifier.refusal(unsigned)?.code == .badSignature)
        let foreign = try TestChain.sign(key: TestChain().leaf, certificates: made.der)
        #expect(verifier.refusal(foreign)?.code == .badSignature)
        #expect(verifier.cache.count == 0)
        #expect(verifier.refusal(chain: made.der) == nil)
        #expect(verifier.cache.count == 1)
        #expect(verifier.refusal(chain: made.der, TestChain.inside, .localTesting) == nil)
        #expect(verifier.cache.count == 2)
    }

    @Test("the verifier's cache is bounded and a displaced or expired chain is verified again")
    func verifierIsBounded() throws {
        let chains = try (0..<4).map { _ in try TestChain() }
        let verifier = try AppStoreChainVerifier(
            additionalRoots: [.sandbox: chains.map(\.root.certificateDER)], cacheCapacity: 2,
            cacheLifetime: .seconds(60)
        ) { [clock] in clock.now }
        for _ in 0..<2 {
            for chain in chains { #expect(verifier.refusal(chain: chain.der) == nil) }
            #expect(verifier.cache.count == 2)
            clock.advance(.seconds(61))
        }
    }

    @Test("a verifier that remembers nothing still verifies")
    func noCapacity() throws {
        let chain = try TestChain()
        let verifier = try AppStoreChainVerifier(
            additionalRoots: [.sandbox: [chain.root.certificateDER]], cacheCapacity: 0)
        #expect(verifier.refusal(chain: chain.der) == nil)
        #expect(verifier.refusal(chain: chain.der) == nil)
        #expect(verifier.cache.count == 0)
    }

    private func header(_ chain: TestChain) -> String {
        let x5c = chain.der.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        return Base64URL.encode(Array("{\"alg\":\"ES256\",\"x5c\":[\(x5c)]}".utf8))
    }
}

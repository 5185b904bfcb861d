import OfferModel
import OfferSigning
import OpenSSLCrypto
import Testing

@Suite("Validity of certificates at a payload's own date")
struct ChainDatesTests {
    @Test("both ends are included, a millisecond outside is refused, cold and warm")
    func ends() throws {
        let chain = try TestChain()
        let jws = try chain.sign()
        let early = TestChain.notBefore.adding(milliseconds: -1)
        let late = TestChain.notAfter.adding(milliseconds: 1)
        for date in [TestChain.notBefore, TestChain.inside, TestChain.notAfter] {
            #expect(try chain.verifier().refusal(jws, date) == nil)
        }
        for date in [early, late, .distantPast, .distantFuture] {
            #expect(try chain.verifier().refusal(jws, date)?.code == .certificateNotValidAtDate)
        }
        let warm = try chain.verifier()
        #expect(warm.refusal(jws) == nil)
        for date in [early, late, .distantPast, .distantFuture] {
            #expect(warm.refusal(jws, date)?.code == .certificateNotValidAtDate)
        }
        #expect(warm.refusal(jws) == nil)
    }

    @Test(
        "the certificate at fault is named, with its date, cold and warm", arguments: ["leaf", "intermediate", "root"])
    func named(_ name: String) throws {
        let begins = TestChain.notBefore.adding(milliseconds: 86_400_000)
        let ends = TestChain.notAfter.adding(milliseconds: -86_400_000)
        let chain = try TestChain {
            switch name {
            case "leaf":
                $0.leaf.notBefore = begins
                $0.leaf.notAfter = ends
            case "intermediate":
                $0.intermediate.notBefore = begins
                $0.intermediate.notAfter = ends
            default:
                $0.root.notBefore = begins
                $0.root.notAfter = ends
            }
        }
        let early = SignedDataRefusal(
            .certificateNotValidAtDate,
            "the \(name) certificate is valid from `\(begins)`, the data is dated `\(TestChain.notBefore)`")
        let late = SignedDataRefusal(
            .certificateNotValidAtDate,
            "the \(name) certificate was valid until `\(ends)`, the data is dated `\(TestChain.notAfter)`")
        let verifier = try chain.verifier()
        #expect(verifier.refusal(chain: chain.der, TestChain.notBefore) == early)
        #expect(verifier.refusal(chain: chain.der, TestChain.notAfter) == late)
        #expect(verifier.refusal(chain: chain.der) == nil)
        #expect(verifier.refusal(chain: chain.der, TestChain.notBefore) == early)
        #expect(verifier.refusal(chain: chain.der, TestChain.notAfter) == late)
    }

    @Test("certificates that were never valid together are refused at any date")
    func neverTogether() throws {
        let chain = try TestChain {
            $0.leaf.notAfter = TestChain.inside.adding(milliseconds: -1_000)
            $0.intermediate.notBefore = TestChain.inside.adding(milliseconds: 1_000)
        }
        let verifier = try chain.verifier()
        for date in [TestChain.notBefore, TestChain.inside, TestChain.notAfter] {
            #expect(verifier.refusal(chain: chain.der, date)?.code == .certificateNotValidAtDate)
        }
    }

    @Test("dates beyond 2050, which certificates write differently, are read")
    func generalizedTime() throws {
        let far = Instant(milliseconds: 4_102_444_800_000)  // 2100-01-01T00:00:00Z
        let chain = try TestChain {
            $0.root.notAfter = far
            $0.intermediate.notAfter = far
            $0.leaf.notAfter = far
        }
        let verifier = try chain.verifier()
        #expect(verifier.refusal(chain: chain.der, far) == nil)
        #expect(verifier.refusal(chain: chain.der, far.adding(milliseconds: 1))?.code == .certificateNotValidAtDate)
    }
}

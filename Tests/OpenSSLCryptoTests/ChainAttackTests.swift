import OfferModel
import OfferSigning
import Testing

@testable import OpenSSLCrypto

@Suite("Attacks on remembered chains")
struct ChainAttackTests {
    private let chain: TestChain
    private let verifier: AppStoreChainVerifier
    private let leaf: RespelledCertificate
    private let intermediate: RespelledCertificate

    init() throws {
        chain = try TestChain()
        verifier = try chain.verifier()
        leaf = try RespelledCertificate(chain.der[0])
        intermediate = try RespelledCertificate(chain.der[1])
    }

    /// Expects what becomes of data, and how many public-key operations that takes.
    private func expect(
        _ code: SignedDataRefusal.Code?, for jws: CompactJWS, cost: Int, by judge: (any SignedDataVerifier)? = nil,
        _ note: Comment? = nil, at location: SourceLocation = #_sourceLocation
    ) {
        let before = verifier.publicKeyOperations
        let refusal = refusal(jws, by: judge ?? verifier)
        #expect(refusal?.code == code, note, sourceLocation: location)
        #expect(verifier.publicKeyOperations - before == cost, note, sourceLocation: location)
    }

    private func expect(
        _ code: SignedDataRefusal.Code?, for certificates: [[UInt8]], cost: Int,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        expect(code, for: try chain.sign(certificates: certificates), cost: cost, at: location)
    }

    @Test("a new chain costs three public-key operations, a known one that of the data, a new leaf two")
    func honest() throws {
        #expect(leaf.same == chain.der[0] && intermediate.same == chain.der[1])
        try expect(nil, for: chain.der, cost: 3)
        try expect(nil, for: chain.der, cost: 1)
        let other = try newLeaf()
        expect(
            nil, for: try TestChain.sign(key: other, certificates: [other.certificateDER, chain.der[1], chain.der[2]]),
            cost: 2)
    }

    private func newLeaf() throws -> CertifiedKey {
        try chain.intermediate.issue(
            CertificateProfile(
                commonName: "Next Leaf", notBefore: TestChain.notBefore, notAfter: TestChain.notAfter,
                markers: [AppleMarker.leaf]))
    }

    @Test("non-minimal DER lengths are refused without public-key work, cold and warm")
    func nonMinimalLengths() throws {
        for isWarm in [false, true] {
            for zeros in 1...3 {
                for der in leaf.longerLengths(zeros: zeros) {
                    try expect(.malformedCertificate, for: [der, chain.der[1], chain.der[2]], cost: 0)
                }
                for der in intermediate.longerLengths(zeros: zeros) {
                    try expect(.malformedCertificate, for: [chain.der[0], der, chain.der[2]], cost: 0)
                }
            }
            try expect(nil, for: chain.der, cost: isWarm ? 1 : 3)
        }
    }

    @Test("signatures that are not DER, and other algorithms outside than inside, are refused without public-key work")
    func otherOuterParts() throws {
        let leaves = try leaf.otherSignatures() + leaf.otherAlgorithms()
        let intermediates = try intermediate.otherSignatures() + intermediate.otherAlgorithms()
        for isWarm in [false, true] {
            for der in leaves {
                try expect(.malformedCertificate, for: [der, chain.der[1], chain.der[2]], cost: 0)
            }
            for der in intermediates {
                try expect(.malformedCertificate, for: [chain.der[0], der, chain.der[2]], cost: 0)
            }
            try expect(nil, for: chain.der, cost: isWarm ? 1 : 3)
        }
    }

    @Test("n − s twins of the leaf and the intermediate are the chain that is remembered")
    func twins() throws {
        let spellings = try [chain.der[0], leaf.twin()].flatMap { leaf in
            try [chain.der[1], intermediate.twin()].map { [leaf, $0, chain.der[2]] }
        }
        #expect(Set(spellings).count == 4)
        for (index, certificates) in (spellings + spellings).enumerated() {
            try expect(nil, for: certificates, cost: index == 0 ? 3 : 1)
        }
        #expect(verifier.cache.count == 1)
        // Cold, each is as good as the chain itself.
        for certificates in spellings { #expect(try chain.verifier().refusal(chain: certificates) == nil) }
    }

    @Test("twins of one chain do not flush the others out of the cache")
    func flush() throws {
        let other = try TestChain()
        let small = try AppStoreChainVerifier(
            additionalRoots: [.sandbox: [chain.root.certificateDER, other.root.certificateDER]], cacheCapacity: 2)
        #expect(small.refusal(chain: other.der) == nil)
        for leaf in [chain.der[0], try leaf.twin()] {
            for intermediate in [chain.der[1], try intermediate.twin()] {
                #expect(small.refusal(chain: [leaf, intermediate, chain.der[2]]) == nil)
            }
        }
        #expect(small.cache.count == 2)
        let before = small.publicKeyOperations
        #expect(small.refusal(chain: other.der) == nil)
        #expect(small.publicKeyOperations == before)
    }

    @Test("texts of other chains do not flush the one in use")
    func flushOfTexts() {
        let keys = ChainKeys()
        keys.remember([0], of: ["in use"], trusted: [])
        for index in 0..<500 {
            keys.remember([1], of: ["\(index)"], trusted: [])
            #expect(keys.key(of: ["in use"], trusted: []) == [0])
        }
        #expect(keys.key(of: ["0"], trusted: []) == nil)
        #expect(keys.key(of: ["499"], trusted: []) == [1])
    }

    @Test("Base64 with spare bits, line breaks or spaces is another text of the same bytes, and refused")
    func otherBase64() throws {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var chain = chain
        while !Base64.encode(chain.der[0]).hasSuffix("=") { chain = try TestChain() }
        let verifier = try chain.verifier()
        let text = Base64.encode(chain.der[0])
        let digits = Array(text.prefix { $0 != "=" })
        let last = try #require(digits.last.flatMap { alphabet.firstIndex(of: $0) })
        let spare = String(digits.dropLast()) + String(alphabet[last ^ 1]) + text.drop { $0 != "=" }
        for _ in 0..<2 {
            for leaf in [spare, text + "\n", " " + text, String(digits), text + "===="] {
                let rest = chain.der.dropFirst().map { Base64.encode($0) }
                let refusal = #expect(throws: SignedDataRefusal.self) {
                    try verifier.verifyChain([leaf] + rest, effectiveDate: TestChain.inside, environment: .sandbox)
                }
                #expect(refusal?.code == .malformedCertificate)
            }
            #expect(verifier.refusal(chain: chain.der) == nil)
        }
    }

    @Test("a bogus leaf under Apple's intermediate costs a stranger a signature, and is never remembered")
    func bogusLeaf() throws {
        try expect(nil, for: chain.der, cost: 3)
        let stranger = try TestChain()
        let certificates = [stranger.der[0], chain.der[1], chain.der[2]]
        for _ in 0..<3 {
            // Without the bogus leaf's own key, the chain is not looked at.
            let unsigned = try TestChain.sign(key: TestChain().leaf, certificates: certificates)
            expect(.badSignature, for: unsigned, cost: 1)
            let signed = try TestChain.sign(key: stranger.leaf, certificates: certificates)
            expect(.brokenChain, for: signed, cost: 2)
        }
        #expect(verifier.cache.count == 1)
    }

    @Test("200 payloads under one bogus leaf in one body cost no more than two operations beside their own")
    func bogusLeafOfABody() throws {
        try expect(nil, for: chain.der, cost: 3)
        let stranger = try TestChain()
        let certificates = [stranger.der[0], chain.der[1], chain.der[2]]
        let request = verifier.forOneRequest()
        let before = verifier.publicKeyOperations
        for place in 0..<200 {
            let signed = try TestChain.sign(key: stranger.leaf, certificates: certificates)
            expect(.brokenChain, for: signed, cost: place == 0 ? 2 : 1, by: request, "\(place)")
        }
        #expect(verifier.publicKeyOperations - before <= 202)
    }

    @Test("200 different chains in one body cost no more than 16, and the answer is the same when they are remembered")
    func manyChains() throws {
        let body = try (0..<200).map { _ in
            let leaf = try newLeaf()
            return try TestChain.sign(key: leaf, certificates: [leaf.certificateDER, chain.der[1], chain.der[2]])
        }
        for isWarm in [false, true] {
            let request = verifier.forOneRequest()
            for (place, jws) in body.enumerated() {
                if place < 16 {
                    expect(nil, for: jws, cost: isWarm ? 1 : place == 0 ? 3 : 2, by: request, "\(place)")
                } else {
                    expect(.tooManyChains, for: jws, cost: 0, by: request, "\(place)")
                }
            }
        }
        #expect(verifier.refusal(body[199]) == nil)
    }

    @Test("200 re-encoded chains in one body cost at most three public-key operations more than 200 honest ones")
    func reencodedBody() throws {
        let twins = try [chain.der[0], leaf.twin()].flatMap { leaf in
            try [chain.der[1], intermediate.twin()].map { [leaf, $0] }
        }
        let spellings =
            twins
            + (1...3).flatMap { zeros in
                leaf.longerLengths(zeros: zeros).map { [$0, chain.der[1]] }
                    + intermediate.longerLengths(zeros: zeros).map { [chain.der[0], $0] }
            }
        /// What 200 payloads cost, and how much of that is not the signature of a payload that is accepted.
        func cost(of bodies: [[[UInt8]]]) throws -> (operations: Int, besides: Int) {
            let verifier = try chain.verifier()
            let request = verifier.forOneRequest()
            var accepted = 0
            for index in 0..<200 {
                let certificates = bodies[index % bodies.count] + [chain.der[2]]
                if refusal(try chain.sign(certificates: certificates), by: request) == nil { accepted += 1 }
            }
            return (verifier.publicKeyOperations, verifier.publicKeyOperations - accepted)
        }
        let honest = try cost(of: [Array(chain.der.prefix(2))])
        #expect(honest == (202, 2))
        // One spelling, the twins, as many as a request may bring chains, and all: what is refused for another reason
        // costs less and must not hide what the spellings cost.
        for count in [1, twins.count, 16, spellings.count] {
            let cost = try cost(of: Array(spellings.prefix(count)))
            #expect(cost.operations <= honest.operations + 3, "\(count) spellings")
            #expect(cost.besides <= honest.besides + 3, "\(count) spellings")
        }
    }

    private func refusal(_ jws: CompactJWS, by verifier: any SignedDataVerifier) -> SignedDataRefusal? {
        do throws(SignedDataRefusal) {
            try verifier.examine(jws, effectiveDate: TestChain.inside, environment: .sandbox)
            try verifier.verify(jws, effectiveDate: TestChain.inside, environment: .sandbox)
            return nil
        } catch {
            return error
        }
    }
}

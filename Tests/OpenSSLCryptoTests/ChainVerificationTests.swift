import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Verifying App Store data")
struct ChainVerificationTests {
    private let chain: TestChain
    private let verifier: AppStoreChainVerifier

    init() throws {
        chain = try TestChain()
        verifier = try chain.verifier()
    }

    @Test("data signed under a chain to a trusted root is accepted, cold and warm")
    func accepted() throws {
        let jws = try chain.sign(#"{"signedDate":1764547200000}"#)
        #expect(verifier.refusal(jws) == nil)
        #expect(verifier.refusal(jws) == nil)
    }

    @Test("a changed byte of the payload, the header or the signature is refused (invariant 6)")
    func changedData() throws {
        let payload = #"{"price":9990}"#
        let jws = try chain.sign(payload)
        let parts = String(decoding: jws.signingInput, as: UTF8.self).split(separator: ".").map(String.init)
        let signature = Base64URL.encode(jws.signature)
        let other = Base64URL.encode(Array(#"{"price":9991}"#.utf8))
        let changed = try CompactJWS(parsing: "\(parts[0]).\(other).\(signature)")
        #expect(verifier.refusal(changed)?.code == .badSignature)
        for position in jws.signature.indices {
            var bytes = jws.signature
            bytes[position] ^= 0x10
            let text = "\(parts[0]).\(parts[1]).\(Base64URL.encode(bytes))"
            #expect(verifier.refusal(try CompactJWS(parsing: text))?.code == .badSignature)
        }
        for bytes in [[], Array(jws.signature.dropLast()), jws.signature + [0]] {
            let text = "\(parts[0]).\(parts[1]).\(Base64URL.encode(bytes))"
            #expect(verifier.refusal(try CompactJWS(parsing: text))?.code == .badSignature)
        }
    }

    @Test("a changed byte anywhere in a certificate is refused, cold and warm (invariant 6)")
    func changedCertificates() throws {
        #expect(verifier.refusal(chain: chain.der) == nil)
        var random = SeededGenerator(seed: 41)
        for index in 0..<3 {
            for position in chain.der[index].indices {
                var der = chain.der
                der[index][position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                #expect(
                    verifier.refusal(chain: der) != nil, "certificate \(index), byte \(position), seed \(random.seed)")
            }
        }
    }

    @Test("a changed signature of a certificate is a broken chain, of the root an untrusted root")
    func changedCertificateSignatures() throws {
        for (index, code, detail) in [
            (0, SignedDataRefusal.Code.brokenChain, "the leaf certificate is not signed by the intermediate"),
            (1, .brokenChain, "the intermediate certificate is not signed by the root"),
            (2, .untrustedRoot, "the root certificate is not trusted for `Sandbox`"),
        ] {
            var der = chain.der
            der[index][der[index].count - 1] ^= 1
            #expect(verifier.refusal(chain: der) == SignedDataRefusal(code, detail))
        }
    }

    @Test("another root, another root's chain under the trusted root, and a foreign leaf are refused (invariant 6)")
    func otherRoots() throws {
        let other = try TestChain()
        #expect(try verifier.refusal(other.sign())?.code == .untrustedRoot)
        // The names are the same: only the signatures can tell.
        let spliced = [other.der[0], other.der[1], chain.der[2]]
        #expect(
            try verifier.refusal(other.sign(certificates: spliced))
                == SignedDataRefusal(.brokenChain, "the intermediate certificate is not signed by the root"))
        let foreignLeaf = [other.der[0], chain.der[1], chain.der[2]]
        #expect(
            try verifier.refusal(other.sign(certificates: foreignLeaf))
                == SignedDataRefusal(.brokenChain, "the leaf certificate is not signed by the intermediate"))
        #expect(try verifier.refusal(other.sign(certificates: chain.der))?.code == .badSignature)
    }

    @Test("an issuer of another name is a broken chain, although its key signed the certificate")
    func otherIssuerName() throws {
        // The command can only date certificates from now on, so the others must be valid now too.
        let end = Instant(milliseconds: 4_102_444_800_000)  // 2100-01-01T00:00:00Z
        let soon = Instant(milliseconds: Int64(Date().timeIntervalSince1970 + 3_600) * 1_000)
        let chain = try TestChain {
            $0.root.notAfter = end
            $0.intermediate.notAfter = end
            $0.leaf.notAfter = end
        }
        let verifier = try chain.verifier()
        let workshop = try KeyWorkshop()
        let keyFile = workshop.directory.path("intermediate.key")
        try chain.intermediate.write(privateKeyToNewFile: keyFile)
        try chain.root.write(privateKeyToNewFile: workshop.directory.path("root.key"))
        try workshop.directory.write(chain.root.certificateDER, to: "root.der")
        try workshop.directory.write(
            "basicConstraints=critical,CA:TRUE\n\(AppleMarker.intermediate)=ASN1:NULL\n", to: "extensions")
        try workshop.openssl("x509", "-inform", "DER", "-in", "root.der", "-out", "root.pem")
        try workshop.openssl("req", "-new", "-key", "intermediate.key", "-subj", "/CN=Renamed", "-out", "request")
        try workshop.openssl(
            "x509", "-req", "-in", "request", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", "30",
            "-extfile", "extensions", "-outform", "DER", "-out", "renamed.der")
        let renamed = Array(try Data(contentsOf: workshop.directory.url.appending(path: "renamed.der")))
        let issuer = try CertifiedKey(certificateDER: renamed, privateKeyFile: keyFile)
        let below = try issuer.issue(
            CertificateProfile(
                commonName: "Leaf", notBefore: TestChain.notBefore, notAfter: end, markers: [AppleMarker.leaf]))
        let root = chain.root.certificateDER
        #expect(verifier.refusal(chain: [below.certificateDER, renamed, root], soon) == nil)
        #expect(
            verifier.refusal(chain: [chain.leaf.certificateDER, renamed, root], soon)
                == SignedDataRefusal(.brokenChain, "the leaf certificate is not signed by the intermediate"))
    }

    @Test("a leaf acting as an authority is refused")
    func leafAsAuthority() throws {
        let profile = CertificateProfile(
            commonName: "Forged Leaf", notBefore: TestChain.notBefore, notAfter: TestChain.notAfter,
            markers: [AppleMarker.leaf])
        let forged = try chain.leaf.issue(profile)
        let der = [forged.certificateDER, chain.leaf.certificateDER, chain.root.certificateDER]
        let refusal = try verifier.refusal(TestChain.sign(key: forged, certificates: der))
        #expect(
            refusal == SignedDataRefusal(.wrongBasicConstraints, "the intermediate certificate is not an authority"))
        var marked = profile
        marked.markers = [AppleMarker.leaf, AppleMarker.intermediate]
        let directLeaf = try chain.root.issue(marked)
        let below = try directLeaf.issue(profile)
        let direct = [below.certificateDER, directLeaf.certificateDER, chain.root.certificateDER]
        #expect(try verifier.refusal(TestChain.sign(key: below, certificates: direct)) == refusal)
    }

    @Test("any number of certificates but three is refused")
    func counts() throws {
        let der = chain.der
        for certificates in [[], [der[0]], [der[0], der[1]], der + [der[2]]] {
            let refusal = try verifier.refusal(chain.sign(certificates: certificates))
            #expect(refusal?.code == .certificateCount)
            #expect(refusal?.detail == "`x5c` must hold 3 certificates, it holds \(certificates.count)")
        }
        let without = try CompactJWS(parsing: "\(Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))).e30.AA")
        #expect(verifier.refusal(without)?.code == .certificateCount)
    }

    @Test(
        "any algorithm but ES256 is refused, with a warm cache too", arguments: ["none", "HS256", "es256", "ES384", ""])
    func algorithms(_ name: String) throws {
        let jws = try chain.sign()
        #expect(verifier.refusal(jws) == nil)
        let x5c = chain.der.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        let header = Base64URL.encode(Array("{\"alg\":\"\(name)\",\"x5c\":[\(x5c)]}".utf8))
        let input = "\(header).e30"
        let signature = Base64URL.encode(try chain.leaf.rawSignature(of: Array(input.utf8)))
        for end in [signature, ""] {
            #expect(
                verifier.refusal(try CompactJWS(parsing: "\(input).\(end)"))
                    == SignedDataRefusal(.unsupportedAlgorithm, "the header's `alg` is `\(name)`, not `ES256`"))
        }
    }

    @Test("a certificate that is not standard Base64 of exactly one certificate is refused and named")
    func malformed() throws {
        let good = chain.der.map { Base64.encode($0) }
        func refusal(_ index: Int, _ text: String) -> SignedDataRefusal? {
            var certificates = good
            certificates[index] = text
            return #expect(throws: SignedDataRefusal.self) {
                try verifier.verifyChain(certificates, effectiveDate: TestChain.inside, environment: .sandbox)
            }
        }
        for (index, name) in ["leaf", "intermediate"].enumerated() {
            for text in [
                "", "AAAA", "!", Base64URL.encode([0xFB, 0xFF]), "MIIB\nMIIB", Base64.encode(chain.der[index] + [0]),
                Base64.encode(Array(chain.der[index].dropLast())),
            ] {
                let refusal = refusal(index, text)
                #expect(refusal?.code == .malformedCertificate)
                #expect(refusal?.detail.hasPrefix("the \(name) certificate is not ") == true)
            }
        }
        #expect(refusal(2, "!")?.code == .malformedCertificate)
        #expect(refusal(2, Base64.encode(chain.der[2] + [0]))?.code == .untrustedRoot)
    }

    @Test("many tasks verify with one verifier at once")
    func concurrent() async throws {
        let jws = try chain.sign()
        let verifier = verifier
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { verifier.refusal(jws) == nil }
            }
            for await accepted in group { #expect(accepted) }
        }
    }
}

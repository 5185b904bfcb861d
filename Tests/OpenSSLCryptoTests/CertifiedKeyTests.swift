import Foundation
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Certificates of the local App Store")
struct CertifiedKeyTests {
    @Test("the openssl command accepts a chain made here, strictly, and reads what the profile says")
    func judgedByOpenSSL() throws {
        let workshop = try KeyWorkshop()
        let chain = try TestChain()
        for (name, key) in [("root", chain.root), ("intermediate", chain.intermediate), ("leaf", chain.leaf)] {
            try workshop.directory.write(key.certificateDER, to: "\(name).der")
            try workshop.openssl("x509", "-inform", "DER", "-in", "\(name).der", "-out", "\(name).pem")
        }
        #expect(
            try workshop.openssl(
                "verify", "-attime", "1764547200", "-CAfile", "root.pem", "-untrusted", "intermediate.pem", "leaf.pem")
                == "leaf.pem: OK\n")
        let intermediate = try workshop.openssl("x509", "-in", "intermediate.pem", "-noout", "-text")
        for line in [
            "Issuer: CN = Test Root", "Subject: CN = Test Intermediate", "Not Before: Jan  1 00:00:00 2025 GMT",
            "Not After : Jan  1 00:00:00 2030 GMT", "CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign",
            "1.2.840.113635.100.6.2.1:", "NIST CURVE: P-384", "Version: 3 (0x2)",
        ] {
            #expect(intermediate.contains(line), "\(line)")
        }
        let leaf = try workshop.openssl("x509", "-in", "leaf.pem", "-noout", "-text")
        for line in ["CA:FALSE", "Digital Signature", "1.2.840.113635.100.6.11.1:", "NIST CURVE: P-256"] {
            #expect(leaf.contains(line), "\(line)")
        }
    }

    @Test("a certificate and its key come back from DER and a key file and go on issuing")
    func roundTrip() throws {
        let chain = try TestChain()
        let workshop = try KeyWorkshop()
        let file = workshop.directory.path("root.key")
        try chain.root.write(privateKeyToNewFile: file)
        let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        let root = try CertifiedKey(certificateDER: chain.root.certificateDER, privateKeyFile: file)
        let again = workshop.directory.path("again.key")
        try root.write(privateKeyToNewFile: again)
        #expect(try workshop.text("again.key") == workshop.text("root.key"))
        let taken = #expect(throws: SigningKeyError.self) { try chain.leaf.write(privateKeyToNewFile: file) }
        #expect(taken?.code == .alreadyExists)
        let intermediate = try root.issue(
            CertificateProfile(
                commonName: "Second", notBefore: TestChain.notBefore, notAfter: TestChain.notAfter, isAuthority: true,
                markers: [AppleMarker.intermediate]))
        let leaf = try intermediate.issue(
            CertificateProfile(
                commonName: "Leaf", notBefore: TestChain.notBefore, notAfter: TestChain.notAfter,
                markers: [AppleMarker.leaf]))
        let der = [leaf.certificateDER, intermediate.certificateDER, chain.root.certificateDER]
        let jws = try TestChain.sign(key: leaf, certificates: der)
        #expect(try chain.verifier().refusal(jws) == nil)
    }

    @Test("a key of another certificate, a damaged certificate and a damaged key are refused")
    func refusals() throws {
        let chain = try TestChain()
        let workshop = try KeyWorkshop()
        let file = workshop.directory.path("root.key")
        try chain.root.write(privateKeyToNewFile: file)
        let mismatch = #expect(throws: CertificateError.self) {
            try CertifiedKey(certificateDER: chain.leaf.certificateDER, privateKeyFile: file)
        }
        #expect(mismatch?.code == .keyMismatch)
        let damaged = #expect(throws: CertificateError.self) {
            try CertifiedKey(certificateDER: Array(chain.root.certificateDER.dropLast()), privateKeyFile: file)
        }
        #expect(damaged?.code == .malformedCertificate)
        let cut = try workshop.directory.write(
            String(workshop.text("root.key").dropLast(30)), to: "cut.key", permissions: 0o600)
        let key = #expect(throws: SigningKeyError.self) {
            try CertifiedKey(certificateDER: chain.root.certificateDER, privateKeyFile: cut)
        }
        #expect(key?.code == .truncated)
        let open = try workshop.secured("root.key", permissions: 0o640)
        let readable = #expect(throws: SigningKeyError.self) {
            try CertifiedKey(certificateDER: chain.root.certificateDER, privateKeyFile: open)
        }
        #expect(readable?.code == .openToOthers)
    }

    @Test("a marker that is no object identifier is refused")
    func wrongMarker() throws {
        let profile = CertificateProfile(
            commonName: "x", notBefore: TestChain.notBefore, notAfter: TestChain.notAfter, markers: ["not an oid"])
        let error = #expect(throws: CertificateError.self) { try CertifiedKey.selfSigned(profile) }
        #expect(error?.code == .unusableProfile)
    }

    @Test("a key on P-384 makes no ES256 signature")
    func noES256OnP384() throws {
        let chain = try TestChain()
        #expect(throws: OpenSSLFailure.self) { try chain.root.rawSignature(of: [1]) }
    }

    @Test("serial numbers are positive and differ")
    func serialNumbers() throws {
        let workshop = try KeyWorkshop()
        var seen = Set<String>()
        for _ in 0..<10 {
            try workshop.directory.write(try TestChain().leaf.certificateDER, to: "leaf.der")
            let printed = try workshop.openssl("x509", "-inform", "DER", "-in", "leaf.der", "-noout", "-serial")
            #expect(printed.utf8.count == "serial=\n".utf8.count + 32)
            seen.insert(printed)
        }
        #expect(seen.count == 10)
    }
}

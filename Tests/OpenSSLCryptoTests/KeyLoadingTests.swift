import Foundation
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Loading a signing key")
struct KeyLoadingTests {
    private let workshop: KeyWorkshop

    init() throws {
        workshop = try KeyWorkshop()
    }

    @Test("a PKCS#8 P-256 key of mode 0600 or 0400 is loaded", arguments: [0o600, 0o400])
    func good(_ permissions: Int) throws {
        _ = try workshop.goodKey()
        let path = try workshop.secured("good.p8", permissions: permissions)
        let key = try OpenSSLSigningKey(file: path, keyId: "2X9R4HXF34")
        #expect(key.keyId == "2X9R4HXF34")
        #expect(try workshop.openssl("pkey", "-in", "good.p8", "-pubout") == key.publicKey.pem)
    }

    @Test("a key is loaded from memory too, with Windows line ends as well")
    func fromMemory() throws {
        _ = try workshop.goodKey()
        let pem = try workshop.text("good.p8")
        let plain = try OpenSSLSigningKey(pem: Array(pem.utf8), keyId: "K", source: "variable `KEY`")
        let windows = pem.replacing("\n", with: "\r\n")
        let other = try OpenSSLSigningKey(pem: Array(windows.utf8), keyId: "K", source: "variable `KEY`")
        #expect(plain.publicKey.pem == other.publicKey.pem)
    }

    @Test(
        "the group's or others' access to the file is refused", arguments: [0o644, 0o640, 0o604, 0o660, 0o610, 0o601])
    func permissions(_ permissions: Int) throws {
        _ = try workshop.goodKey()
        let path = try workshop.secured("good.p8", permissions: permissions)
        let error = try loadingError(path)
        #expect(error?.code == .openToOthers)
        let mode = String(permissions, radix: 8)
        #expect(error?.detail == "key file `\(path)` has mode `0\(mode)`: the group or others have access to it")
        #expect(error?.hint == "chmod 600 \(path)")
    }

    @Test("a missing file, a directory, a pipe and a file of another size are each refused")
    func notAKeyFile() throws {
        #expect(try loadingError(workshop.directory.path("none.p8"))?.code == .notFound)
        #expect(try loadingError(workshop.directory.url.path)?.code == .notAFile)
        #expect(try Command.run("mkfifo", ["-m", "600", workshop.directory.path("pipe")]).status == 0)
        #expect(try loadingError(workshop.directory.path("pipe"))?.code == .notAFile)
        #expect(try loadingError(workshop.directory.write("", to: "empty", permissions: 0o600))?.code == .empty)
        #expect(try loadingError(workshop.directory.write(" \n\n", to: "blank", permissions: 0o600))?.code == .empty)
        let large = [UInt8](repeating: 0x41, count: 16_385)
        #expect(try loadingError(workshop.directory.write(large, to: "large", permissions: 0o600))?.code == .tooLarge)
    }

    @Test("other curves and other kinds of keys are refused")
    func otherKeys() throws {
        for (curve, name) in [("P-384", "secp384r1"), ("P-521", "secp521r1"), ("secp256k1", "secp256k1")] {
            try workshop.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-out", curve)
            let error = try loadingError(workshop.secured(curve))
            #expect(error?.code == .wrongCurve)
            #expect(error?.detail.contains("is on the curve `\(name)`, not on P-256") == true)
        }
        try workshop.openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "rsa")
        #expect(try loadingError(workshop.secured("rsa"))?.code == .notEllipticCurve)
        try workshop.openssl("genpkey", "-algorithm", "ED25519", "-out", "ed25519")
        #expect(try loadingError(workshop.secured("ed25519"))?.code == .notEllipticCurve)
    }

    @Test("P-256 given by its numbers is refused, and the hint makes a key that loads")
    func explicitCurve() throws {
        try workshop.openssl(
            "ecparam", "-name", "prime256v1", "-param_enc", "explicit", "-genkey", "-noout", "-out", "traditional")
        try workshop.openssl("pkcs8", "-topk8", "-nocrypt", "-in", "traditional", "-out", "explicit")
        let path = try workshop.secured("explicit")
        let error = try loadingError(path)
        #expect(error?.code == .explicitCurve)
        #expect(error?.detail == "key file `\(path)` spells its curve out in numbers instead of naming it")
        #expect(error?.hint.contains("openssl pkey -in KEY -ec_param_enc named_curve -out NEWKEY") == true)
        try workshop.openssl("pkey", "-in", "explicit", "-ec_param_enc", "named_curve", "-out", "named")
        let key = try OpenSSLSigningKey(file: workshop.secured("named"), keyId: "K")
        try workshop.openssl("pkey", "-in", "explicit", "-pubout", "-out", "public")
        let spelled = try workshop.text("public")
        let publicError = #expect(throws: SigningKeyError.self) { try OpenSSLPublicKey(pem: spelled) }
        #expect(publicError?.code == .explicitCurve)
        let signature = try key.derSignature(of: [1, 2, 3])
        #expect(key.publicKey.isValid(derSignature: signature, of: [1, 2, 3]))
    }

    @Test("a password-protected key is refused without asking for the password")
    func encrypted() throws {
        _ = try workshop.goodKey()
        try workshop.openssl("pkcs8", "-topk8", "-in", "good.p8", "-out", "encrypted", "-passout", "pass:secret")
        let error = try loadingError(workshop.secured("encrypted"))
        #expect(error?.code == .encrypted)
        #expect(error?.hint.contains("openssl pkcs8 -in KEY") == true)
    }

    @Test("a traditional EC key is refused, and its hint makes a key that loads")
    func traditional() throws {
        try workshop.openssl("ecparam", "-genkey", "-name", "prime256v1", "-out", "traditional")
        let error = try loadingError(workshop.secured("traditional"))
        #expect(error?.code == .notPKCS8)
        #expect(error?.hint.contains("openssl pkcs8 -topk8 -nocrypt -in KEY -out NEWKEY") == true)
        try workshop.openssl("pkcs8", "-topk8", "-nocrypt", "-in", "traditional", "-out", "converted")
        _ = try OpenSSLSigningKey(file: workshop.secured("converted"), keyId: "K")
    }

    @Test("PEM of something else is refused")
    func notAPrivateKey() throws {
        _ = try workshop.goodKey()
        try workshop.openssl("pkey", "-in", "good.p8", "-pubout", "-out", "public")
        #expect(try loadingError(workshop.secured("public"))?.code == .notAPrivateKey)
        try workshop.openssl("req", "-x509", "-key", "good.p8", "-subj", "/CN=x", "-out", "certificate")
        #expect(try loadingError(workshop.secured("certificate"))?.code == .notAPrivateKey)
    }

    @Test("a key cut off anywhere is refused, whether or not an end was put to it")
    func truncated() throws {
        _ = try workshop.goodKey()
        let pem = try workshop.text("good.p8")
        let begin = "-----BEGIN PRIVATE KEY-----"
        let end = "-----END PRIVATE KEY-----"
        let body = pem.utf8.count - end.utf8.count - 1
        for length in 1..<(body + end.utf8.count) {
            let code = try #require(memoryError(String(pem.prefix(length)))).code
            // Cut off within its first line, a key can be taken for something else, but never for a key.
            let begun = length >= begin.utf8.count
            #expect(begun ? code == .truncated : [.notPEM, .notAPrivateKey, .truncated].contains(code), "\(length)")
        }
        for length in begin.utf8.count..<(body - 1) {
            #expect(memoryError("\(pem.prefix(length))\n\(end)\n")?.code == .malformed, "\(length) and an end")
        }
        #expect(memoryError("neither PEM nor anything")?.code == .notPEM)
        #expect(memoryError("\(begin)\n!!!!\n\(end)\n")?.code == .malformed)
    }

    @Test("a key with a changed character never loads as another key")
    func changedCharacter() throws {
        _ = try workshop.goodKey()
        var pem = Array(try workshop.text("good.p8").utf8)
        let expected = try OpenSSLSigningKey(pem: pem, keyId: "K", source: "it").publicKey.pem
        for position in pem.indices {
            let original = pem[position]
            pem[position] = original == UInt8(ascii: "B") ? UInt8(ascii: "C") : UInt8(ascii: "B")
            let loaded = try? OpenSSLSigningKey(pem: pem, keyId: "K", source: "it")
            #expect(loaded == nil || loaded?.publicKey.pem == expected, "character \(position)")
            pem[position] = original
        }
    }

    @Test("a key whose public half belongs to another key fails its self-test")
    func mismatchedHalves() throws {
        let other = try der(workshop.goodKey("other.p8"))
        let mixed = Data(try der(workshop.goodKey())).dropLast(65) + Data(other.suffix(65))
        let body = mixed.base64EncodedString()
        let error = memoryError("-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n")
        #expect(error?.code == .selfTestFailed)
    }

    private func der(_ path: String) throws -> [UInt8] {
        let lines = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self).split(separator: "\n")
        return Array(try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined())))
    }

    private func loadingError(_ path: String) throws -> SigningKeyError? {
        #expect(throws: SigningKeyError.self) { try OpenSSLSigningKey(file: path, keyId: "2X9R4HXF34") }
    }

    private func memoryError(_ pem: String) -> SigningKeyError? {
        #expect(throws: SigningKeyError.self) {
            try OpenSSLSigningKey(pem: Array(pem.utf8), keyId: "2X9R4HXF34", source: "environment variable `KEY`")
        }
    }
}

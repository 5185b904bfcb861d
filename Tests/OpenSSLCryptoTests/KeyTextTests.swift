import Foundation
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Signing keys changed by editors and copying")
struct KeyTextTests {
    private let workshop: KeyWorkshop

    init() throws {
        workshop = try KeyWorkshop()
        _ = try workshop.goodKey()
    }

    @Test(
        "a byte order mark is named, and not taken for something that is no PEM",
        arguments: [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]])
    func byteOrderMark(_ mark: [UInt8]) throws {
        let path = try workshop.directory.write(mark + workshop.text("good.p8").utf8, to: "marked", permissions: 0o600)
        let error = #expect(throws: SigningKeyError.self) { try OpenSSLSigningKey(file: path, keyId: "K") }
        #expect(error?.code == .byteOrderMark)
        #expect(error?.detail == "key file `\(path)` begins with a byte order mark, which an editor put there")
    }

    @Test("indentation is named, at the beginning of the key and at its end")
    func indented() throws {
        let pem = try workshop.text("good.p8")
        let all = pem.split(separator: "\n").map { "    \($0)\n" }.joined()
        let tab = pem.replacing("-----BEGIN", with: "\t-----BEGIN")
        let end = pem.replacing("-----END", with: " -----END")
        for text in [all, tab, end] {
            let error = memoryError(text)
            #expect(error?.code == .indented)
            #expect(
                error?.detail
                    == "environment variable `KEY` has spaces or tabs before `-----BEGIN` or `-----END`")
            #expect(error?.hint == "remove them from the beginning of each line")
        }
    }

    @Test("of two keys none is guessed, whichever forms they have")
    func severalKeys() throws {
        let other = try workshop.goodKey("other.p8")
        let pem = try workshop.text("good.p8")
        try workshop.openssl("ec", "-in", other, "-out", "traditional")
        for second in [try workshop.text("other.p8"), pem, try workshop.text("traditional")] {
            for text in [pem + second, second + pem] {
                let error = memoryError(text)
                #expect(error?.code == .severalKeys)
                #expect(error?.detail == "environment variable `KEY` holds `2` private keys")
            }
        }
        try workshop.openssl("pkey", "-in", "good.p8", "-pubout", "-out", "public")
        let both = try workshop.text("public") + pem
        _ = try OpenSSLSigningKey(pem: Array(both.utf8), keyId: "K", source: "it")
    }

    @Test("a key that lost its lines on the way into a variable is the same key")
    func unfolded() throws {
        let pem = try workshop.text("good.p8")
        let lines = pem.split(separator: "\n").map(String.init)
        let expected = try OpenSSLSigningKey(pem: Array(pem.utf8), keyId: "K", source: "it").publicKey.pem
        let (first, last) = (lines[0], lines[lines.count - 1])
        let (written, spaced, key) = (
            lines.joined(separator: "\\n"), lines.joined(separator: " "), lines.dropFirst().dropLast().joined()
        )
        let texts: [String] = [
            written, "\(written)\\n", written.replacing("\\n", with: "\\r\\n"), written.replacing("\\n", with: "\\\\n"),
            spaced, "\(spaced)\n",
            spaced.replacing(" ", with: "\t").replacing("BEGIN\tPRIVATE\t", with: "BEGIN PRIVATE ")
                .replacing("END\tPRIVATE\t", with: "END PRIVATE "), "\(first)\(key)\(last)", "\(first) \(key) \(last)",
            "\"\(written)\\n\"", "'\(spaced)'\n", "  \(written)",
        ]
        for text in texts {
            let loaded = try OpenSSLSigningKey(pem: Array(text.utf8), keyId: "K", source: "variable `KEY`")
            #expect(loaded.publicKey.pem == expected)
        }
    }

    @Test("a key in one line is judged as one in several: its form, its curve, and that there is one")
    func unfoldedWrong() throws {
        let pem = try workshop.text("good.p8")
        let line = pem.replacing("\n", with: "\\n")
        try workshop.openssl("ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", "traditional")
        let traditional = try workshop.text("traditional").replacing("\n", with: "\\n")
        try workshop.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", "wide")
        let wide = try workshop.text("wide").replacing("\n", with: " ")
        let body = pem.split(separator: "\n").dropFirst().dropLast().joined()
        let wrong: [(String, SigningKeyError.Code)] = [
            (line + line, .truncated), (traditional, .notPKCS8), (wide, .wrongCurve),
            (String(line.dropLast(30)), .truncated), (line.replacing("KEY-----\\nM", with: "KEY-----\\n!"), .malformed),
            (Data(pem.utf8).base64EncodedString(), .encodedPEM), (body, .notPEM),
            ("/etc/offerd/SubscriptionKey_2X9R4HXF34.p8", .pathOfKey), ("keys/key.pem\n", .pathOfKey),
        ]
        for (text, code) in wrong {
            let error = memoryError(text)
            #expect(error?.code == code, "\(error?.detail ?? "")")
            #expect(error?.detail.contains("`KEY`") == true)
        }
        #expect(memoryError(body)?.hint.contains("first and last line") == true)
    }

    @Test(
        "the name of a file says whose key it is: another service's, or one with another id",
        arguments: [
            ("AuthKey_2X9R4HXF34.p8", .otherService), ("authkey_2X9R4HXF34 (1).p8", .otherService),
            ("AuthKey_.p8", .otherService), ("ApiKey_2X9R4HXF34.p8", .otherService),
            ("SubscriptionKey_ABCDE12345.p8", .otherKeyId), ("SubscriptionKey_2x9r4hxf34.p8", .otherKeyId),
            ("SubscriptionKey_2X9R4HXF34.p8", nil), ("SubscriptionKey_2X9R4HXF34 (1).p8", nil),
            ("SubscriptionKey_.p8", nil), ("key.p8", nil), ("my-AuthKey_2X9R4HXF34.p8", nil),
        ] as [(String, SigningKeyError.Code?)])
    func fileName(_ name: String, _ code: SigningKeyError.Code?) throws {
        let path = try workshop.directory.write(
            Array(try workshop.text("good.p8").utf8), to: name, permissions: 0o600)
        guard let code else {
            _ = try OpenSSLSigningKey(file: path, keyId: "2X9R4HXF34")
            return
        }
        let error = #expect(throws: SigningKeyError.self) { try OpenSSLSigningKey(file: path, keyId: "2X9R4HXF34") }
        #expect(error?.code == code)
        #expect(error?.detail.contains("`\(path)`") == true)
        #expect(error?.hint.contains(code == .otherService ? "In-App Purchase" : "`keyId`") == true)
        let made = #expect(throws: SigningKeyError.self) {
            try OpenSSLSigningKey.generate(toNewFile: workshop.directory.path("new-") + "/" + name, keyId: "2X9R4HXF34")
        }
        #expect(made?.code == code)
    }

    private func memoryError(_ pem: String) -> SigningKeyError? {
        #expect(throws: SigningKeyError.self) {
            try OpenSSLSigningKey(pem: Array(pem.utf8), keyId: "K", source: "environment variable `KEY`")
        }
    }
}

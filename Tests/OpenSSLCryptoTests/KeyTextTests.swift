import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("What editors and copying do to a signing key")
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

    private func memoryError(_ pem: String) -> SigningKeyError? {
        #expect(throws: SigningKeyError.self) {
            try OpenSSLSigningKey(pem: Array(pem.utf8), keyId: "K", source: "environment variable `KEY`")
        }
    }
}

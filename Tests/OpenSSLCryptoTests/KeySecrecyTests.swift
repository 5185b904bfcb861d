import Foundation
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Private keys stay hidden")
struct KeySecrecyTests {
    private struct Holder {
        let name = "holder"
        let key: OpenSSLSigningKey
        let certified: CertifiedKey
    }

    @Test("no description, dump, mirror or interpolation shows key material (invariant 9)")
    func descriptions() throws {
        let workshop = try KeyWorkshop()
        let key = try OpenSSLSigningKey(file: workshop.goodKey(), keyId: "2X9R4HXF34")
        let now = Instant(milliseconds: 1_700_000_000_000)
        let certified = try CertifiedKey.selfSigned(
            CertificateProfile(commonName: "Root", notBefore: now, notAfter: now.adding(milliseconds: 86_400_000)))
        let holder = Holder(key: key, certified: certified)
        var shown = ["\(key)", key.debugDescription, String(reflecting: key), "\(holder)", "\([key])"]
        shown += ["\(certified)", String(reflecting: certified), String(reflecting: holder)]
        var dumped = ""
        dump(holder, to: &dumped)
        dump(key, to: &dumped)
        dump(certified, to: &dumped)
        shown.append(dumped)
        try certified.write(privateKeyToNewFile: workshop.directory.path("certified.key"))
        let secrets = try ["good.p8", "certified.key"].flatMap { try Secrets(pem: workshop.text($0)).all }
        for text in shown {
            for secret in secrets { #expect(!text.contains(secret)) }
            #expect(!text.contains("0x"), "an address would lead to the key: \(text)")
        }
        #expect("\(key)" == "signing key `2X9R4HXF34`")
    }

    @Test("no error about a key quotes it (invariant 9)")
    func errors() throws {
        let workshop = try KeyWorkshop()
        _ = try workshop.goodKey()
        let pem = try workshop.text("good.p8")
        let secrets = try Secrets(pem: pem).all
        let broken = [
            String(pem.dropLast(30)), pem.replacing("BEGIN PRIVATE", with: "BEGIN EC PRIVATE"),
            pem.replacing("-----BEGIN PRIVATE KEY-----", with: ""), String(pem.dropFirst(1)),
            pem.replacing("\n", with: "\n!"), pem.replacing("\n", with: "*"),
        ]
        for text in broken {
            let error = #expect(throws: SigningKeyError.self) {
                try OpenSSLSigningKey(pem: Array(text.utf8), keyId: "K", source: "variable `KEY`")
            }
            var dumped = ""
            dump(try #require(error), to: &dumped)
            for secret in secrets { #expect(!dumped.contains(secret)) }
        }
    }

    /// Pieces of a key in every spelling in which it could slip out.
    private struct Secrets {
        let all: [String]

        init(pem: String) throws {
            let body = pem.split(separator: "\n").dropFirst().dropLast().joined()
            let der = Array(try #require(Data(base64Encoded: body)))
            // PKCS#8 of P-256: the private number stands in bytes 36..<68.
            let number = Array(der[36..<68])
            let characters = Array(body)
            all =
                stride(from: 40, to: 100, by: 12).map { String(characters[$0..<($0 + 12)]) }
                + [
                    Hexadecimal.lowercase(number.prefix(6)), Hexadecimal.lowercase(number.prefix(6)).uppercased(),
                    "\(number.prefix(4).map { $0 })".trimmingCharacters(in: CharacterSet(charactersIn: "[]")),
                ]
        }
    }
}

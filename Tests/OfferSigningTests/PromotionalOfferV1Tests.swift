import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Promotional offer V1: the bytes to sign")
struct PromotionalOfferV1Tests {
    struct Vector: Decodable, CustomTestStringConvertible {
        let name: String
        let bundleId: BundleId
        let keyId: KeyId
        let productId: ProductId
        let offerIdentifier: OfferIdentifier
        let appAccountToken: String?
        let nonce: String
        let timestamp: Instant
        let bytes: String

        var testDescription: String { name }

        static func all() throws -> [Vector] {
            let data = try Data(contentsOf: Fixture.url("promotional-offer-v1.json"))
            return try JSONDecoder().decode([Vector].self, from: data)
        }
    }

    @Test("the bytes are those of the golden vectors", arguments: try Vector.all())
    func goldenBytes(_ vector: Vector) throws {
        let offer = PromotionalOfferV1(
            bundleId: vector.bundleId, productId: vector.productId,
            offerIdentifier: vector.offerIdentifier,
            appAccountToken: vector.appAccountToken.flatMap { AppAccountToken($0) },
            nonce: try #require(LowercaseUUID(vector.nonce)), timestamp: vector.timestamp)
        #expect(Hexadecimal.lowercase(try offer.bytesToSign(keyId: vector.keyId)) == vector.bytes)
    }

    @Test("there are always seven fields between six separators, whatever the fields hold")
    func alwaysSixSeparators() throws {
        var random = SeededGenerator(seed: 20_261)
        for _ in 0..<500 {
            let offer = try Sample.v1 {
                $0.productId = ProductId(Self.text(&random))
                $0.offerIdentifier = OfferIdentifier(Self.text(&random))
                $0.bundleId = BundleId(Self.text(&random))
                $0.timestamp = Instant(milliseconds: .random(in: 0...4_000_000_000_000, using: &random))
            }
            let text = String(decoding: try offer.bytesToSign(keyId: "2X9R4HXF34"), as: UTF8.self)
            let fields = text.unicodeScalars.split(
                separator: "\u{2063}", omittingEmptySubsequences: false)
            #expect(
                fields.map { Array(String($0).utf8) }
                    == [
                        offer.bundleId.rawValue, "2X9R4HXF34", offer.productId.rawValue,
                        offer.offerIdentifier.rawValue,
                        "", offer.nonce.description, String(offer.timestamp.milliseconds),
                    ].map { Array($0.utf8) }, "seed \(random.seed)")
        }
    }

    @Test(
        "a field that could move the boundaries, or is empty, is refused by its name",
        arguments: [
            ("a\u{2063}b", UnsignableText.Code.separator), ("\u{2063}", .separator),
            ("a\nb", .controlCharacter),
            ("a\u{0}", .controlCharacter), ("\u{7F}", .controlCharacter), ("\u{85}b", .controlCharacter),
            ("", .empty),
        ])
    func refusesFields(_ text: String, _ code: UnsignableText.Code) throws {
        let nonce = try Sample.nonce()
        let moment = Instant(milliseconds: 1)
        for (position, field) in ["bundleId", "keyId", "productId", "offerIdentifier"].enumerated() {
            var values = ["com.example.pro", "2X9R4HXF34", "com.example.pro.monthly", "comeback50"]
            values[position] = text
            let offer = PromotionalOfferV1(
                bundleId: BundleId(values[0]), productId: ProductId(values[2]),
                offerIdentifier: OfferIdentifier(values[3]), nonce: nonce, timestamp: moment)
            let refusal = #expect(throws: UnsignableText.self) {
                try offer.bytesToSign(keyId: KeyId(values[1]))
            }
            #expect(refusal?.code == code)
            #expect(refusal?.field == field)
        }
    }

    @Test("a signature is the DER over these bytes in Base64")
    func signature() throws {
        let token = try Sample.nonce("7E3FB204-2C5D-4F0A-9B6E-0D8C1A2B3C4D")
        let offer = try Sample.v1 { $0.appAccountToken = token }
        let key = try Sample.key()
        let signature = try offer.signed(by: key)
        let der = Array(try #require(Data(base64Encoded: signature)))
        #expect(key.publicKey.isValid(derSignature: der, of: try offer.bytesToSign(keyId: key.keyId)))
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let letters: [Character] = [
            "a", "Z", "0", ".", "_", " ", "é", "日", "🎉", "\u{200B}", "\"", "\\",
        ]
        return String(
            (0..<Int.random(in: 1...12, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? "a"
            })
    }
}

import Foundation
import OfferModel
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    private let composed = ProductId("caf\u{E9}")
    private let decomposed = ProductId("cafe\u{301}")

    @Test("two spellings of one accent are different identifiers, as they are for the App Store and the database")
    func equalityOfBytes() {
        #expect(composed.rawValue == decomposed.rawValue, "Swift itself calls them equal; that is the trap")
        let areEqual = composed == decomposed
        let differ = composed != decomposed
        #expect(!areEqual)
        #expect(differ)
        #expect(Set([composed, decomposed, composed]).count == 2)
        #expect([composed: 1, decomposed: 2][decomposed] == 2)
        #expect([composed].contains(decomposed) == false)
    }

    @Test("identifiers of any length are equal only if every byte is", arguments: 0...33)
    func everyByte(length: Int) {
        let bytes = (0..<length).map { UInt8(0x41 + $0 % 26) }
        let identifier = ProductId(String(decoding: bytes, as: UTF8.self))
        #expect(identifier == ProductId(String(decoding: bytes, as: UTF8.self)))
        #expect(identifier != ProductId(String(decoding: bytes + [0x30], as: UTF8.self)))
        for place in bytes.indices {
            var changed = bytes
            changed[place] = 0x7A
            #expect(identifier != ProductId(String(decoding: changed, as: UTF8.self)), "byte \(place)")
        }
    }

    @Test("equal identifiers have equal hashes")
    func hashing() {
        #expect(ProductId("a") == "a")
        #expect(ProductId("a").hashValue == ProductId("a").hashValue)
        #expect(ProductId("ab").hashValue != ProductId("ba").hashValue)
    }

    @Test("the order is that of the bytes, not of the language")
    func order() {
        #expect(decomposed < composed)
        #expect(ProductId("Z") < ProductId("a"))
        #expect(ProductId("a") < ProductId("ab"))
        #expect(!(ProductId("a") < ProductId("a")))
        #expect([ProductId("b"), "a", "B"].sorted() == ["B", "a", "b"])
    }

    @Test("an identifier is written and read as plain text, byte for byte")
    func coding() throws {
        let data = try JSONEncoder().encode([composed, decomposed])
        #expect(try JSONDecoder().decode([ProductId].self, from: data) == [composed, decomposed])
        #expect(String(decoding: try JSONEncoder().encode(["x": OfferId("a.b")]), as: UTF8.self) == #"{"x":"a.b"}"#)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([OfferId].self, from: Data("[1]".utf8)) }
    }

    @Test("an identifier is shown as it was given")
    func description() {
        #expect("\(OfferIdentifier(" back 50 "))" == " back 50 ")
        #expect(KeyId(rawValue: "2X9R4HXF34").description == "2X9R4HXF34")
    }
}

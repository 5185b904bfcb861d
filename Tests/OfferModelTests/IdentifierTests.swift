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

    @Test("a customer's id that is a UUID is the same in any case, and any other text is kept as it is")
    func customerId() throws {
        let (lower, upper) = ("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b", "0E1F2A3B-4C5D-4E6F-8A9B-0C1D2E3F4A5B")
        for id in [
            CustomerId(upper), CustomerId(rawValue: upper), CustomerId(stringLiteral: upper),
            CustomerId("0E1f2a3B-4c5d-4E6F-8a9b-0c1d2e3f4A5b"),
            try JSONDecoder().decode([CustomerId].self, from: Data("[\"\(upper)\"]".utf8))[0],
        ] {
            #expect(id == CustomerId(lower))
            #expect(id.rawValue == lower)
        }
        for text in [
            "Anna", "0E1F2A3B4C5D4E6F8A9B0C1D2E3F4A5B", "{\(upper)}", upper + "A", "É" + upper.dropFirst(), "",
        ] {
            #expect(CustomerId(text).rawValue == text)
        }
        #expect(OfferId(upper).rawValue == upper && TransactionId(upper).rawValue == upper)
    }
}

import Foundation
import JSON
import OfferModel
import OfferTestSupport
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    private static func foundation(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func written(_ value: some JSONWritable) throws -> String {
        var json = JSONWriter()
        try value.write(to: &json)
        return json.text
    }

    @Test("every kind of character in a text is written as Foundation writes it")
    func everyCharacter() throws {
        for scalar in (0..<0x300).compactMap(Unicode.Scalar.init) {
            let text = "a\(scalar)\(scalar)b"
            #expect(try Self.written(text) == Self.foundation(text), "U+\(String(scalar.value, radix: 16))")
        }
        for text in ["", "\"", "\\/", "Frühling 🌷 \u{2028}\u{FEFF}", String(repeating: "ü\n", count: 500)] {
            #expect(try Self.written(text) == Self.foundation(text))
        }
    }

    @Test("texts, numbers, amounts and moments are written as Foundation writes them", arguments: [1, 20_261_121])
    func values(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<4_000 {
            let value = FactValue.random(&generator)
            #expect(try Self.written(value) == Self.foundation(value), "seed \(seed): \(value)")
        }
        for integer in [0, 9, 10, -1, .max, .min] as [Int64] {
            #expect(try Self.written(integer) == "\(integer)")
        }
    }

    @Test("members are in the order in which Foundation sorts their names", arguments: [2, 404])
    func members(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let count = Int.random(in: 0..<8, using: &generator)
            let object = Dictionary(
                (0..<count).map { _ in (String.random(&generator), [Bool.random(using: &generator)]) }
            ) { first, _ in first }
            #expect(try Self.written(object) == Self.foundation(object), "seed \(seed): \(object)")
        }
    }

    @Test("a number that JSON cannot hold is refused", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(number: Double) {
        #expect(throws: JSONWriter.NotFinite.self) { try Self.written(FactValue.number(number)) }
    }

    @Test("nothing but what is known of a device is written")
    func device() throws {
        let known = DeviceRequest(appVersion: "4.2.1", locale: "de-CH")
        #expect(try Self.written(known) == #"{"appVersion":"4.2.1","locale":"de-CH"}"#)
        #expect(try Self.written(DeviceRequest()) == "{}")
        #expect(try Self.written([DeviceRequest(osVersion: "18.4"), known]).hasPrefix(#"[{"osVersion":"18.4"},{"#))
    }
}

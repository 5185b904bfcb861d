import OfferModel
import OfferTestSupport
import Testing

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test("bytes are written with two lower-case digits each")
    func writes() {
        #expect(Hexadecimal.lowercase([UInt8]()) == "")
        #expect(Hexadecimal.lowercase([0x00, 0x0F, 0xF0, 0xFF, 0xA1] as [UInt8]) == "000ff0ffa1")
    }

    @Test("an even number of digits in either case is read")
    func reads() {
        #expect(Hexadecimal.bytes("") == [])
        #expect(Hexadecimal.bytes("000fF0fFA1") == [0x00, 0x0F, 0xF0, 0xFF, 0xA1])
    }

    @Test("anything else is refused", arguments: ["0", "000", "0g", "g0", "0x00", "00 00", "00:00", "é0", " 00"])
    func refuses(_ text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }

    @Test("reading what was written gives the same bytes")
    func roundTrip() {
        var generator = SeededGenerator(seed: 11)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let text = Hexadecimal.lowercase(bytes)
            #expect(Hexadecimal.bytes(text) == bytes, "seed \(generator.seed)")
            #expect(Hexadecimal.bytes(text.uppercased()) == bytes, "seed \(generator.seed)")
        }
    }
}

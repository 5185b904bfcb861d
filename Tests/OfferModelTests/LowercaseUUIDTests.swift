import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("UUIDs")
struct LowercaseUUIDTests {
    @Test(
        "an instant and random bytes become a version-7 UUID of RFC 9562 that keeps the milliseconds and 74 random bits",
        arguments: [
            // RFC 9562, appendix A.6: 2022-02-22T14:22:22-05:00, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
            (1_645_557_742_000, "0CC318C4DC0C0C07398F", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"),
            (0, "FFFFFFFFFFFFFFFFFFFF", "00000000-0000-7fff-bfff-ffffffffffff"),
            (281_474_976_710_655, "00000000000000000000", "ffffffff-ffff-7000-8000-000000000000"),
        ])
    func version7(milliseconds: Int64, random: String, text: String) throws {
        let random = try #require(Hexadecimal.bytes(random))
        let id = LowercaseUUID(version7At: Instant(milliseconds: milliseconds), random: random)
        #expect(id.description == text)
        #expect(LowercaseUUID(text) == id)
    }

    @Test("version-7 UUIDs of later instants come later, whatever is random about them")
    func version7Order() {
        var generator = SeededGenerator(seed: 3)
        let ids = stride(from: Int64(1_700_000_000_000), to: 1_700_100_000_000, by: 977).map { milliseconds in
            LowercaseUUID(
                version7At: Instant(milliseconds: milliseconds),
                random: (0..<10).map { _ in .random(in: .min ... .max, using: &generator) })
        }
        #expect(ids == ids.sorted())
    }

    @Test("a UUID of any case is kept in lower case")
    func lowers() {
        let expected = "6dd1fe4b-5ad0-4a5b-8a8e-0123456789ab"
        #expect(LowercaseUUID("6DD1FE4B-5AD0-4A5B-8A8E-0123456789AB")?.description == expected)
        #expect(LowercaseUUID("6dd1fe4b-5ad0-4A5B-8a8e-0123456789aB")?.description == expected)
        #expect(LowercaseUUID("6DD1FE4B-5AD0-4A5B-8A8E-0123456789AB") == LowercaseUUID(expected))
    }

    @Test(
        "anything without the form 8-4-4-4-12 is refused",
        arguments: [
            "", "6dd1fe4b5ad04a5b8a8e0123456789ab", "{6dd1fe4b-5ad0-4a5b-8a8e-0123456789ab}",
            "6dd1fe4b-5ad0-4a5b-8a8e-0123456789a", "6dd1fe4b-5ad0-4a5b-8a8e-0123456789abc",
            "6dd1fe4b-5ad0-4a5b-8a8e-0123456789ag", "6dd1fe4b-5ad04-a5b-8a8e-0123456789ab",
            "6dd1fe4b_5ad0_4a5b_8a8e_0123456789ab", "6dd1fe4b-5ad0-4a5b-8a8e-0123456789é",
            "-dd1fe4b-5ad0-4a5b-8a8e-0123456789ab", " 6dd1fe4b-5ad0-4a5b-8a8e-0123456789a",
        ])
    func refuses(_ text: String) {
        #expect(LowercaseUUID(text) == nil)
    }

    @Test(
        "random bytes become a version-4 UUID of RFC 9562 and keep their other 122 bits (invariant 8)",
        arguments: [
            ([UInt8](repeating: 0x00, count: 16), "00000000-0000-4000-8000-000000000000"),
            ([UInt8](repeating: 0xFF, count: 16), "ffffffff-ffff-4fff-bfff-ffffffffffff"),
            ([UInt8](0..<16), "00010203-0405-4607-8809-0a0b0c0d0e0f"),
        ])
    func versionFour(_ bytes: [UInt8], _ text: String) {
        #expect(LowercaseUUID(version4From: bytes).description == text)
    }

    @Test("every UUID of Foundation is read as the same UUID in lower case")
    func foundation() {
        for _ in 0..<200 {
            let uuid = UUID()
            #expect(LowercaseUUID(uuid.uuidString)?.description == uuid.uuidString.lowercased())
        }
    }

    @Test("a random source gives a fresh UUID each time, and its failure is passed on")
    func randomSource() throws {
        let source = CountingSource()
        #expect(try source.uuid().description == "01010101-0101-4101-8101-010101010101")
        #expect(throws: CountingSource.Empty.self) { try CountingSource(isEmpty: true).uuid() }
    }

    @Test("JSON carries lower case")
    func coding() throws {
        let value = try #require(LowercaseUUID("6DD1FE4B-5AD0-4A5B-8A8E-0123456789AB"))
        let written = String(decoding: try JSONEncoder().encode([value]), as: UTF8.self)
        #expect(written == #"["6dd1fe4b-5ad0-4a5b-8a8e-0123456789ab"]"#)
    }
}

private struct CountingSource: RandomSource {
    struct Empty: Error {}
    var isEmpty = false

    func bytes(_ count: Int) throws -> [UInt8] {
        guard !isEmpty else { throw Empty() }
        return [UInt8](repeating: 1, count: count)
    }
}

import Foundation
import OfferModel
import Testing

@Suite("Instants in JSON")
struct InstantCodingTests {
    @Test(
        "a moment is written and read as whole milliseconds",
        arguments: [0, -1, 1_700_000_000_123, Int64.max, Int64.min])
    func wholeMilliseconds(_ milliseconds: Int64) throws {
        let data = try JSONEncoder().encode([Instant(milliseconds: milliseconds)])
        #expect(String(decoding: data, as: UTF8.self) == "[\(milliseconds)]")
        #expect(try JSONDecoder().decode([Instant].self, from: data) == [Instant(milliseconds: milliseconds)])
    }

    @Test(
        "what is not a number of milliseconds is refused (invariant 10)",
        arguments: ["9223372036854775808", "1e300", "0.5", "true", "\"1700000000123\"", "null", "{}", "[]"])
    func refuses(_ json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Instant].self, from: Data("[\(json)]".utf8))
        }
    }
}

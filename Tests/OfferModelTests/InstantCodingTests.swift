import Foundation
import OfferModel
import Testing

@Suite("Instants in JSON")
struct InstantCodingTests {
    @Test(
        "a whole number is read as it is, a fraction is rounded down",
        arguments: [
            ("0", 0), ("1700000000123", 1_700_000_000_123), ("1700000000123.9", 1_700_000_000_123),
            ("-0.5", -1), ("-1", -1), ("1.7e12", 1_700_000_000_000), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min),
        ] as [(String, Int64)])
    func reads(_ json: String, _ milliseconds: Int64) throws {
        let values = try JSONDecoder().decode([Instant].self, from: Data("[\(json)]".utf8))
        #expect(values == [Instant(milliseconds: milliseconds)])
    }

    @Test(
        "what is not a number of milliseconds is refused (invariant 10)",
        arguments: ["9223372036854775808", "1e300", "-1e19", "true", "\"1700000000123\"", "null", "{}", "[]"])
    func refuses(_ json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Instant].self, from: Data("[\(json)]".utf8))
        }
    }

    @Test("a moment is written as whole milliseconds", arguments: [0, -1, 1_700_000_000_123, Int64.max, Int64.min])
    func writes(_ milliseconds: Int64) throws {
        let data = try JSONEncoder().encode([Instant(milliseconds: milliseconds)])
        #expect(String(decoding: data, as: UTF8.self) == "[\(milliseconds)]")
    }
}

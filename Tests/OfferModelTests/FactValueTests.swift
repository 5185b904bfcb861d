import Foundation
import OfferModel
import Testing

@Suite("Values of facts")
struct FactValueTests {
    private static let samples: [(FactValue, String)] = [
        (.text("expired"), #""expired""#), (.text("50"), #""50""#), (.number(50), "50"), (.number(0.5), "0.5"),
        (.number(-3), "-3"), (.boolean(true), "true"), (.boolean(false), "false"),
        (.money(Money(milliunits: 9_990, currency: "USD")), #"{"amount":"9.99","currency":"USD"}"#),
        (.instant(Instant(milliseconds: 1_796_083_200_000)), #"{"at":1796083200000}"#),
    ]

    @Test("a value is written as JSON", arguments: samples)
    func coding(_ value: FactValue, _ json: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode([value]), as: UTF8.self) == "[\(json)]")
    }

    @Test(
        "a value is shown as people write it",
        arguments: [
            (.text("expired"), "expired"), (.number(50), "50"), (.number(0.5), "0.5"), (.number(-0.0), "0"),
            (.boolean(true), "true"), (.money(Money(milliunits: 9_990, currency: "USD")), "9.99 USD"),
            (.instant(Instant(milliseconds: 1_796_083_200_000)), "2026-12-01T00:00:00Z"),
            (.number(1e300), "1e+300"),
        ] as [(FactValue, String)])
    func description(_ value: FactValue, _ text: String) {
        #expect(value.description == text)
    }

    @Test("texts are compared byte by byte")
    func textEquality() {
        #expect((FactValue.text("caf\u{E9}") == .text("cafe\u{301}")) == false)
        #expect(Set([FactValue.text("caf\u{E9}"), .text("cafe\u{301}"), .text("caf\u{E9}")]).count == 2)
        #expect(FactValue.text("1") != .number(1))
        #expect(FactValue.number(1) == .number(1))
    }
}

import Foundation
import Testing

@testable import OfferEligibility

@Suite("a message written when it is read")
struct MessageTests {
    @Test("in JSON, equality and hashing a finding has its text, however that is made")
    func text() throws {
        let made = Finding(
            rule: .catalogStatus, verdict: .satisfied, reason: .holds, sentence: Message { "it " + "holds" })
        var other = Finding(rule: .catalogStatus, verdict: .satisfied, reason: .holds, message: "it holds")
        #expect(made == other)
        #expect(made.hashValue == other.hashValue)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = try encoder.encode(made)
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"{"evidence":[],"message":"it holds","reason":"holds","rule":"catalog.status","verdict":"satisfied"}"#
        )
        #expect(try JSONDecoder().decode(Finding.self, from: text) == made)
        other.message = "it does not"
        #expect(made != other)
        #expect(other.message == "it does not")
    }
}

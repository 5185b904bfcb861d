import Testing

@testable import OfferModel

@Suite("a message written when it is read")
struct MessageTests {
    @Test("in equality and hashing a finding has its text, however that is made")
    func text() {
        let made = Finding(
            rule: .catalogStatus, verdict: .satisfied, reason: .holds, sentence: Message { "it " + "holds" })
        var other = Finding(rule: .catalogStatus, verdict: .satisfied, reason: .holds, message: "it holds")
        #expect(made == other)
        #expect(made.hashValue == other.hashValue)
        #expect(made.message == "it holds")
        other.message = "it does not"
        #expect(made != other)
        #expect(other.message == "it does not")
    }
}

import OfferModel
import Testing

@testable import OfferApplication

@Suite("Who a record names")
struct RecordedActorTests {
    @Test(
        "a key and a person are told apart as they were written, whatever the name is",
        arguments: ["anna", "Anna (shop)", ")", "(", " (", "a) (b", "\u{301}", "\u{600}", "😀", "anna@example.com"])
    func person(_ name: String) {
        var caller = Caller(
            apiKeyId: "8687cfbe13d5364d", scope: Scope(bundleId: "com.example.pro", environment: .sandbox),
            role: .marketing)
        caller.person = name
        let actor = RecordedActor(caller.actor)
        #expect(actor.key == "8687cfbe13d5364d")
        #expect(actor.person.map { Array($0.utf8) } == Array(name.utf8))
    }

    @Test(
        "a key without a person and a command are themselves",
        arguments: ["8687cfbe13d5364d", "offerd serve", "", "a (b"])
    func alone(_ text: String) {
        let actor = RecordedActor(text)
        #expect(actor.key == text && actor.person == nil)
    }
}

import CommandLineSupport
import Foundation
import OfferAPI
import OfferModel
import Testing

@testable import OfferctlCommands

@Suite("text of dry-run")
struct DecisionTextTests {
    static let now = Instant(milliseconds: 1_795_298_400_000)

    @Test(
        "a decision reads as its golden file",
        arguments: ["not-eligible", "eligible", "undetermined", "trial-used", "client-key", "hostile"])
    func explanation(_ name: String) throws {
        let body = try Fixture.body("dry-run/\(name).json", as: DecisionsBody.self)
        let decision = try #require(body.decisions.first)
        let text = DecisionText(palette: .plain, now: Self.now).explanation(decision)
        #expect(try text + "\n" == Fixture.text("dry-run/\(name).txt"))
    }

    @Test("every offer at once shows only what stands against each, and the best")
    func overview() throws {
        let body = try Fixture.body("dry-run/overview.json", as: DecisionsBody.self)
        let text = DecisionText(palette: .plain, now: Self.now).overview(body)
        #expect(try text + "\n" == Fixture.text("dry-run/overview.txt"))
    }

    @Test("one answer reads as its golden file at each level of detail", arguments: DetailLevel.allCases)
    func detail(_ detail: DetailLevel) throws {
        let body = try Fixture.body("dry-run/ticket.json", as: DecisionsBody.self)
        let decision = try #require(body.decisions.first)
        let text = DecisionText(palette: .plain, now: Self.now).explanation(decision, detail: detail)
        #expect(try text + "\n" == Fixture.text("dry-run/ticket-\(detail.rawValue).txt"))
    }

    @Test("every offer at once reads like the answer to a ticket")
    func ticket() throws {
        let body = try Fixture.body("dry-run/ticket.json", as: DecisionsBody.self)
        let text = DecisionText(palette: .plain, now: Self.now).overview(body)
        #expect(try text + "\n" == Fixture.text("dry-run/ticket.txt"))
    }

    @Test("without an eligible offer that is said")
    func noBest() throws {
        var body = try Fixture.body("dry-run/not-eligible.json", as: DecisionsBody.self)
        #expect(
            DecisionText(palette: .plain, now: Self.now).overview(body).hasSuffix("\n\nno offer for this customer now"))
        body.decisions = []
        #expect(DecisionText(palette: .plain, now: Self.now).overview(body) == "the catalog has no offers")
    }

    @Test("colours add escape sequences and change nothing else")
    func colours() throws {
        let body = try Fixture.body("dry-run/not-eligible.json", as: DecisionsBody.self)
        let decision = try #require(body.decisions.first)
        let coloured = DecisionText(palette: .ansi, now: Self.now).explanation(decision)
        #expect(coloured.hasPrefix("\u{1B}[1mcomeback-half-price\u{1B}[0m: \u{1B}[31mnot eligible\u{1B}[0m\n"))
        #expect(coloured.contains("\u{1B}[32m✓\u{1B}[0m the offer is active"))
        let bare = coloured.replacing(#/\u{1B}\[[0-9]+m/#, with: "")
        #expect(try bare + "\n" == Fixture.text("dry-run/not-eligible.txt"))
    }
}

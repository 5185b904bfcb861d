import Foundation
import OfferApplication
import OfferModel
import Testing

@testable import OfferConsole

@Suite("Script in what is stored")
struct ScriptInjectionTests {
    /// What browsers would run, alone and joined to a character before or after, as U+0600 and accents join.
    static let attacks = [
        "<img src=x onerror=alert(1)>", "\"><img src=x>", "'><img src=x>", "{{{q}}}<img src=x>", "{{#q}}",
        "\u{0600}<img src=x onerror=alert(1)>\u{0600}\"\u{0301} autofocus onfocus=alert(1) x=\"\u{0301}",
        "<\u{0338}img src=x>\u{0600}&lt;\u{0600}'\u{0301}",
    ]

    /// Whether a page shows the text and has no markup of it.
    func expectHarmless(_ page: Page, _ attack: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!page.hasBytes("<img"), sourceLocation: sourceLocation)
        #expect(page.hasBytes(PageText().escapeText(attack)), "\(page.text)", sourceLocation: sourceLocation)
        let joined = ["\u{0600}<", "\u{0600}\"", "\u{0600}'", "\"\u{0301}", "'\u{0301}", "<\u{0338}"]
        for markup in joined { #expect(!page.hasBytes(markup), sourceLocation: sourceLocation) }
    }

    @Test("a customerId, an attribute, a reason, a name and a search are texts on every page", arguments: attacks)
    func stored(_ attack: String) async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let issued = try await console.issue("100", customerId: attack)
            let attribute = #"{"customer":{"originalTransactionId":"100"},"attributes":{"plan":\#(try json(attack))}}"#
            _ = try await console.ask(
                "PUT", "/v1/customers/attributes", token: try await console.token(.client), body: attribute)
            let session = try await console.signIn(try await console.token(.support), name: attack)

            expectHarmless(try await console.get("/console/customers?q=100", session), attack)
            let named = "/console/customers?q=\(ConsoleFixture.encoded(attack))"
            expectHarmless(try await console.get(named, session), attack)
            let missing = "/console/customers?q=\(ConsoleFixture.encoded("none \(attack)"))"
            let search = try await console.get(missing, session)
            #expect(search.status == 404)
            expectHarmless(search, attack)

            let offer = try await console.get("/console/issued-offers/\(issued)", session)
            let token = try #require(offer.formToken)
            let voided = try await console.post(
                "/console/issued-offers/\(issued)/void", [("formToken", token), ("reason", attack)], session)
            #expect(voided.status == 303, "\(voided.text)")
            expectHarmless(try await console.get("/console/issued-offers/\(issued)", session), attack)
            expectHarmless(try await console.get("/console/customers?q=100", session), attack)
        }
    }

    @Test("an unknown offer, a cursor, a path and what was typed into the check are texts", arguments: attacks)
    func reflected(_ attack: String) async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            _ = try await console.issue("100")
            let session = try await console.signIn()
            let encoded = ConsoleFixture.encoded(attack)
            expectHarmless(try await console.get("/console/customers?q=100&offer=\(encoded)", session), attack)
            expectHarmless(try await console.get("/console/customers?q=100&cursor=\(encoded)", session), attack)
            expectHarmless(try await console.get("/console/issued-offers/\(encoded)", session), attack)
            expectHarmless(try await console.get("/console/decisions/\(encoded)", session), attack)
            let form = try await console.get("/console/signatures", session)
            let checked = try await console.post(
                "/console/signatures",
                [("formToken", try #require(form.formToken)), ("format", "v2"), ("signature", attack)], session)
            expectHarmless(checked, attack)
        }
    }

    @Test("an API key's label, a webhook's name and a reload's failure are texts to operators", arguments: attacks)
    func operations(_ attack: String) async throws {
        let webhook = OperationsTests.webhook(named: attack)
        let reload = ServerState.Reload(at: ConsoleFixture.start, failure: attack)
        try await ConsoleFixture.run(webhooks: [webhook], own: { $0.lastReload = reload }) { console in
            let token = try await console.useCases.apiKeys.create(
                scope: ConsoleFixture.scope, role: .admin, label: attack)
            let session = try await console.signIn(token.text, name: attack)
            let page = try await console.get("/console/operations", session)
            expectHarmless(page, attack)
            let shown = PageText().escapeText(attack)
            let places = ["refused:</strong> \(shown)</dd>", "<strong>\(shown)</strong>", "</span> \(shown)<br>"]
            for place in places { #expect(page.hasBytes(place), "\(place)") }
            let form = ("formToken", try #require(page.formToken))
            let tried = try await console.post("/console/operations/test", [form, ("webhook", attack)], session)
            #expect(tried.status == 200)
            expectHarmless(tried, attack)
            let typed = try await console.post("/console/operations/resend", [form, ("event", attack)], session)
            #expect(typed.status == 404)
            expectHarmless(typed, attack)
        }
    }

    private func json(_ text: String) throws -> String {
        // `replacing` leaves a quotation mark that is part of a longer character.
        String(decoding: try JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed), as: UTF8.self)
    }

    @Test("every byte that is markup is escaped, whatever character it is part of")
    func escape() {
        #expect(PageText().escapeText("\u{0600}<a>\"\u{0301}'&") == "\u{0600}&lt;a&gt;&quot;\u{0301}&#39;&amp;")
    }

    @Test("every template is read")
    func templates() throws {
        _ = try Templates.library.get()
    }
}

import Foundation
import OfferDocuments
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole

@Suite("The form for an offer beside the catalog's text")
struct OfferFormTests {
    private static let page = "/console/catalog"
    private static let text = "# ours\n" + ConsoleFixture.campaign
    private static let entry = [
        ("offerId", "half"), ("type", "promotional"), ("offerIdentifier", "half_price"), ("products", "monthly"),
        ("paymentMode", "payAsYouGo"), ("period", "P1M"), ("periodCount", "3"), ("price", "4.99"),
        ("where", "subscription.state is expired"), ("perCustomer", "1"), ("total", "500"), ("budget", ""),
        ("starts", ""), ("ends", ""), ("status", "active"),
    ]

    private func send(
        _ console: ConsoleFixture, _ session: String, _ changed: [String: String] = [:], text: String = text,
        to action: String = "/console/catalog/add", _ more: [(String, String)] = []
    ) async throws -> Page {
        let entry = Self.entry.map { ($0.0, changed[$0.0] ?? $0.1) }
        let fields = [("text", text.replacing("\n", with: "\r\n")), ("revision", "1")]
        return try await console.send(action, from: Self.page, session, fields + entry + more)
    }

    /// The text in the editor of a page, as a browser reads it.
    private func typed(_ page: Page) throws -> String {
        let match = try #require(page.text.firstMatch(of: /(?s)<textarea[^>]*>\n(.*)<\/textarea>/), "\(page.text)")
        let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        return marks.reduce(String(match.output.1)) { $0.replacing($1.0, with: $1.1) }
    }

    @Test("adds the offer behind the others of the text, plans it, and applies nothing")
    func add() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.text)
            let session = try await console.signIn(.marketing)
            let begun = try await console.get(Self.page, session).text
            #expect(
                begun.contains("<option selected>promotional</option>") && begun.contains("<option>yearly</option>"))
            let page = try await send(console, session)
            #expect(page.status == 200, "\(page.text)")
            let text = try typed(page)
            #expect(text.hasPrefix(Self.text), "what was there stays as it is")
            let catalog = try CatalogReader.read(text).value
            let offer = try #require(catalog.offers.last)
            #expect(catalog.offers.count == 3 && offer.id == "half" && offer.offerIdentifier == "half_price")
            #expect(
                offer.price == Money(milliunits: 4_990, currency: "USD") && offer.limits.contains(.total(count: 500)))
            #expect(page.text.contains("1 change to revision 1; nothing was applied"))
            #expect(page.text.contains("<dt>customers get</dt><dd>4.99 USD per month for 3 months</dd>"))
            #expect(page.text.contains(#"name="offerId" value="""#), "the form is empty for the next one")
            #expect(try await console.offers().count == 2)
        }
    }

    @Test("what cannot be added is refused in words, and the text and the form stay as they are")
    func refused() async throws {
        let wrong: [(changed: [String: String], status: Int, words: String)] = [
            (["offerId": "comeback"], 400, "offer `comeback` is given twice"),
            (["offerId": ""], 400, "missing key `id`"),
            (["products": "weekly"], 400, "unknown product `weekly`"), (["price": "4,99"], 400, "is not an amount"),
            (["where": "subscription.stat is expired"], 400, "did you mean `subscription.state`?"),
            (["offerId": "a\n  - id: b"], 400, "is not a name"), (["starts": "soon"], 400, "`starts`: "),
            (["offerId": String(repeating: "a", count: 10_000)], 400, "is not a name"),
        ]
        try await ConsoleFixture.run { console in
            try await console.apply(Self.text)
            let session = try await console.signIn(.marketing)
            for (changed, status, words) in wrong {
                let page = try await send(console, session, changed)
                #expect(
                    page.status == status && page.says(words), "\(changed): \(page.text)")
                #expect(try typed(page) == Self.text)
                #expect(page.text.contains(#"name="offerIdentifier" value="half_price""#))
            }
            let broken = try await send(console, session, text: Self.text + "- {\n")
            #expect(broken.status == 422 && broken.text.contains("line "))
            let room = ConsoleSite.editorBytes - Self.text.utf8.count - 50
            let full = try await send(console, session, text: Self.text + String(repeating: "#", count: room))
            #expect(full.status == 400 && full.text.contains("with the offer the catalog has "))
            #expect(try typed(full).utf8.count == ConsoleSite.editorBytes - 50)
        }
    }

    @Test("several products are chosen from the list, and a plan keeps what is in the form")
    func list() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.text)
            let session = try await console.signIn(.marketing)
            let page = try await send(
                console, session, ["status": "draft"], to: "\(Self.page)/plan", [("products", "yearly")])
            #expect(page.status == 200, "\(page.text)")
            #expect(page.text.contains("<option selected>monthly</option>\n<option selected>yearly</option>"))
            #expect(page.text.contains("<option selected>draft</option>"))
            #expect(page.text.contains(#"name="offerId" value="half""#))
            let twice = try await send(console, session, to: Self.page, [("period", "P1M")])
            #expect(twice.status == 400 && twice.text.contains("is given twice"), "only products are a list")
        }
    }

    @Test("what is typed into the form is text on the page", arguments: StoredText.attacks)
    func attacks(_ attack: String) async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.text)
            let session = try await console.signIn(.marketing)
            for name in ["offerId", "offerIdentifier", "price", "where", "total", "starts"] {
                let page = try await send(console, session, [name: attack])
                #expect(page.status == 400 && !page.hasBytes("<img"), "\(name): \(page.text)")
                #expect(page.hasBytes(PageText().escapeText(attack)), "\(name)")
            }
        }
    }

    /// What a page's form for an offer has, with changes.
    private func filled(_ page: Page, _ changed: [String: String]) throws -> [(String, String)] {
        let form = try #require(page.text.firstRange(of: "<fieldset id=\"entry\"")).lowerBound
        var fields: [(String, String)] = []
        for input in page.text[form...].matches(of: /<input[^>]* name="([^"]*)" value="([^"]*)"/) {
            fields.append((String(input.output.1), String(input.output.2)))
        }
        for list in page.text[form...].matches(of: /(?s)<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/) {
            for option in list.output.2.matches(of: /<option selected>([^<]*)</) {
                fields.append((String(list.output.1), String(option.output.1)))
            }
        }
        let names = Self.entry.map(\.0) + ["filled", "chosen"]
        return fields.filter { names.contains($0.0) }.map { ($0.0, changed[$0.0] ?? $0.1) }
    }

    private func change(
        _ console: ConsoleFixture, _ session: String, _ page: Page, _ changed: [String: String], text: String = text
    ) async throws -> Page {
        try await console.send(
            "\(Self.page)/add", from: Self.page, session,
            [("text", text.replacing("\n", with: "\r\n")), ("revision", "1")] + filled(page, changed))
    }

    @Test("an offer's page leads to the form with its values, and only what is changed there is changed in the text")
    func change() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.text)
            let session = try await console.signIn(.marketing)
            let target = "\(Self.page)?offer=comeback"
            let offer = try await console.get("/console/offers/comeback", session)
            #expect(offer.text.contains(#"<a href="\#(target)#entry">Change in a form</a>"#), "\(offer.text)")
            let page = try await console.get(target, session)
            #expect(page.status == 200 && page.text.contains("<legend>Change comeback</legend>"), "\(page.text)")
            #expect(page.text.contains(#"<input type="hidden" name="offerId" value="comeback">"#))
            #expect(
                page.text.contains(#"name="budget" value="280.00""#)
                    && page.text.contains("<option selected>comeback</option>"))
            let same = try await change(console, session, page, [:])
            #expect(try typed(same) == Self.text && same.text.contains("no changes: identical to revision 1"))
            let changed = try await change(console, session, page, ["budget": "300.00"])
            #expect(changed.status == 200, "\(changed.text)")
            #expect(try typed(changed) == Self.text.replacing("280.00", with: "300.00"))
            #expect(changed.text.contains("1 change to revision 1; nothing was applied"))
            #expect(changed.text.contains("<legend>A new offer</legend>"), "the form is empty for the next one")
            #expect(try typed(try await console.get(Self.page, session)) == Self.text, "nothing was applied")
        }
    }

    @Test("any offer of a text that is typed fills the form, and what is typed there stays when it is refused")
    func fill() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.text)
            let session = try await console.signIn(.marketing)
            let text = Self.text.replacing("280.00", with: "290.00") + "# typed\n"
            let fields = [("text", text), ("revision", "1"), ("fill", "true"), ("chosen", "comeback")]
            let page = try await console.send("\(Self.page)/add", from: Self.page, session, fields)
            #expect(page.status == 200 && page.text.contains(#"name="budget" value="290.00""#), "\(page.text)")
            #expect(try typed(page) == text)
            let wrong: [(changed: [String: String], status: Int, words: String)] = [
                (["price": "4,99"], 400, "is not an amount"), (["ends": "soon"], 400, "`ends`: "),
                (["status": ""], 400, "missing key `status`"), (["products": ""], 400, "`products`"),
                (["offerId": "nope"], 400, "the text has no such offer"),
                (["filled": "0"], 400, "since the form was filled"),
                (["offerId": "either"], 400, "since the form was filled"),
            ]
            for (change, status, words) in wrong {
                let refused = try await self.change(console, session, page, change, text: text)
                #expect(refused.status == status && refused.says(words), "\(change): \(refused.text)")
                #expect(try typed(refused) == text)
                #expect(refused.text.contains(#"name="filled" value="#), "it is still the form of this offer")
            }
            let commented = text.replacing("{ count: 500 }", with: "{ count: 500 } # cap\n     ")
            let unclear = try await change(console, session, page, ["total": ""], text: commented)
            #expect(
                unclear.status == 400 && unclear.says("is not written so that the form can change this"),
                "\(unclear.text)")
            #expect(try typed(unclear) == commented)
            let none = try await console.send(
                "\(Self.page)/add", from: Self.page, session,
                [("text", text), ("revision", "1"), ("fill", "true"), ("chosen", "")])
            #expect(none.status == 200 && none.text.contains("<legend>A new offer</legend>"))
            for (chosen, status) in [("nope", 404), ("a\u{7}", 400), ("<img>", 404)] {
                let answer = try await console.send(
                    "\(Self.page)/add", from: Self.page, session,
                    [("text", text), ("revision", "1"), ("fill", "true"), ("chosen", chosen)])
                #expect(answer.status == status && !answer.hasBytes("<img"), "\(chosen): \(answer.text)")
            }
            #expect(try await console.get("\(Self.page)?offer=nope", session).status == 404)
            let support = try await console.signIn(.support)
            #expect(try await !console.get("/console/offers/comeback", support).text.contains("Change in a form"))
        }
    }

    @Test("what the form has no place for is named in the form")
    func kept() async throws {
        try await ConsoleFixture.run { console in
            let text = Self.text.replacing(
                "{ count: 1, per: customer }", with: "{ count: 1, per: customer, window: P30D }")
            try await console.apply(text)
            let session = try await console.signIn(.marketing)
            let page = try await console.get("\(Self.page)?offer=comeback", session)
            #expect(page.text.contains("The limits for each customer are more than a number of uses"), "\(page.text)")
            #expect(!page.text.contains(#"name="perCustomer""#))
            let changed = try await change(console, session, page, ["budget": "300.00"], text: text)
            #expect(try typed(changed) == text.replacing("280.00", with: "300.00"))
        }
    }

    @Test("who gains and loses an offer of a text that is not applied is counted, for marketing in tens")
    func audience() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.text)
            _ = try await console.issue("100")
            let session = try await console.signIn(.marketing)
            let plan = try await send(console, session)
            #expect(plan.text.contains(#"<button name="counted" value="half" formaction="/console/catalog/audience""#))
            let text = try typed(plan)
            let begun = try await send(console, session, text: text, to: "\(Self.page)/audience", [("counted", "half")])
            let target = try #require(begun["location"], "\(begun.text)")
            var page = try await console.get(target, session)
            while page.text.contains(#"<meta http-equiv="refresh" content="2">"#) {
                page = try await console.get(target, session)
            }
            #expect(page.words.contains("Counted all customers, by a text that was not applied."), "\(page.text)")
            #expect(!page.text.contains("lose the offer"), "a new offer has no customers who lose it")
            let changed = text.replacing("period: P1M", with: "period: P2M")
            let compared = try await send(
                console, session, text: changed, to: "\(Self.page)/audience", [("counted", "comeback")])
            let second = try #require(compared["location"], "\(compared.text)")
            var known = try await console.get(second, session)
            while known.text.contains("http-equiv") { known = try await console.get(second, session) }
            #expect(known.words.contains("by a text that was not applied, compared with revision 1."), "\(known.text)")
            #expect(
                known.hasRow(["gain the offer", "fewer than 10"]) && known.hasRow(["lose the offer", "fewer than 10"]))
            #expect(!page.text.contains(#"href="/console/offers/half""#), "it has no page yet")
            for (counted, status) in [("nope", 404), ("", 404), ("a\u{7}", 400)] {
                let answer = try await send(
                    console, session, text: text, to: "\(Self.page)/audience", [("counted", counted)])
                #expect(answer.status == status, "\(counted.debugDescription): \(answer.text)")
            }
            let broken = try await send(console, session, text: "{", to: "\(Self.page)/audience", [("counted", "half")])
            #expect(broken.status == 422 && broken.text.contains("line "), "\(broken.text)")
            try await console.apply(Self.text + "# another\n", on: 1)
            let stale = try await send(console, session, text: text, to: "\(Self.page)/audience", [("counted", "half")])
            #expect(stale.status == 412 && stale.text.contains("another catalog was applied in between: revision 2"))
            #expect(stale.text.contains(#"name="revision" value="2""#), "the next count is against what is in force")
        }
    }
}

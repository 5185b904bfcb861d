import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole

@Suite("What support reads on a customer's page")
struct SupportPageTests {
    private static let page = "/console/customers?q=100&kind=originalTransactionId"

    /// A trial four months before the start of the fixture, and two paid months.
    private static func scenario(_ more: [ScenarioStep]) -> Scenario {
        let price = Money(milliunits: 9_990, currency: "USD")
        return Scenario(
            bundleId: ConsoleFixture.scope.bundleId, environment: .localTesting,
            customer: ScenarioCustomer(appTransactionId: "app-100", originalTransactionId: "100"),
            steps: [
                .trial(
                    product: "monthly", group: "21500001", at: .fixed(ConsoleFixture.start.adding(months: -4)),
                    length: Period(days: 7), period: Period(months: 1), price: price), .renew(times: 2),
            ] + more)
    }

    private static func deliver(_ scenario: Scenario, to console: ConsoleFixture) async throws {
        let signed = try console.appStore.sign(scenario, now: console.clock.now)
        let body: [String: Any] = [
            "signedTransactions": signed.signedTransactions, "signedRenewalInfo": signed.signedRenewalInfo,
            "historyComplete": true, "customer": ["customerId": "ada"],
        ]
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        _ = try await console.ask("POST", "/v1/transactions", token: try await console.token(.client), body: text)
    }

    private static func read(_ console: ConsoleFixture, _ target: String, _ session: String) async throws -> PageElement
    {
        try PageReader.read(try await console.get(target, session).body)
    }

    @Test("an identifier of two Apple Accounts leads to each of them, with the search above")
    func namesakes() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            _ = try await console.issue("100")
            _ = try await console.issue("200")
            _ = try await console.issue("300", customerId: "bea")
            let session = try await console.signIn()
            for target in ["/console/customers?q=ada", "/console/customers?q=ada&kind=customerId"] {
                let answer = try await console.get(target, session)
                #expect(answer.status == 409)
                let page = try PageReader.read(answer.body)
                #expect(page.all("input", ["id": "q"]).first?.attributes["value"] == "ada")
                let alert = try #require(page.all("div", ["role": "alert"]).first)
                #expect(
                    alert.all("p").map(\.words) == ["the identifiers name 2 different Apple accounts. Which one is it?"]
                )
                #expect(
                    alert.all("li").map(\.words) == [
                        "Customer 100: originalTransactionId 100 appTransactionId app-100 customerId ada",
                        "Customer 200: originalTransactionId 200 appTransactionId app-200 customerId ada",
                    ])
                let links = alert.all("a").compactMap { $0.attributes["href"] }
                #expect(links == ["100", "200"].map { "/console/customers?q=\($0)&kind=originalTransactionId" })
                for link in links { #expect(try await console.get(link, session).status == 200) }
            }
        }
    }

    @Test("of every reason what is in the way comes first, and all are in the words of offerctl")
    func findings() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(TestCatalog.head + TestCatalog.comeback("winter", to: "subscribed"))
            try await Self.deliver(
                Self.scenario([.cancel(at: .fixed(ConsoleFixture.start.adding(months: -2))), .expire()]), to: console)
            let session = try await console.signIn()
            let page = try await Self.read(console, "\(Self.page)&offer=winter", session)
            let items = try #require(page.section("offers")).all("ul", ["class": "findings"]).flatMap { $0.all("li") }
            let verdicts = items.map {
                $0.all("span", ["class": "badge \($0.attributes["class"] ?? "")"]).first?.words ?? ""
            }
            #expect(verdicts.first == "does not hold")
            #expect(verdicts.filter { $0 == "does not hold" }.count == 1)
            let order = ["does not hold", "cannot be decided", "holds", "does not apply"]
            #expect(verdicts == verdicts.sorted { order.firstIndex(of: $0) ?? 9 < order.firstIndex(of: $1) ?? 9 })
            let first = try #require(items.first).words
            #expect(first.contains("subscription.state: seen expired, required subscribed; "), "\(first)")
            #expect(first.contains(" would change when the customer"), "\(first)")
            let paused = items.first { $0.words.contains("catalog.paused") }?.words ?? ""
            #expect(paused.contains("offer.pause: seen none, required none"), "\(paused)")
            #expect(!page.words.contains("notApplicable"))
        }
    }

    @Test("a purchase at full price right after a signature is told above all else, and leads to its entry")
    func fullPrice() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            _ = try await console.issue("100")
            let session = try await console.signIn()
            #expect(!(try await Self.read(console, Self.page, session).words.contains("Charged full price")))
            console.clock.advance(hours: 1)
            let bought = console.clock.now
            try await Self.deliver(
                Self.scenario([
                    .cancel(at: .fixed(ConsoleFixture.start.adding(months: -2))), .expire(),
                    .resubscribe(at: .fixed(bought)),
                ]), to: console)
            let page = try await Self.read(console, Self.page, session)
            let notice = try #require(page.all("p", ["class": "notice"]).first)
            #expect(
                notice.words.hasPrefix(
                    "Charged full price @\(bought.milliseconds): the offer comeback was signed but not used: the customer "
                        + "paid full price for monthly right after (transaction "), "\(notice.words)")
            let link = try #require(notice.all("a").first?.attributes["href"])
            let entry = try #require(page.all("li", ["id": String(link.dropFirst())]).first)
            #expect(entry.attributes["class"] == "boughtAtFullPrice")
            #expect(entry.all("span", ["class": "badge"]).map(\.words) == ["bought at full price"])
        }
    }

    @Test("of a subscription whose renewal is not known the page says why it is unknown")
    func stale() async throws {
        try await ConsoleFixture.run { console in
            try await Self.deliver(Self.scenario([.renew(times: 2)]), to: console)
            console.clock.advance(hours: 70 * 24)
            let page = try await Self.read(console, Self.page, try await console.signIn())
            let fields = try #require(page.section("subscriptions")?.all("div", ["class": "card"]).first).fields
            #expect(fields["State"] == "undetermined: a renewal was due and no newer renewal info is known")
            #expect(fields["Access"] == "unknown")
        }
    }

    @Test("as of a day before the first catalog the page says that there were no offers, and what else is as of now")
    func beforeTheCatalog() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            _ = try await console.issue("100")
            let session = try await console.signIn()
            let day = try await Self.read(console, "\(Self.page)&asOf=2026-05-01", session)
            let lines = try #require(day.section("offers")).all("p").map(\.words)
            #expect(lines == ["The rest of the page is as of now.", "The catalog had no offers."])
            let now = try await Self.read(console, Self.page, session).words
            #expect(!now.contains("as of now") && !now.contains("no offers"))
        }
    }

    @Test("an issued offer and a refusal lead to their customer, and a voided offer says until when it counts")
    func records() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let id = try await console.issue("100")
            let path = "/console/issued-offers/\(id)"
            let token = try await console.token(.client)
            let offer = try await console.ask("GET", "/v1/issued-offers/\(id)", token: token)
            let expires = try #require(offer["expiresAt"] as? Int64)
            let session = try await console.signIn()
            let link = ["href": Self.page]
            #expect(try await Self.read(console, path, session).all("a", link).map(\.words) == ["100"])
            let voided = try await console.send("\(path)/void", from: path, session, [("reason", "wrong account")])
            #expect(voided.status == 303)
            let released = try await Self.read(console, path, session).fields["Released"]
            #expect(released == "no: it counts until @\(expires + Instant.Duration.hour)")

            let refused = try await Browser.send(
                port: console.port, "POST", "/v1/issued-offers",
                [
                    ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"),
                ], body: #"{"offerId":"comeback","customer":{"originalTransactionId":"100"}}"#)
            let refusal = try #require(refused.text.firstMatch(of: /"decisionId":"([^"]+)"/), "\(refused.text)").output
                .1
            let decision = try await Self.read(console, "/console/decisions/\(refusal)", session)
            #expect(decision.all("a", link).map(\.words) == ["100"])
        }
    }

    private static let pasted = [
        "%", "\"%\"", "'%'", "jws: %", "jws: \"%\",", "“%”", " %\r\n", "\u{a0}%", #"{"jws":"%"}"#,
        #"{ "signatures": { "v2": { "jws": "%", "keyId": "K", "nonce": "n" } } }"#, #"  "jws" : "%", "nonce": "n""#,
    ]

    @Test("a signature is judged as it is, whatever a mail or a log put around or into it")
    func signature() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let id = try await console.issue("100")
            let offer = try await console.ask(
                "GET", "/v1/issued-offers/\(id)", token: try await console.token(.client))
            let jws = try #require(
                ((offer["signatures"] as? [String: Any])?["v2"] as? [String: Any])?["jws"] as? String)
            let session = try await console.signIn()
            func check(_ text: String, _ more: [(String, String)] = []) async throws -> Page {
                try await console.send(
                    "/console/signatures", from: "/console/signatures", session,
                    [("format", "v2"), ("signature", text), ("productId", "monthly")] + more)
            }
            let wrapped = jws.enumerated().map { ($0.isMultiple(of: 60) ? "\r\n  " : "") + String($1) }.joined()
            for text in Self.pasted.map({ $0.replacing("%", with: jws) }) + [wrapped] {
                let page = try await check(text)
                #expect(page.status == 200, "\(text)")
                #expect(page.text.contains(#"<span class="badge valid">valid</span>"#), "\(text): \(page.text)")
                #expect(page.text.contains("value=\"\(jws)\""), "what is judged is shown")
            }
            for text in ["", " ", "\"\"", "jws:", "::"] {
                let page = try await check(text)
                #expect(page.text.contains("<p>Needed to decide: The signature</p>"), "\(text): \(page.text)")
            }
            #expect(try await check(String(jws.dropLast(4)) + "\u{7}").status == 400)
        }
    }
}

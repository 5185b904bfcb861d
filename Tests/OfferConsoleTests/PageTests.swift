import Foundation
import OfferAPI
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole

@Suite("Pages")
struct PageTests {
    @Test("without the console there is nothing at its paths, and alone it has no API")
    func off() async throws {
        try await ConsoleFixture.run(isOn: false) { console in
            for path in ["/console", "/console/sign-in", "/console/style.css"] {
                let answer = try await console.get(path)
                #expect(answer.status == 404)
                #expect(answer["content-type"] == "application/problem+json")
            }
        }
        try await ConsoleFixture.run(alone: true) { console in
            for (path, status) in [("/console/sign-in", 200), ("/healthz", 404), ("/v1/offers", 404)] {
                let answer = try await console.get(path)
                #expect(answer.status == status, "\(path)")
            }
        }
    }

    @Test("errors are pages below /console and documents elsewhere, with the same words")
    func errors() async throws {
        try await ConsoleFixture.run { console in
            let session = try await console.signIn()
            let missing = try await console.get("/console/nowhere", session)
            #expect(missing.status == 404)
            #expect(missing.words.contains("there is nothing at `/console/nowhere`"))
            #expect(missing["content-type"] == "text/html; charset=utf-8")
            let method = try await Browser.send(port: console.port, "DELETE", "/console/customers")
            #expect(method.status == 405)
            #expect(method["allow"] == "GET, HEAD, OPTIONS")
            #expect(try await console.get("/v1/nowhere")["content-type"] == "application/problem+json")
            #expect(try await console.get("/consoles")["content-type"] == "application/problem+json")
        }
    }

    @Test("styles and the script are kept by browsers until they change")
    func files() async throws {
        try await ConsoleFixture.run { console in
            let style = try await console.get("/console/style.css")
            #expect(style["content-type"] == "text/css; charset=utf-8")
            let tag = try #require(style["etag"])
            let again = try await console.get("/console/style.css", nil, [("If-None-Match", tag)])
            #expect(again.status == 304)
            #expect(try await console.get("/console/console.js")["content-type"] == "text/javascript; charset=utf-8")
        }
    }

    @Test("a customer's page says what the API says, without JavaScript and in less than 100 KB")
    func customer() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let issued = try await console.issue("100")
            let (token, session) = (try await console.token(.support), try await console.signIn())
            let page = try await console.get("/console/customers?q=ada", session)
            #expect(page.status == 200, "\(page.text)")
            #expect(page.body.count < 100_000)
            func expect(_ value: Any?, sourceLocation: SourceLocation = #_sourceLocation) throws {
                let text = try #require(value as? String, sourceLocation: sourceLocation)
                #expect(page.says(text), "\(text)", sourceLocation: sourceLocation)
            }
            let story = try await console.ask("GET", "/v1/customers?identifier=ada", token: token)
            let timeline = try #require(story["timeline"] as? [[String: Any]])
            #expect(timeline.count > 3)
            for entry in timeline {
                try expect(entry["message"])
                let at = Instant(milliseconds: try #require(entry["at"] as? Int64))
                try expect(at.description)
            }
            for transaction in try #require(story["transactions"] as? [[String: Any]]) {
                try expect(transaction["transactionId"])
                if let price = transaction["price"] { try expect(price) }
            }
            for subscription in try #require(story["subscriptions"] as? [[String: Any]]) {
                try expect(subscription["state"])
            }
            for customer in try #require(story["customers"] as? [[String: Any]]) {
                for identifier in try #require(customer["identifiers"] as? [[String: Any]]) {
                    try expect(identifier["value"])
                }
            }
            for locale in ["en", "de", "es", "fr", "ja", "pt"] {
                let inquiry = #"{"customer":{"customerId":"ada"},"request":{"locale":"\#(locale)"}}"#
                let answer = try await console.ask("POST", "/v1/decisions", token: token, body: inquiry)
                let decisions = try #require(answer["decisions"] as? [[String: Any]])
                #expect(decisions.count == 2)
                for decision in decisions {
                    let explanation = try #require(decision["explanation"] as? [String: Any])
                    try expect(explanation["customerAnswer"])
                    try expect(explanation["sentence"])
                }
                let asOf = Instant(milliseconds: try #require(answer["dataAsOf"] as? Int64))
                try expect(asOf.description)
            }
            #expect(page.text.contains("/console/issued-offers/\(issued)"))
            #expect(page.text.contains("<svg"))
            #expect(page.text.contains("trial or introductory price, 2026-"))
        }
    }

    @Test("offers are decided as of a day, with every reason of one of them")
    func asOf() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            _ = try await console.issue("100")
            let day = console.clock.now.adding(milliseconds: 10 * Instant.Duration.day).description.prefix(10)
            console.clock.advance(hours: 40 * 24)
            let (token, session) = (try await console.token(.support), try await console.signIn())
            let past = try await console.get("/console/customers?q=100&asOf=\(day)&offer=comeback", session)
            let asOf = try #require(Instant(iso8601: "\(day)T00:00:00Z")).milliseconds
            let inquiry = #"{"customer":{"originalTransactionId":"100"},"offerIds":["comeback"],"asOf":\#(asOf)}"#
            let answer = try await console.ask("POST", "/v1/decisions", token: token, body: inquiry)
            let decision = try #require((answer["decisions"] as? [[String: Any]])?.first)
            let messages = try #require(decision["findings"] as? [[String: Any]]).compactMap {
                $0["message"] as? String
            }
            #expect(messages.count > 3)
            for message in messages {
                #expect(past.says(message), "\(message)")
            }
            #expect(past.text.contains("value=\"\(day)\""))
            let severalProducts = try await console.get("/console/customers?q=100&offer=either", session)
            #expect(severalProducts.text.contains("platform.promotional.everSubscribed"))
            let unknown = try await console.get("/console/customers?q=100&offer=nope", session)
            #expect(unknown.says("the catalog has no offer `nope`"), "\(unknown.text)")
            for wrong in ["2026-02-30", "yesterday", "2026-03-01T00:00:00Z"] {
                #expect(try await console.get("/console/customers?q=100&asOf=\(wrong)", session).status == 400)
            }
        }
    }

    @Test("a search finds a customer by any identifier, an issued offer and a refusal, and says what it does not find")
    func search() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let issued = try await console.issue("100")
            let session = try await console.signIn()
            for identifier in ["100", "app-100", "ada", "%20ada%20"] {
                #expect(
                    try await console.get("/console/customers?q=\(identifier)", session).status == 200, "\(identifier)")
            }
            let offer = try await console.get("/console/customers?q=\(issued.uppercased())", session)
            #expect(offer["location"] == "/console/issued-offers/\(issued)")
            let refused = try await Browser.send(
                port: console.port, "POST", "/v1/issued-offers",
                [
                    ("Authorization", "Bearer \(try await console.token(.client))"),
                    ("Content-Type", "application/json"),
                ], body: #"{"offerId":"comeback","customer":{"customerId":"stranger"}}"#)
            let id = try #require(refused.text.firstMatch(of: /"decisionId":"([^"]+)"/)).output.1
            let decision = try await console.get("/console/customers?q=\(id)", session)
            #expect(decision["location"] == "/console/decisions/\(id)")
            #expect(try await console.get("/console/decisions/\(id)", session).status == 200)
            let unknown = try await console.get("/console/customers?q=MK5TTTVWJH", session)
            #expect(unknown.status == 404)
            #expect(unknown.text.contains("no customer found"))
            #expect(unknown.text.contains("Ask Apple for this order"))
            let fields = [("formToken", try #require(unknown.formToken)), ("orderId", "MK5TTTVWJH")]
            let asked = try await console.post("/console/customers/refresh", fields, session)
            #expect(asked.status == 400)
            #expect(asked.text.contains("knows no purchases") || asked.text.contains("know no purchases"))
            #expect(try await console.get("/console/customers?q=", session).status == 200)
            let long = String(repeating: "a", count: 300)
            #expect(try await console.get("/console/customers?q=\(long)", session).status == 400)
        }
    }

    @Test("the search has the recent requests that found no customer, with what they named")
    func unmatched() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let session = try await console.signIn()
            #expect(!(try await console.get("/console/customers", session).text.contains("found no customer")))
            let refused = try await Browser.send(
                port: console.port, "POST", "/v1/issued-offers",
                [
                    ("Authorization", "Bearer \(try await console.token(.client))"),
                    ("Content-Type", "application/json"),
                ], body: #"{"offerId":"comeback","customer":{"customerId":"user-17"}}"#)
            let id = try #require(refused.text.firstMatch(of: /"decisionId":"([^"]+)"/), "\(refused.text)").output.1
            let page = try await console.get("/console/customers", session)
            #expect(page.text.contains("Recent requests that found no customer"))
            #expect(page.text.contains(#"<a href="/console/decisions/\#(id)">comeback</a>"#))
            #expect(page.text.contains("customerId <code data-copy>user-17</code>"))
        }
    }

    @Test("an issued offer's page replays its decision, and voids it once")
    func issuedOffer() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let path = "/console/issued-offers/\(try await console.issue("100"))"
            let session = try await console.signIn()
            let page = try await console.get(path, session)
            #expect(page.text.contains("Decided again, nothing differs."))
            let token = try #require(page.formToken)
            for reason in ["", " ", String(repeating: "a", count: 256), "a\u{7}"] {
                let fields = [("formToken", token), ("reason", reason)]
                #expect(try await console.post("\(path)/void", fields, session).status == 400)
            }
            let fields = [("formToken", token), ("reason", "wrong account"), ("release", "true")]
            #expect(try await console.post("\(path)/void", fields, session)["location"] == path)
            let voided = try await console.get(path, session)
            #expect(voided.text.contains("wrong account"))
            #expect(voided.text.contains("<dt>Released</dt><dd>yes</dd>"))
            #expect(!voided.text.contains("\(path)/void"), "no form for what is void")
        }
    }

    @Test("a signature that was pasted is judged in the service's words")
    func signature() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let session = try await console.signIn()
            let token = try #require(try await console.get("/console/signatures", session).formToken)
            func check(_ fields: [(String, String)]) async throws -> Page {
                try await console.post("/console/signatures", [("formToken", token)] + fields, session)
            }
            let unsigned = try await check([("format", "v1"), ("signature", "AAAA"), ("timestamp", "1780000000")])
            #expect(unsigned.status == 200 || unsigned.status == 400)
            #expect(unsigned.text.contains(#"value="AAAA""#), "what was typed stays")
            #expect(try await check([("format", "v1"), ("timestamp", "now")]).status == 400)
            #expect(try await check([("format", "v2"), ("signature", "a.b.c"), ("nonce", "x")]).status == 400)
        }
    }

    @Test("bars begin and end where purchases do, and each has its words")
    func chart() throws {
        let day = Instant.Duration.day
        let details = CustomerDetails { details in
            let periods: [(offer: Int?, from: Int64, to: Int64)] = [(1, 0, 10), (nil, 10, 40)]
            details.transactions = periods.map { offer, from, to in
                TransactionSummary { transaction in
                    transaction.originalTransactionId = "1"
                    transaction.productId = "monthly"
                    transaction.purchaseDate = Instant(milliseconds: from * day)
                    transaction.expiresDate = Instant(milliseconds: to * day)
                    transaction.offerType = offer
                }
            }
        }
        let group = GroupStatus { status in
            status.originalTransactionId = "1"
            status.state = "inBillingRetryPeriod"
            status.expiresAt = Instant(milliseconds: 40 * day)
            status.gracePeriodExpiresAt = Instant(milliseconds: 50 * day)
        }
        let now = Instant(milliseconds: 100 * day)
        let members = try #require(PurchaseChart(details, groups: [group], now: now)).members
        let row = try #require((members["rows"] as? [[String: Any]])?.first)
        let bars = try #require(row["bars"] as? [[String: Any]])
        #expect(bars.map { $0["kind"] as? String } == ["introductory", "paid", "grace", "retry"])
        #expect(bars.map { $0["x"] as? Int64 } == [0, 100, 400, 500])
        #expect(bars.map { $0["width"] as? Int64 } == [100, 300, 100, 500])
        #expect(
            row["words"] as? String
                == "trial or introductory price, 1970-01-01 to 1970-01-11; at full price, 1970-01-11 to 1970-02-10; grace period, 1970-02-10 to 1970-02-20; billing retry, 1970-02-20 to 1970-04-11"
        )
        #expect(PurchaseChart(CustomerDetails(), groups: [], now: now) == nil)
    }

    @Test("the server's own address leads a browser to the console, and tells a program where it is")
    func front() async throws {
        try await ConsoleFixture.run { console in
            for accept in ["text/html,application/xhtml+xml,*/*;q=0.8", "TEXT/HTML"] {
                let answer = try await console.get("/", nil, [("Accept", accept)])
                #expect(answer.status == 303 && answer["location"] == "/console", "\(answer.text)")
            }
            for headers in [[], [("Accept", "*/*")], [("Accept", "application/json")]] {
                let answer = try await console.get("/", nil, headers)
                #expect(answer.status == 404 && answer["content-type"] == "application/problem+json")
                #expect(answer.text.contains("not-found") && answer.text.contains("/console"), "\(answer.text)")
            }
            #expect(try await console.get("//", nil, [("Accept", "text/html")]).status == 404)
        }
        try await ConsoleFixture.run(isOn: false) { console in
            let answer = try await console.get("/", nil, [("Accept", "text/html")])
            #expect(answer.status == 404 && !answer.text.contains("/console"), "\(answer.text)")
        }
    }
}

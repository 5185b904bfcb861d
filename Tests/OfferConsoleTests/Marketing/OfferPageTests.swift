import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole

@Suite("Pages of offers")
struct OfferPageTests {
    @Test("the board has every offer by its standing, and what is left of totals and budgets, as the API says")
    func board() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            _ = try await console.issue("100")
            let session = try await console.signIn(.marketing)
            let page = try await console.get("/console/offers", session)
            #expect(page.status == 200, "\(page.text)")
            #expect(page.body.count < 100_000)
            for offer in try await console.offers() {
                let id = try #require(offer["offerId"] as? String)
                #expect(page.text.contains(#"<a href="/console/offers/\#(id)">\#(id)</a>"#))
                let standing = try #require(offer["standing"] as? String)
                #expect(page.text.contains(#"<h2 id="\#(standing)">"#))
                for limit in try #require(offer["limits"] as? [[String: Any]]) {
                    if let left = limit["remaining"] as? Int {
                        #expect(left == 499)
                        #expect(page.text.contains("Left: 499 of 500, "))
                        #expect(page.text.contains("1 of 500 uses"), "the bar's words")
                    }
                    if let left = limit["unspent"] as? String { #expect(page.text.contains("\(left) of 280.00 USD")) }
                }
            }
            #expect(page.text.contains(#"<figure class="picture narrow"><svg "#))
            #expect(!page.text.contains("style=") && !page.text.contains("<style"))
        }
    }

    @Test("a long catalog is on several pages, each below 100 KB: what is paused comes first, and all are counted")
    func longBoard() async throws {
        try await ConsoleFixture.run { console in
            let ids = (10..<70).map { "offer\($0)" }
            let limits = #"{ count: 1, per: customer }, { count: 500 }, { spend: "280.00", currency: USD }"#
            let offers = ids.map {
                TestCatalog.comeback($0).replacing("{ count: 1, per: customer }", with: limits)
            }
            try await console.apply(TestCatalog.head + offers.joined())
            let session = try await console.signIn(.marketing)
            _ = try await console.send("/console/offers/offer69/pause", from: "/console/offers", session)
            let home = try await console.get("/console", session).text
            #expect(home.contains(#"<h2 id="paused">paused <span class="quiet">1</span></h2>"#))
            var target: String? = "/console/offers"
            var shown: [String] = []
            while let asked = target {
                let page = try await console.get(asked, session)
                #expect(page.body.count < 100_000, "\(asked)")
                #expect(page.text.contains(#"<h2 id="running">running <span class="quiet">59</span></h2>"#))
                shown += page.text.matches(of: /<a href="\/console\/offers\/(offer\d+)">/).map { String($0.output.1) }
                target = page.text.firstMatch(of: /<a href="([^"]+)" rel="next">/).map { String($0.output.1) }
            }
            #expect(shown == ["offer69"] + ids.dropLast())
            for cursor in ["nonsense", "99-1", "60", "0", "-1", "99999999999999999999", ""] {
                let status = try await console.get("/console/offers?cursor=\(cursor)", session).status
                #expect(status == 400, "\(cursor)")
            }
        }
    }

    @Test("an offer's page words it as `offerctl offers show` does")
    func words() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            _ = try await console.issue("100")
            let session = try await console.signIn(.marketing)
            let page = try await console.get("/console/offers/comeback", session)
            #expect(page.status == 200, "\(page.text)")
            for (name, value) in [
                ("customers get", "4.99 USD per month for 3 months"),
                ("for", "customers who have or had a subscription in the app"),
                ("used", "1 use (1 issued, 0 redeemed), "), ("left", "499 of 500, "),
                ("maximum cost", "280.00 USD, its budget"),
            ] {
                #expect(page.text.contains("<dt>\(name)</dt><dd>\(value)"), "\(name)")
            }
            #expect(try await console.get("/console/offers/nope", session).status == 404)
        }
    }

    @Test("an offer is paused until a day for a reason, shown with who did, and resumed")
    func pause() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let token = try await console.token(.marketing)
            let session = try await console.signIn(token)
            let path = "/console/offers/comeback"
            let tomorrow = String(console.clock.now.adding(milliseconds: Instant.Duration.day).description.prefix(10))
            let fields = [("until", tomorrow), ("reason", "no codes left")]
            #expect(try await console.send("\(path)/pause", from: path, session, fields)["location"] == path)
            let key = String(token.split(separator: "_")[3])
            for target in [path, "/console/offers"] {
                let text = try await console.get(target, session).words
                #expect(text.contains("until \(tomorrow)T00:00:00Z, since "), "\(target)")
                #expect(text.contains(" by \(key), anna: no codes left"), "\(target)")
            }
            let paused = try #require(try await console.offers().first { $0["offerId"] as? String == "comeback" })
            #expect(paused["standing"] as? String == "paused")
            let pause = try #require(paused["pause"] as? [String: Any])
            #expect(pause["reason"] as? String == "no codes left")
            #expect(pause["actor"] as? String == key && pause["person"] as? String == "anna")
            #expect(try await console.send("\(path)/resume", from: path, session)["location"] == path)
            #expect(try await console.get(path, session).text.contains(#"<span class="badge">running</span>"#))
        }
    }

    @Test(
        "an end or a reason that is none pauses nothing",
        arguments: [
            ("until", "2026-02-30"), ("until", "soon"), ("until", "2001-01-01"), ("until", "2099-01-01"),
            ("until", "2026-12-24T00:00:00Z"), ("reason", String(repeating: "a", count: 501)), ("reason", "a\u{7}"),
            ("offerId", "either"),
        ])
    func wrongPause(_ name: String, _ value: String) async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            for (action, more) in [("/console/offers/comeback/pause", []), ("/console/pause", [("agreed", "true")])] {
                let answer = try await console.send(action, from: "/console/offers", session, more + [(name, value)])
                #expect(answer.status == 400, "\(answer.text)")
            }
            #expect(try await console.offers().allSatisfy { $0["paused"] as? Bool == false })
        }
    }

    @Test("every offer is paused at once, and those paused by themselves stay so")
    func pauseAll() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let session = try await console.signIn(.marketing)
            _ = try await console.send("/console/offers/either/pause", from: "/console/offers", session)
            let board = try PageReader.read(try await console.get("/console/offers", session).body)
            let box = try #require(board.all("input", ["name": "agreed"]).first)
            #expect(box.attributes["required"] != nil && box.attributes["checked"] == nil)
            #expect(board.words.contains("Agreed: every offer is paused, 2 of them active"))
            #expect(!board.words.contains("Resume every offer"), "there is nothing to resume")
            let before = try await console.everything()
            for fields in [[], [("agreed", "false")], [("agreed", "")], [("agreed", "on")]] {
                let refused = try await console.send("/console/pause", from: "/console/catalog", session, fields)
                #expect(refused.status == 400, "\(fields)")
            }
            #expect(try await console.changes(since: before) == [])
            let agreed = [("agreed", "true")]
            let paused = try await console.send("/console/pause", from: "/console/catalog", session, agreed)
            #expect(paused["location"] == "/console/offers")
            #expect(try await console.get("/console/offers", session).text.contains("Resume every offer"))
            #expect(try await console.offers().allSatisfy { $0["paused"] as? Bool == true })
            #expect(try await console.get("/console/offers", session).text.contains("Paused with every offer, until"))
            _ = try await console.send("/console/resume", from: "/console/catalog", session)
            let left = try await console.offers().filter { $0["paused"] as? Bool == true }
            #expect(left.map { $0["offerId"] as? String } == ["either"])
        }
    }

    @Test("the form of a pause has what is in force: to change the reason, or remove it, leaves the end as it is")
    func changedPause() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let token = try await console.token(.marketing)
            let session = try await console.signIn(token)
            let day = console.clock.now.adding(milliseconds: 3 * Instant.Duration.day).description.prefix(10)
            let end = try #require(Instant(iso8601: "\(day)T15:30:00Z")).milliseconds
            for (page, action, call) in [
                ("/console/offers/comeback", "/console/offers/comeback/pause", "/v1/offers/comeback/pause"),
                ("/console/offers", "/console/pause", "/v1/offers/pause"),
            ] {
                let body = #"{"until":\#(end),"reason":"no codes <left>"}"#
                _ = try await console.ask("POST", call, token: token, body: body)
                func present() async throws -> (until: Int64?, reason: String?) {
                    let offer = call == "/v1/offers/pause" ? nil : OfferId("comeback")
                    let caller = Caller(apiKeyId: "k", scope: ConsoleFixture.scope, role: .marketing)
                    let pause = try await console.useCases.switches.present(offer, caller: caller)
                    return (pause?.until?.milliseconds, pause?.reason)
                }
                func typed() async throws -> [String?] {
                    let read = try PageReader.read(try await console.get(page, session).body)
                    return ["until", "reason"].map { read.all("input", ["name": $0]).first?.attributes["value"] }
                }
                func send(_ until: String, _ reason: String) async throws {
                    let fields = [("until", until), ("reason", reason)]
                    let agreed = action == "/console/pause" ? [("agreed", "true")] : []
                    let answer = try await console.send(action, from: page, session, fields + agreed)
                    #expect(answer.status == 303, "\(answer.text)")
                }
                #expect(try await typed() == [String(day), "no codes <left>"], "\(page)")
                try await send(String(day), "new codes come")
                #expect(try await present() == (end, "new codes come"), "\(page)")
                try await send(String(day), "")
                #expect(try await present() == (end, nil), "\(page)")
                #expect(try await typed() == [String(day), ""], "\(page)")
                try await send("", "")
                #expect(try await present() == (nil, nil), "\(page)")
                #expect(try await typed() == ["", ""], "\(page)")
                // What is refused is shown as it was typed, although another pause is in force.
                let agreed = action == "/console/pause" ? [("agreed", "true")] : []
                let refused = try await console.send(action, from: page, session, agreed + [("until", "soon")])
                #expect(refused.status == 400 && refused.text.contains(#"type="date" value="soon""#))
            }
        }
    }

    @Test("an offer that is paused with every offer has no button to resume it, but the way to the one that does")
    func pausedWithAll() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            let path = "/console/offers/comeback"
            func page() async throws -> (words: String, buttons: [String]) {
                let read = try PageReader.read(try await console.get(path, session).body)
                let section = try #require(read.section("pause"))
                return (section.words, section.all("button").map(\.words))
            }
            #expect(try await page().buttons == ["Pause"])
            let agreed = [("agreed", "true")]
            _ = try await console.send("/console/pause", from: "/console/offers", session, agreed)
            var shown = try await page()
            #expect(shown.buttons == ["Pause"])
            #expect(shown.words.contains("Every offer is paused, and only Resume every offer lifts that."))
            _ = try await console.send("\(path)/pause", from: path, session)
            shown = try await page()
            #expect(shown.buttons == ["Resume", "Change the pause"])
            #expect(shown.words.contains("lifts that; this offer’s own pause stays."))
            _ = try await console.send("\(path)/resume", from: path, session)
            #expect(try await page().buttons == ["Pause"])
            _ = try await console.send("/console/resume", from: "/console/offers", session)
            #expect(try await page().words.contains("Every offer is paused") == false)
        }
    }

    @Test("results are the figures of the series and the funnel, and what was asked stays in the form")
    func results() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            _ = try await console.issue("100")
            let (token, session) = (try await console.token(.marketing), try await console.signIn(.marketing))
            let page = try await console.get("/console/offers/comeback/results?by=week&timeZone=&from=&to=", session)
            #expect(page.status == 200, "\(page.text)")
            #expect(page.body.count < 100_000)
            let series = try await console.ask("GET", "/v1/reports/series?offer=comeback&by=week", token: token)
            for week in try #require(series["buckets"] as? [[String: Any]]) {
                let date = try #require(week["date"] as? String)
                let counts = ["requests", "eligible", "issued", "redeemed"].compactMap { week[$0] as? Int }
                #expect(counts.count == 4 && page.hasRow([date] + counts.map(String.init)), "\(date)")
            }
            let report = try await console.ask("GET", "/v1/reports/funnel?offerId=comeback", token: token)
            let funnel = try #require((report["offers"] as? [[String: Any]])?.first)
            let stages = try #require(funnel["stages"] as? [String: Any])
            for stage in ["evaluated", "eligible", "issued", "redeemed"] {
                let count = try #require(stages[stage] as? Int)
                #expect(page.hasRow([stage, String(count)]), "\(stage)")
            }
            #expect(page.text.contains(#"<option value="week" selected>"#))
            #expect(page.text.components(separatedBy: "<svg ").count > 2, "the series and the funnel")
        }
    }

    @Test("the series and the funnel of a page are of the same days where none were asked for")
    func sameDays() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            _ = try await console.issue("100")
            // From late in May to the end of June: 30 days back is May too, but not the day of the offer.
            console.clock.advance(hours: 33 * 24)
            let session = try await console.signIn(.marketing)
            for (unit, count) in [("month", "1"), ("day", "0")] {
                let page = try await console.get("/console/offers/comeback/results?by=\(unit)", session)
                #expect(page.hasRow(["total", count, count, count, "0"]), "\(unit): \(page.text)")
                #expect(page.hasRow(["evaluated", count]) == (count == "1"), "\(unit): \(page.text)")
            }
        }
    }

    @Test("trials and churn of an offer's products are shown where they are asked for and there are any")
    func products() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            _ = try await console.issue("100")
            let session = try await console.signIn(.marketing)
            let results = "/console/offers/comeback/results?by=month&from=2026-01-01"
            let page = try await console.get("\(results)&products=true", session)
            #expect(page.status == 200 && page.body.count < 100_000)
            let section = try #require(try PageReader.read(page.body).section("series"))
            // A trial that was converted, a renewal, and a period that was cancelled.
            #expect(section.rows("Trials") == [["monthly", "1", "1", "0"]])
            #expect(section.rows("Other periods") == [["monthly", "2", "1", "0"]])
            #expect(page.text.contains(#"name="products" value="true" checked>"#))
            for query in ["", "&products=false", "&to=2026-01-10&products=true"] {
                let page = try await console.get("\(results)\(query)", session)
                let section = try #require(try PageReader.read(page.body).section("series"))
                #expect(page.status == 200, "\(query): \(page.text)")
                #expect(section.rows("Trials") == nil && section.rows("Other periods") == nil, "\(query)")
            }
        }
    }

    @Test(
        "a day of the form is one of its time zone, of 23 or 25 hours where clocks change",
        arguments: [
            ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-26", 25),
            ("Europe/Berlin", "2027-03-28", "2027-03-27T23:00:00Z", "2027-03-29", 23),
            ("America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", "2026-11-02", 25),
            ("Asia/Kathmandu", "2026-07-01", "2026-06-30T18:15:00Z", "2026-07-02", 24),
            ("", "2026-07-01", "2026-07-01T00:00:00Z", "2026-07-02", 24),
        ])
    func localDays(_ zone: String, _ day: String, _ start: String, _ next: String, _ hours: Int64) async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let start = try #require(Instant(iso8601: start))
            let end = start.adding(milliseconds: hours * Instant.Duration.hour)
            for (number, moment) in [
                start.adding(milliseconds: -1_000), start, end.adding(milliseconds: -1_000), end,
            ].enumerated() {
                console.clock.advance(milliseconds: moment.milliseconds(since: console.clock.now))
                _ = try await console.issue("\(100 + number)", customerId: "customer \(number)")
            }
            console.clock.advance(hours: 1)
            let (token, session) = (try await console.token(.marketing), try await console.signIn(.marketing))
            let page = try await console.get(
                "/console/offers/comeback/results?timeZone=\(ConsoleFixture.encoded(zone))&from=\(day)&to=\(next)",
                session)
            #expect(
                page.hasRow([day, "2", "2", "2", "0"]) && page.hasRow(["total", "2", "2", "2", "0"]), "\(page.text)")
            #expect(page.hasRow(["evaluated", "2"]), "the funnel is of the same days: \(page.text)")
            #expect(page.text.contains(#"name="from" type="date" value="\#(day)""#), "what was asked stays")
            let named = zone.isEmpty ? "" : "&timeZone=\(zone)"
            let series = try await console.ask(
                "GET",
                "/v1/reports/series?offer=comeback\(named)&from=\(start.milliseconds)&to=\(end.milliseconds)",
                token: token)
            let buckets = try #require(series["buckets"] as? [[String: Any]])
            #expect(buckets.map { $0["date"] as? String } == [day] && buckets.first?["issued"] as? Int == 2)
        }
    }

    @Test("the results of all offers are one table, each row with a link to its own, for the roles of the funnel")
    func overview() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            let path = "/console/results"
            let board = try await console.get("/console", session).text
            #expect(board.contains(#"<a href="/console/results">Results of all offers in the last 30 days</a>"#))
            let none = try await console.get(path, session)
            #expect(none.text.contains("No customer asked for an offer for the first time then."), "\(none.text)")
            _ = try await console.issue("100")
            let page = try await console.get(path, session)
            let link = #"<a href="/console/offers/comeback/results?from=&amp;to=">comeback</a>"#
            #expect(page.hasRow([link, "1", "1", "0", "0.00 USD"]), "\(page.text)")
            #expect(!page.text.contains(">either<"), "a draft that no customer asked for")
            let day = String(console.clock.now.description.prefix(10))
            let ranged = try await console.get("\(path)?from=\(day)&to=", session)
            #expect(ranged.text.contains("results?from=\(day)&amp;to=") && ranged.text.contains(#"value="\#(day)""#))
            for (query, status) in [
                ("from=2026-02-30", 400), ("to=soon", 400), ("from=2020-01-01", 400), ("by=day", 400),
                ("from=&to=", 200),
            ] {
                #expect(try await console.get("\(path)?\(query)", session).status == status, "\(query)")
            }
            let support = try await console.signIn()
            #expect(try await console.get(path, support).status == 403)
            #expect(try await console.get("/console", support).text.contains("Results of all offers") == false)
        }
    }

    @Test(
        "a range that is none is refused in words",
        arguments: [
            ("by=year", 400, "is not the length of a bucket"), ("from=2026-02-30", 400, "is not a day"),
            ("to=yesterday", 400, "is not a day"), ("from=2026-01-01&from=2026-01-02", 400, "is given twice"),
            ("timeZone=Mars/Phobos", 400, "is not a time zone that the server knows"),
            ("timeZone=Mars/Phobos&from=2026-05-01", 400, "is not a time zone that the server knows"),
            ("timeZone=Asia/Kathmandu&from=1970-01-01&to=1970-01-02", 400, "before 1970"),
            ("timeZone=America/New_York&from=9999-12-31", 400, "which is in the future"),
            ("from=2020-01-01", 400, "<strong>From</strong>: "), ("products=1", 400, "is neither"),
            ("products=", 400, "is neither"), ("products=true&products=true", 400, "is given twice"),
        ])
    func wrongRange(_ query: String, _ status: Int, _ words: String) async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            let page = try await console.get("/console/offers/comeback/results?\(query)", session)
            #expect(page.status == status && page.text.contains(words), "\(page.text)")
        }
    }

    @Test("an audience is counted while the page looks again by itself, and then has the figures of the API")
    func audience() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            _ = try await console.issue("100")
            let session = try await console.signIn()
            let offer = "/console/offers/comeback"
            let begun = try await console.send("\(offer)/audience", from: offer, session, [("where", "")])
            let target = try #require(begun["location"], "\(begun.text)")
            var page = try await console.get(target, session)
            while page.text.contains(#"<meta http-equiv="refresh" content="2">"#) {
                #expect(!page.text.contains("Counted 0 of 0"), "it waits, or says of how many")
                page = try await console.get(target, session)
            }
            #expect(page.words.contains("Counted all customers, by the catalog in force then, revision 1."))
            #expect(!page.text.contains("rollout") && !page.text.contains("gain the offer"), "it has neither")
            #expect(!page.text.contains("in tens"))
            let id = try #require(target.split(separator: "/").last)
            let answer = try await console.ask("GET", "/v1/simulations/\(id)", token: try await console.token(.support))
            let result = try #require(answer["result"] as? [String: Any])
            let (eligible, all) = (try #require(result["eligible"] as? Int), try #require(result["customers"] as? Int))
            #expect(all == 1)
            #expect(page.words.contains("\(eligible) of \(all) customers would get `comeback`"), "\(page.text)")
            for step in try #require(result["waterfall"] as? [[String: Any]]) {
                let words = PageText().escapeText(try #require(step["step"] as? String))
                let left = try #require(step["customers"] as? Int)
                #expect(page.hasRow([words, String(left)]), "\(words)")
            }
            for cost in (result["costCeiling"] as? [[String: Any]]) ?? [] {
                let amount = try #require(cost["amount"] as? String)
                #expect(page.text.contains("It costs at most \(amount) "))
            }
            let marketing = try await console.get(target, try await console.signIn(.marketing))
            #expect(marketing.words.contains("too few customers to tell how many would get `comeback`"))
            #expect(marketing.text.contains("see numbers of customers in tens"))
            #expect(!marketing.text.contains("<figure") && page.text.contains("<figure"), "nothing to draw of few")
            let cancelled = try await console.send("\(target)/cancel", from: offer, session)
            #expect(cancelled["location"] == target, "what is done stays")
        }
    }

    @Test("an audience is shown under its own offer alone, and counts those that its condition may have left out")
    func audienceOfAnother() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            _ = try await console.issue("100")
            let (session, offer) = (try await console.signIn(), "/console/offers/comeback")
            let begun = try await console.send(
                "\(offer)/audience", from: offer, session, [("where", "customer.attributes.plan is gold")])
            let target = try #require(begun["location"], "\(begun.text)")
            var page = try await console.get(target, session)
            while page.text.contains("http-equiv") { page = try await console.get(target, session) }
            #expect(page.words.contains("0 of 0 customers would get `comeback`"), "\(page.text)")
            #expect(
                page.words.contains("Counted customers who meet `customer.attributes.plan is gold`, by the catalog"))
            #expect(!page.text.contains("<figure"), "there is nothing to draw")
            #expect(page.hasRow(["not counted: may or may not meet the condition", "1"]), "\(page.text)")
            for other in ["either", "nope"] {
                let path = target.replacing("/comeback/", with: "/\(other)/")
                #expect(try await console.get(path, session).status == 404, "\(other)")
            }
        }
    }

    @Test("an audience that cannot be counted, or that is none, is refused in words")
    func wrongAudience() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            let offer = "/console/offers/comeback"
            let wrong = [("where", "subscription.stat is expired")]
            let answer = try await console.send("\(offer)/audience", from: offer, session, wrong)
            #expect(answer.status == 400)
            #expect(answer.words.contains("did you mean `subscription.state`?"))
            let unknown = try await console.send("/console/offers/nope/audience", from: offer, session)
            #expect(unknown.status == 404)
            for id in ["x", "00000000-0000-4000-8000-000000000000"] {
                #expect(try await console.get("\(offer)/audience/\(id)", session).status == 404)
            }
        }
    }
}

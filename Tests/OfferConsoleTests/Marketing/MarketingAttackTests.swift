import OfferModel
import Testing

@testable import OfferConsole

extension ScriptInjectionTests {
    @Test("an offer's id, a reason, a condition, a message and a catalog are texts on every page", arguments: attacks)
    func marketing(_ attack: String) async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn(.marketing)
            let encoded = ConsoleFixture.encoded(attack)
            for page in ["offers/\(encoded)", "offers/\(encoded)/results", "catalog/revisions/\(encoded)"] {
                let answer = try await console.get("/console/\(page)", session)
                #expect(answer.status == 404, "\(page)")
                expectHarmless(answer, attack)
            }
            let offer = "/console/offers/comeback"
            expectHarmless(try await console.get("\(offer)/audience/\(encoded)", session), attack)
            for field in ["timeZone", "by", "from"] {
                expectHarmless(try await console.get("\(offer)/results?\(field)=\(encoded)", session), attack)
            }
            let paused = try await console.send("\(offer)/pause", from: offer, session, [("reason", attack)])
            #expect(paused.status == 303, "\(paused.text)")
            for page in [offer, "/console/offers"] { expectHarmless(try await console.get(page, session), attack) }
            let typed = try await console.send("\(offer)/audience", from: offer, session, [("where", attack)])
            #expect(typed.status == 400)
            #expect(!typed.hasBytes("<img"))

            let page = "/console/catalog"
            let text = "# \(attack)\n" + ConsoleFixture.campaign
            let fields = [("text", text), ("revision", "1"), ("message", attack)]
            for action in ["\(page)/plan", page] {
                let answer = try await console.send(action, from: page, session, fields)
                if answer.status == 303 {
                    expectHarmless(try await console.get("\(page)/revisions/2", session), attack)
                } else {
                    expectHarmless(answer, attack)
                }
            }
            let broken = try await console.send(
                "\(page)/plan", from: page, session, [("text", "bundleId: '\(attack)"), ("revision", "1")])
            expectHarmless(broken, attack)
            expectHarmless(try await console.get(page, session), attack)
        }
    }

    @Test("markup is taken as it is of drawings and of prose, which escapes, alone")
    func unescaped() {
        let raw = Templates.sources.flatMap { name, bytes in
            String(decoding: bytes, as: UTF8.self).matches(of: /\{\{\{.*?\}\}\}|\{\{&.*?\}\}/).map {
                "\(name) \($0.output)"
            }
        }
        #expect(
            raw.filter { !$0.contains("{{{prose(") }.sorted() == ["picture {{{.narrow}}}", "picture {{{.wide}}}"])
    }

    private static let prose: [(text: String, html: String)] = [
        ("`a` was renewed", "<code>a</code> was renewed"), ("a `", "a `"), ("`", "`"), ("", ""),
        ("`a` and ` alone", "<code>a</code> and ` alone"), ("``", "<code></code>"),
        ("<b> `<i>\"` '", "&lt;b&gt; <code>&lt;i&gt;&quot;</code> &#39;"),
        ("`\u{301}<script>`\u{301}", "<code>\u{301}&lt;script&gt;</code>\u{301}"),
        (
            "until 2027-09-20T13:55:26.275Z.",
            #"until <time datetime="2027-09-20T13:55:26.275Z">2027-09-20 13:55:26 UTC</time>."#
        ),
        ("`2027-09-20T13:55:26Z`", "<code>2027-09-20T13:55:26Z</code>"),
        ("2027-99-20T13:55:26Z", "2027-99-20T13:55:26Z"),
        ("<2027-09-20T13:55:00Z>", #"&lt;<time datetime="2027-09-20T13:55:00Z">2027-09-20 13:55 UTC</time>&gt;"#),
    ]

    @Test("prose has what it quotes as code and its instants as times, and nothing in it is markup", arguments: prose)
    func prose(text: String, html: String) {
        #expect((Prose(text: text).transform("prose") as? Prose)?.text.utf8.elementsEqual(html.utf8) == true)
    }
}

@Suite("Who may do what with offers and the catalog")
struct MarketingRoleTests {
    private static let actions = [
        "/console/pause", "/console/resume", "/console/offers/comeback/pause", "/console/offers/comeback/resume",
        "/console/catalog", "/console/catalog/plan", "/console/catalog/revisions/1/rollback",
    ]

    @Test("role escalation: support sees offers, series, audiences and the catalog, and changes none of them")
    func support() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let session = try await console.signIn()
            for page in ["/console/offers", "/console/offers/comeback", "/console/catalog"] {
                let text = try await console.get(page, session).text
                #expect(text.contains("comeback"), "\(page)")
                #expect(!text.contains("pause\"") && !text.contains("resume\""), "\(page) has no form of marketing")
                #expect(!text.contains("<textarea") && !text.contains("/console/catalog/revisions/"))
            }
            let results = try await console.get("/console/offers/comeback/results", session)
            #expect(results.status == 200 && !results.text.contains("Customers by their first request"))
            #expect(try await console.get("/console/catalog/revisions/1", session).status == 403)
            for action in Self.actions {
                let answer = try await console.send(action, from: "/console/offers", session, [("revision", "1")])
                #expect(answer.status == 403, "\(action)")
            }
            #expect(try await console.offers().allSatisfy { $0["paused"] as? Bool == false })
        }
    }

    @Test("CSRF: nothing is paused, applied or counted by a form of another session, of none, or of another site")
    func forged() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            let (session, other) = (try await console.signIn(.marketing), try await console.signIn(.marketing))
            let token = try #require(try await console.get("/console/offers", session).formToken)
            let foreign = try #require(try await console.get("/console/offers", other).formToken)
            for action in Self.actions + ["/console/offers/comeback/audience"] {
                let attempts: [([(String, String)], [(String, String)])] = [
                    ([], [("Sec-Fetch-Site", "same-origin")]),
                    ([("formToken", foreign)], [("Sec-Fetch-Site", "same-origin")]),
                    ([("formToken", token)], [("Sec-Fetch-Site", "cross-site")]), ([("formToken", token)], []),
                ]
                for (fields, origin) in attempts {
                    let answer = try await console.post(action, fields, session, origin: origin)
                    #expect(answer.status == 403, "\(action): \(answer.text)")
                }
                #expect(try await console.post(action, [("formToken", token)])["location"] == "/console/sign-in")
            }
            #expect(try await console.offers().allSatisfy { $0["paused"] as? Bool == false })
            #expect(try await console.texts("SELECT CAST(COUNT(*) AS TEXT) FROM simulation") == ["0"])
        }
    }

    @Test("the navigation has what the role may see")
    func navigation() async throws {
        try await ConsoleFixture.run { console in
            for (role, pages) in [
                (Role.marketing, ["offers", "catalog"]), (.support, ["customers", "signatures", "offers", "catalog"]),
            ] {
                let home = try await console.get("/console", try await console.signIn(role)).text
                for page in ["customers", "signatures", "offers", "catalog"] {
                    #expect(home.contains(#"<a href="/console/\#(page)">"#) == pages.contains(page), "\(role) \(page)")
                }
            }
        }
    }
}

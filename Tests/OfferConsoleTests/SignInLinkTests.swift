import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole

@Suite("Attacks on links that sign in")
struct SignInLinkTests {
    private static let offers = "/console/offers"

    @Test("a link shows a button that signs in, with the role of its key, and leads to the page it names")
    func signsIn() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let code = try await console.link(.marketing)
            let form = try await console.get("/console/sign-in?link=\(code)&next=%2fconsole%2foffers")
            #expect(form.status == 200)
            #expect(form.cookie == nil, "looking at a link signs no person in")
            #expect(form.text.contains(#"name="link" value="\#(code)""#))
            #expect(!form.text.contains(#"name="token""#))
            let answer = try await console.use(code, [("next", Self.offers), ("name", "anna")])
            #expect(answer["location"] == Self.offers)
            let session = try #require(answer.cookie).pair
            #expect(try await console.get(Self.offers, session).status == 200)
            #expect(try await console.get("/console/customers", session).status == 403, "marketing sees no customer")
        }
    }

    @Test("replay: a link signs in once, for the first of several, and looking at it uses nothing up")
    func once() async throws {
        try await ConsoleFixture.run { console in
            let code = try await console.link()
            for _ in 0..<3 { _ = try await console.get("/console/sign-in?link=\(code)") }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { try await console.use(code).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [303, 401, 401, 401])
            let again = try await console.use(code)
            #expect(again.text.contains("the link was used already"))
            #expect(again.text.contains(#"name="token""#), "an API key still signs in")
            #expect(again.cookie == nil)
        }
    }

    @Test("a name that is too long uses no link up: it can be sent again with a shorter one")
    func longName() async throws {
        try await ConsoleFixture.run { console in
            let (code, name) = (try await console.link(), String(repeating: "é", count: 65))
            let refused = try await console.use(code, [("name", name), ("next", Self.offers)])
            #expect(refused.status == 400 && refused.cookie == nil)
            let page = try PageReader.read(refused.body)
            #expect(page.all("input", ["name": "link", "value": code]).count == 1, "\(refused.text)")
            #expect(page.all("input", ["name": "name", "value": name]).count == 1)
            #expect(page.all("input", ["name": "next", "value": Self.offers]).count == 1)
            #expect(page.all("div", ["role": "alert"]).first?.words.hasPrefix("Your name: ") == true)
            let answer = try await console.use(code, [("name", "anna"), ("next", Self.offers)])
            #expect(answer["location"] == Self.offers && answer.cookie != nil)
        }
    }

    @Test("a link that was left lying about ends after 10 minutes, and with its key")
    func ends() async throws {
        try await ConsoleFixture.run { console in
            let (late, first) = (try await console.link(), try await console.link())
            console.clock.advance(milliseconds: ConsoleSessions.linkLife - 1)
            #expect(try await console.use(first).status == 303)
            console.clock.advance(milliseconds: 1)
            #expect(try await console.use(late).status == 401)

            let key = try #require(APIToken(try await console.token(.admin)))
            let code = try await console.link(.admin, key: key.id)
            #expect(try await console.useCases.apiKeys.revoke(key.id))
            #expect(try await console.use(code).status == 401)
        }
    }

    @Test(
        "a link signs in to LocalTesting alone, even if one for another environment is in the database",
        arguments: [AppStoreEnvironment.production, .sandbox, .xcode])
    func otherEnvironment(_ environment: AppStoreEnvironment) async throws {
        try await ConsoleFixture.run { console in
            let scope = Scope(bundleId: ConsoleFixture.scope.bundleId, environment: environment)
            let code = try await console.link(.admin, scope: scope)
            let answer = try await console.use(code)
            #expect(answer.status == 401)
            #expect(answer.cookie == nil)
        }
    }

    @Test("a link is good for no key that may not use the console", arguments: [Role.client, .app])
    func otherRole(_ role: Role) async throws {
        try await ConsoleFixture.run { console in
            let answer = try await console.use(try await console.link(role))
            #expect(answer.status == 403)
            #expect(answer.cookie == nil)
        }
    }

    @Test("login CSRF: another site cannot send a link's form, and its attempt uses nothing up")
    func forged() async throws {
        try await ConsoleFixture.run { console in
            let code = try await console.link()
            for headers in [[("Sec-Fetch-Site", "cross-site")], [("Origin", "https://evil.example")], []] {
                let answer = try await console.post("/console/sign-in", [("link", code)], origin: headers)
                #expect(answer.status == 403)
                #expect(answer.cookie == nil)
            }
            #expect(try await console.use(code).status == 303)
        }
    }

    @Test("another machine cannot use a link, nor say in a header that it is this one")
    func otherMachine() async throws {
        let proxy = try IPNetwork("127.0.0.1/32")
        try await ConsoleFixture.run(trustedProxies: [proxy]) { console in
            let code = try await console.link()
            for sent in ["203.0.113.9", "127.0.0.1, 203.0.113.9", "2001:db8::1"] {
                let headers = [("Sec-Fetch-Site", "same-origin"), ("X-Forwarded-For", sent)]
                let answer = try await console.post("/console/sign-in", [("link", code)], origin: headers)
                #expect(answer.status == 401, "\(sent)")
            }
            #expect(try await console.use(code).status == 303)
        }
    }

    @Test("open redirect: a link leads to a page of the console and nowhere else")
    func openRedirect() async throws {
        try await ConsoleFixture.run { console in
            for next in ["https://evil.example/", "//evil.example/console", "/console/../v1/offers"] {
                let code = try await console.link()
                let form = try await console.get("/console/sign-in?link=\(code)&next=\(ConsoleFixture.encoded(next))")
                #expect(!form.text.contains("evil.example"))
                #expect(try await console.use(code, [("next", next)])["location"] == "/console")
            }
        }
    }

    @Test("a code is no cookie, a cookie and its digest are no code, and the database holds none")
    func kinds() async throws {
        try await ConsoleFixture.run { console in
            let code = try await console.link()
            #expect(try await console.get(Self.offers, "offerd-console=\(code)").status == 303)
            let session = try await console.signIn()
            let secret = try #require(session.split(separator: "=").last)
            let digests = try await console.texts("SELECT digest FROM console_session")
            #expect(digests.count == 2)
            #expect(!digests.contains(code))
            for given in [String(secret)] + digests {
                #expect(try await console.use(given).status == 401)
            }
            #expect(try await console.use(code).status == 303)
        }
    }

    @Test(
        "what is no code breaks no page, and signs no person in",
        arguments: [
            ("", 401), ("0", 401), (String(repeating: "A", count: 64), 401), (String(repeating: "g", count: 64), 401),
            (String(repeating: "a", count: 63) + "\"", 401), ("\"><script>alert(1)</script>", 401),
            (String(repeating: "é", count: 32), 401), (String(repeating: "a", count: 5_000), 400),
        ])
    func careless(_ given: String, _ status: Int) async throws {
        try await ConsoleFixture.run { console in
            let form = try await console.get("/console/sign-in?link=\(ConsoleFixture.encoded(given))")
            #expect(form.status == (status == 400 ? 400 : 200))
            #expect(!form.text.contains("<script>alert"))
            let answer = try await console.use(given)
            #expect(answer.status == status)
            #expect(answer.cookie == nil)
        }
    }

    @Test("guessed codes are slowed down like guessed API keys")
    func guessing() async throws {
        var limits = RateLimits.off
        limits.failedAuthentication = RateLimit(perSecond: 1, burst: 3)
        try await ConsoleFixture.run(rates: RequestRates(limits, clock: { 0 })) { console in
            var statuses: [Int] = []
            for digit in 0..<5 {
                statuses.append(try await console.use(String(repeating: "\(digit)", count: 64)).status)
            }
            #expect(statuses == [401, 401, 401, 429, 429])
        }
    }
}

extension ConsoleFixture {
    /// The code of a new link, of a new key or of one that there is.
    fileprivate func link(_ role: Role = .admin, scope: Scope = scope, key: String? = nil) async throws -> String {
        let made = key == nil ? APIToken(try await token(role, scope: scope))?.id : key
        let caller = Caller(apiKeyId: try #require(made), scope: scope, role: role)
        return try await useCases.consoleSessions.link(for: caller)
    }

    /// Presses the button of a link's page.
    fileprivate func use(_ code: String, _ more: [(String, String)] = []) async throws -> Page {
        try await post("/console/sign-in", [("link", code)] + more)
    }
}

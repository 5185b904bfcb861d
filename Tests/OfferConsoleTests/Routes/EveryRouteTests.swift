import HTTPTypes
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferHTTP

/// Each attack is tried on every route of the table that the server routes by.
@Suite("Every route of the console")
struct EveryRouteTests {
    private static let staff: [Role] = [.support, .marketing, .admin]
    private static let own = [("Sec-Fetch-Site", "same-origin")]

    @Test("every route is in the list that the attacks go through")
    func known() async throws {
        try await ConsoleFixture.run { console in
            // `/` leads to the console, and shows nothing.
            let routes = console.routes.filter { $0.path != "/" }.map { "\($0.method.rawValue) \($0.path)" }
            #expect(routes.sorted() == KnownRoute.all.map(\.name).sorted())
        }
    }

    /// Asks for a page, or sends the form of one as its own page does.
    private static func use(
        _ route: KnownRoute, _ target: String, _ session: String, _ console: ConsoleFixture
    ) async throws -> Page {
        guard route.method == .post else { return try await console.get(target, session) }
        let token = try #require(try await console.get("/console", session).formToken)
        return try await console.post(target, [("formToken", token)] + route.fields, session)
    }

    @Test(
        "role escalation: a page and a form are for the roles of the call of the API that they make", arguments: staff)
    func roles(_ role: Role) async throws {
        try await ConsoleFixture.run { console in
            let records = try await console.makeRecords()
            let (table, key) = (console.table, try await console.token(role))
            let session = try await console.signIn(key)
            let before = try await console.everything()
            for route in KnownRoute.signedIn where try !route.isFor(role, table) {
                let answer = try await Self.use(route, route.target(records), session, console)
                #expect(answer.status == 403, "\(route.name)")
                #expect(answer.words.contains("this call needs the role `"), "\(route.name)")
                for secret in ["quentin", "app-100", "monthly"] {
                    #expect(!answer.text.contains(secret), "\(route.name) shows `\(secret)`")
                }
            }
            #expect(try await console.changes(since: before) == [])
            for route in KnownRoute.signedIn where try route.isFor(role, table) {
                // One of the forms signs out.
                let session = try await console.signIn(key)
                let answer = try await Self.use(route, route.target(records), session, console)
                #expect(answer.status != 403 && answer.status < 500, "\(route.name): \(answer.text)")
                if route.method == .get { #expect(answer.status == 200, "\(route.name)") }
            }
        }
    }

    @Test("CSRF: no form does anything without the token of its own session, or from another place than the console")
    func forged() async throws {
        try await ConsoleFixture.run { console in
            let records = try await console.makeRecords()
            let (session, other) = (try await console.signIn(.admin), try await console.signIn(.admin))
            let token = try #require(try await console.get("/console", session).formToken)
            let foreign = try #require(try await console.get("/console", other).formToken)
            let admin = try await console.token(.admin)
            let origin = "http://127.0.0.1:\(console.port)"
            let places: [(String, [(String, String)])] = [
                ("no word of where it comes from", []), ("another site", [("Sec-Fetch-Site", "cross-site")]),
                ("another host of the site", [("Sec-Fetch-Site", "same-site")]),
                ("no page", [("Sec-Fetch-Site", "none")]), ("two places", Self.own + [("Sec-Fetch-Site", "none")]),
                ("another site that states an origin", [("Sec-Fetch-Site", "cross-site"), ("Origin", origin)]),
                ("another origin", [("Origin", "https://evil.example")]), ("no origin", [("Origin", "null")]),
                ("another port", [("Origin", origin + "0")]),
                ("two origins", [("Origin", origin), ("Origin", origin)]),
            ]
            let tokens = [
                nil, "", String(repeating: "0", count: 64), foreign, token + "0", String(token.dropLast()),
                token.uppercased(), "ſ" + token,
            ]
            let before = try await console.everything()
            for route in KnownRoute.forms {
                let target = route.target(records)
                for (name, headers) in places {
                    let fields = [route.isOpen ? ("token", admin) : ("formToken", token)] + route.fields
                    let answer = try await console.post(target, fields, session, origin: headers)
                    #expect(answer.status == 403, "\(route.name), from \(name): \(answer.text)")
                    #expect(answer["content-type"] == "text/html; charset=utf-8")
                    #expect(answer.cookie == nil, "\(route.name), from \(name)")
                }
                guard !route.isOpen else { continue }
                for given in tokens {
                    let fields = route.fields + (given.map { [("formToken", $0)] } ?? [])
                    let answer = try await console.post(target, fields, session)
                    #expect(answer.status == 403, "\(route.name), with \(given ?? "no token"): \(answer.text)")
                }
                let unknown = try await console.post(target, [("formToken", token)] + route.fields)
                #expect(unknown["location"] == "/console/sign-in", "\(route.name) without a session")
            }
            #expect(try await console.changes(since: before) == [])
            for route in KnownRoute.forms where !route.isOpen && route.path != "/sign-out" {
                let fields = [("formToken", token)] + route.fields
                let answer = try await console.post(
                    route.target(records), fields, session, origin: [("Origin", origin)])
                #expect(answer.status != 403, "\(route.name) from its own page: \(answer.text)")
            }
        }
    }

    private static let policy = """
        default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; \
        frame-ancestors 'none'; base-uri 'none'
        """

    private static func expectSealed(_ page: Page, _ name: String) {
        #expect(page["content-security-policy"] == policy, "\(name)")
        #expect(page["x-frame-options"] == "DENY", "\(name)")
        #expect(page["x-content-type-options"] == "nosniff", "\(name)")
        #expect(page["referrer-policy"] == "same-origin", "\(name)")
        #expect(page["cross-origin-opener-policy"] == "same-origin", "\(name)")
        #expect(page["cache-control"] == "no-store", "\(name)")
        #expect(page.status == 303 || !page.body.isEmpty, "\(name)")
    }

    @Test("clickjacking, sniffing and kept pages: every page, error and redirect forbids them")
    func headers() async throws {
        try await ConsoleFixture.run { console in
            let records = try await console.makeRecords()
            let marketing = try await console.signIn(.marketing)
            for route in KnownRoute.all where !["/style.css", "/console.js"].contains(route.path) {
                let (target, session) = (route.target(records), try await console.signIn(.admin))
                let pages: [(String, Page)] =
                    switch route.method {
                    case .get:
                        [
                            ("signed in", try await console.get(target, session)),
                            ("signed out", try await console.get(target)),
                            ("another role", try await console.get(target, marketing)),
                            ("unknown parameter", try await console.get("\(target)?nonsense=1", session)),
                            ("HEAD", try await Self.head(target, session, console)),
                        ]
                    default:
                        [
                            ("forged", try await console.post(target, route.fields, session)),
                            ("signed out", try await console.post(target, route.fields)),
                            ("no form", try await Browser.send(port: console.port, "POST", target, Self.own, body: "")),
                            ("sent", try await Self.use(route, target, session, console)),
                        ]
                    }
                for (name, page) in pages { Self.expectSealed(page, "\(route.name), \(name)") }
            }
            let session = try await console.signIn(.admin)
            for target in ["/console/nowhere", "/console/offers/nope", "/console/customers?q=none%00", "/console/"] {
                Self.expectSealed(try await console.get(target, session), target)
            }
            Self.expectSealed(
                try await Browser.send(port: console.port, "DELETE", "/console/customers"), "a wrong method")
        }
    }

    /// What the headers of a page are, as if it had a body.
    private static func head(_ target: String, _ session: String, _ console: ConsoleFixture) async throws -> Page {
        var page = try await Browser.send(port: console.port, "HEAD", target, [("Cookie", session)])
        #expect(page.body.isEmpty)
        page.body = [0]
        return page
    }

    @Test("a stolen session is worth nothing at any page or form once its key or it is over")
    func stolen() async throws {
        try await ConsoleFixture.run { console in
            let records = try await console.makeRecords()
            let hour = Instant.Duration.hour
            let soon = console.clock.now.adding(milliseconds: hour)
            let (token, short) = (try await console.token(.admin), try await console.token(.admin, expiresAt: soon))
            var stolen: [(name: String, session: String)] = []
            for (name, token) in [
                ("revoked", token), ("expired", short), ("signed out", try await console.token(.admin)),
                ("12 hours old", try await console.token(.admin)),
            ] {
                stolen.append((name, try await console.signIn(token)))
            }
            var forms: [String: String] = [:]
            for (name, session) in stolen {
                forms[name] = try await console.get("/console", session).formToken
            }
            func expectOver(_ name: String) async throws {
                let session = try #require(stolen.first { $0.name == name }?.session)
                let before = try await console.everything()
                for route in KnownRoute.signedIn {
                    let target = route.target(records)
                    let answer =
                        route.method == .get
                        ? try await console.get(target, session)
                        : try await console.post(
                            target, [("formToken", forms[name] ?? "")] + route.fields, session)
                    #expect(answer.status == 303, "\(name), \(route.name)")
                    #expect(answer["location"]?.hasPrefix("/console/sign-in") == true, "\(name), \(route.name)")
                    #expect(answer.body.isEmpty)
                }
                #expect(try await console.changes(since: before) == [], "\(name)")
            }
            let isRevoked = try await console.useCases.apiKeys.revoke(String(token.split(separator: "_")[3]))
            #expect(isRevoked)
            try await expectOver("revoked")
            let out = [("formToken", try #require(forms["signed out"]))]
            #expect(try await console.post("/console/sign-out", out, stolen[2].session).status == 303)
            try await expectOver("signed out")
            console.clock.advance(hours: 1)
            try await expectOver("expired")
            console.clock.advance(hours: 11)
            try await expectOver("12 hours old")
        }
    }

    @Test("a stolen session is refused everywhere from outside the networks of its key")
    func elsewhere() async throws {
        try await ConsoleFixture.run(trustedProxies: [try IPNetwork("127.0.0.1/32")]) { console in
            let records = try await console.makeRecords()
            let token = try await console.useCases.apiKeys.create(
                scope: ConsoleFixture.scope, role: .admin, networks: [try IPNetwork("198.51.100.0/24")])
            let (inside, outside) = (("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-For", "203.0.113.1"))
            let session = try await console.signIn(token.text, headers: Self.own + [inside])
            let form = try #require(try await console.get("/console", session, [inside]).formToken)
            let before = try await console.everything()
            for route in KnownRoute.signedIn {
                let target = route.target(records)
                let answer =
                    route.method == .get
                    ? try await console.get(target, session, [outside])
                    : try await console.post(
                        target, [("formToken", form)] + route.fields, session, origin: Self.own + [outside])
                #expect(answer.status == 403, "\(route.name): \(answer.text)")
                #expect(!answer.text.contains("quentin"), "\(route.name)")
            }
            #expect(try await console.changes(since: before) == [])
            let again = try await console.post(
                "/console/sign-in", [("token", token.text)], origin: Self.own + [outside])
            #expect(again.status == 403 && again.cookie == nil)
        }
    }
}

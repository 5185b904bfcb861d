import Foundation
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole

@Suite("Attacks on sessions")
struct SessionAttackTests {
    private static let customers = "/console/customers"

    @Test("session fixation: signing in makes a new secret, and one that was planted is worth nothing")
    func fixation() async throws {
        try await ConsoleFixture.run { console in
            let planted = "offerd-console=" + String(repeating: "a", count: 64)
            let token = try await console.token(.support)
            let answer = try await console.post(
                "/console/sign-in", [("token", token)], planted)
            let first = try #require(answer.cookie).pair
            #expect(first != planted)
            #expect(try await console.signIn(token) != first)
            #expect(try await console.get(Self.customers, planted).status == 303)
            #expect(try await console.get(Self.customers, first).status == 200)
            #expect(
                try await console.get(Self.customers, "\(planted); \(first)").status == 303,
                "of two secrets, one is another page's")
        }
    }

    @Test("a stolen session ends at once with its key, its sign-out and its 12 hours")
    func ends() async throws {
        try await ConsoleFixture.run { console in
            let token = try await console.token(.support)
            let id = try #require(APIToken(token)?.id)
            let (stolen, other) = (try await console.signIn(token), try await console.signIn())
            let page = try await console.get(Self.customers, stolen)
            #expect(page.status == 200)
            let out = try await console.post(
                "/console/sign-out", [("formToken", try #require(page.formToken))], stolen)
            #expect(out["location"] == "/console/sign-in")
            #expect(out.cookie?.attributes.contains("Max-Age=0") == true)
            #expect(try await console.get(Self.customers, stolen).status == 303, "signed out")

            let again = try await console.signIn(token)
            let isRevoked = try await console.useCases.apiKeys.revoke(id)
            #expect(isRevoked)
            #expect(try await console.get(Self.customers, again).status == 303, "its key is revoked")

            let soon = console.clock.now.adding(milliseconds: 3_600_000)
            let short = try await console.signIn(try await console.token(.support, expiresAt: soon))
            console.clock.advance(hours: 1)
            #expect(try await console.get(Self.customers, short).status == 303, "its key has expired")

            #expect(try await console.get(Self.customers, other).status == 200)
            console.clock.advance(hours: 11)
            let late = try await console.get("\(Self.customers)?q=100", other)
            #expect(late.status == 303, "the session has expired")
            #expect(late["location"] == "/console/sign-in?next=%2fconsole%2fcustomers%3fq%3d100")
            _ = try await console.signIn()
            let kept = try await console.texts("SELECT digest FROM console_session").count
            #expect(kept == 1, "signing in removes the sessions that have expired")
        }
    }

    @Test("the database holds no secret that a cookie could be made of")
    func digests() async throws {
        try await ConsoleFixture.run { console in
            let session = try await console.signIn()
            let secret = try #require(session.split(separator: "=").last)
            let digests = try await console.texts("SELECT digest FROM console_session")
            #expect(digests.count == 1)
            #expect(!digests.contains(String(secret)))
            let copied = "offerd-console=\(digests[0])"
            #expect(try await console.get(Self.customers, copied).status == 303)
        }
    }

    @Test("the cookie goes to the console alone, to no script and with no other site's request")
    func cookieFlags() async throws {
        let proxy = try IPNetwork("127.0.0.1/32")
        try await ConsoleFixture.run(trustedProxies: [proxy]) { console in
            let fields = [("token", try await console.token(.support))]
            let own = [("Sec-Fetch-Site", "same-origin")]
            let plain = try #require(try await console.post("/console/sign-in", fields).cookie)
            #expect(plain.pair.hasPrefix("offerd-console="))
            #expect(plain.attributes == ["Path=/console", "HttpOnly", "SameSite=Strict"])
            for header in [("X-Forwarded-Proto", "https"), ("Forwarded", "for=192.0.2.1;proto=https")] {
                let answer = try await console.post("/console/sign-in", fields, origin: own + [header])
                let secure = try #require(answer.cookie)
                #expect(secure.pair.hasPrefix("__Secure-offerd-console="))
                #expect(secure.attributes == ["Path=/console", "HttpOnly", "SameSite=Strict", "Secure"])
                #expect(try await console.get(Self.customers, secure.pair, [header]).status == 200)
                #expect(try await console.get(Self.customers, secure.pair).status == 303, "not without TLS")
                #expect(try await console.get(Self.customers, plain.pair, [header]).status == 303, "not behind TLS")
            }
        }
        try await ConsoleFixture.run { console in
            let answer = try await console.post(
                "/console/sign-in", [("token", try await console.token(.support))],
                origin: [("Sec-Fetch-Site", "same-origin"), ("X-Forwarded-Proto", "https")])
            #expect(answer.cookie?.pair.hasPrefix("offerd-console=") == true, "a stranger is no proxy")
        }
    }

    @Test("unknown tokens and cookies are slowed down like unknown API keys")
    func guessing() async throws {
        var limits = RateLimits.off
        limits.failedAuthentication = RateLimit(perSecond: 1, burst: 3)
        try await ConsoleFixture.run(rates: RequestRates(limits, clock: { 0 })) { console in
            let real = try await console.signIn()
            let guesses = (0..<6).map {
                "offerd_support_test_000000000000000\($0)_" + String(repeating: "a", count: 64)
            }
            var statuses: [Int] = []
            for guess in guesses {
                statuses.append(try await console.post("/console/sign-in", [("token", guess)]).status)
            }
            #expect(statuses == [401, 401, 401, 429, 429, 429])
            let cookie = "offerd-console=" + String(repeating: "b", count: 64)
            let page = try await console.get(Self.customers, cookie)
            #expect(page.status == 429)
            #expect(page["content-type"] == "text/html; charset=utf-8")
            #expect(try await console.get(Self.customers, real).status == 200, "a session is not held up")
        }
    }

    @Test(
        "open redirect: signing in leads to a page of the console and nowhere else",
        arguments: [
            "https://evil.example/", "//evil.example/console", "/\\evil.example", "/console/../v1/customers",
            "/console/%2e%2e/v1", "/consoles", "/console//evil.example", "/console\\@evil.example",
            "javascript:alert(1)",
            "/console/sign-in", "/console/a#b", "console", " /console", "/console/é",
        ])
    func openRedirect(_ next: String) async throws {
        #expect(LocalPath(next) == nil)
        try await ConsoleFixture.run { console in
            let fields = [("token", try await console.token(.support)), ("next", next)]
            let answer = try await console.post("/console/sign-in", fields)
            #expect(answer["location"] == "/console")
            let form = try await console.get("/console/sign-in?next=\(ConsoleFixture.encoded(next))")
            #expect(!form.text.contains("evil.example"))
        }
    }

    @Test("after signing in, a person is where they wanted to go")
    func redirect() async throws {
        try await ConsoleFixture.run { console in
            let asked = try await console.get("/console/customers?q=a%20b")
            let form = try await console.get(try #require(asked["location"]))
            #expect(form.text.contains(#"name="next" value="/console/customers?q=a%20b""#))
            let fields = [("token", try await console.token(.support)), ("next", "/console/customers?q=a%20b")]
            let answer = try await console.post("/console/sign-in", fields)
            #expect(answer["location"] == "/console/customers?q=a%20b")
        }
    }
}

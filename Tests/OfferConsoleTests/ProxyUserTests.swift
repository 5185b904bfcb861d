import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole

@Suite("People that a proxy signs in")
struct ProxyUserTests {
    private static let path = "/console/customers"
    private static let header = "X-Forwarded-User"

    /// Anna has a `support` key, ben an `admin` key for one network, cleo a key of an app, dora none that there is, and Kim
    /// a `marketing` key.
    private static func users(_ useCases: UseCases) async throws -> ProxyUsers {
        func key(_ role: Role, _ networks: [IPNetwork] = []) async throws -> String {
            let token = try await useCases.apiKeys.create(scope: ConsoleFixture.scope, role: role, networks: networks)
            return token.id
        }
        return ProxyUsers(
            header: header,
            keys: [
                "anna": try await key(.support), "ben": try await key(.admin, [try IPNetwork("198.51.100.0/24")]),
                "cleo": try await key(.client), "dora": "0000000000000000",
                "Kim": try await key(.marketing),
            ])
    }

    private static func run(
        trusting proxies: [String] = ["127.0.0.1/32"], _ body: @escaping @Sendable (ConsoleFixture) async throws -> Void
    ) async throws {
        try await ConsoleFixture.run(
            trustedProxies: try proxies.map { try IPNetwork($0) }, proxyUsers: { try await users($0) }, body)
    }

    private static func named(_ names: String...) -> [(String, String)] { names.map { (header, $0) } }

    private static func key(_ role: Role, of console: ConsoleFixture) async throws -> APIKeySummary {
        try #require(try await console.useCases.apiKeys.list().first { $0.role == role })
    }

    @Test("a person is in without signing in, acts under their name and key, and gets no cookie")
    func signedIn() async throws {
        try await Self.run { console in
            try await console.applyCatalog()
            let issued = try await console.issue("100")
            let path = "/console/issued-offers/\(issued)"
            let page = try await console.get(path, nil, Self.named("anna"))
            let key = try await Self.key(.support, of: console)
            #expect(page.status == 200, "\(page.text)")
            #expect(page.cookie == nil)
            #expect(page.text.contains("<span>anna, support key \(key.id)</span>"))
            #expect(!page.text.contains("Sign out"), "that is the proxy's")
            let fields = [("formToken", try #require(page.formToken)), ("reason", "wrong account")]
            let own = [("Sec-Fetch-Site", "same-origin")]
            let voided = try await console.post("\(path)/void", fields, origin: own + Self.named("anna"))
            #expect(voided.status == 303, "\(voided.text)")
            #expect(try await console.actors("void") == ["\(key.id) (anna)"])
            #expect(try await console.texts("SELECT digest FROM console_session") == [])
            let admin = try await console.get("/console/operations", nil, Self.named("anna"))
            #expect(admin.status == 403, "her key has the role `support`")
        }
    }

    @Test("spoofing: the header of an address that is no trusted proxy says nothing, whatever else it sends")
    func untrusted() async throws {
        for proxies in [[], ["192.0.2.1/32"]] {
            try await Self.run(trusting: proxies) { console in
                let more = [
                    [], [("X-Forwarded-For", "192.0.2.1")], [("Forwarded", "for=192.0.2.1;proto=https")],
                    [("X-Forwarded-Host", "127.0.0.1")],
                ]
                for headers in more {
                    let page = try await console.get(Self.path, nil, Self.named("anna") + headers)
                    #expect(page.status == 303, "\(headers)")
                    #expect(page["location"] == "/console/sign-in?next=%2fconsole%2fcustomers")
                }
                let form = try await console.post(
                    "/console/customers/refresh", [("q", "1")],
                    origin: [("Sec-Fetch-Site", "same-origin")] + Self.named("anna"))
                #expect(form["location"] == "/console/sign-in")
            }
        }
    }

    @Test(
        "a name that is not in the configuration as it is written names no person",
        arguments: [
            "", "Anna", "anna,ben", "anna ben", "anne", "anna\u{301}", "eve", "*", "0000000000000000", "\u{212A}im",
        ])
    func unknown(_ name: String) async throws {
        try await Self.run { console in
            let page = try await console.get(Self.path, nil, Self.named(name))
            #expect(page.status == 303)
        }
    }

    private static func signIn(
        _ console: ConsoleFixture, _ name: String, _ headers: [(String, String)] = []
    ) async throws -> String {
        let token = try await console.token(.support)
        return try await console.signIn(token, name: name, headers: [("Sec-Fetch-Site", "same-origin")] + headers)
    }

    @Test("a person without an entry signs in with an API key, under the proxy's name")
    func signInBesideProxy() async throws {
        try await Self.run { console in
            let session = try await Self.signIn(console, "Anna", Self.named("eve"))
            let page = try await console.get(Self.path, session, Self.named("eve"))
            #expect(page.status == 200)
            #expect(page.text.contains("<span>eve, support key"), "\(page.text)")
        }
    }

    @Test("session of the person before: a cookie is worth nothing where the proxy names another person")
    func cookieOfAnother() async throws {
        try await Self.run { console in
            let session = try await Self.signIn(console, "eve", Self.named("eve"))
            for name in ["mallory", "Eve", "eve\u{301}", "\u{212A}im"] {
                let page = try await console.get(Self.path, session, Self.named(name))
                #expect(page.status == 303, "\(name)")
            }
            let unnamed = try await Self.signIn(console, "eve")
            #expect(try await console.get(Self.path, unnamed, Self.named("mallory")).status == 303)
            #expect(try await console.get(Self.path, unnamed, Self.named("")).status == 200, "no name is none")
        }
    }

    @Test("a header that is given twice, a key that is not there and one of an app are refused in words")
    func refused() async throws {
        try await Self.run { console in
            let cases: [([(String, String)], String)] = [
                (Self.named("anna", "anna"), "is given 2 times"), (Self.named("eve", "anna"), "is given 2 times"),
                (Self.named("dora"), "`0000000000000000` of `dora` is unknown, revoked or expired"),
                (Self.named("cleo"), "the API key has the role `client`"),
                (Self.named(String(repeating: "é", count: 128)), "has 256 bytes, more than 255"),
            ]
            for (headers, words) in cases {
                let page = try await console.get(Self.path, nil, headers)
                #expect(page.status == 403)
                #expect(page.says(words), "\(page.text)")
                #expect(page.text.contains("role may not do this") == words.contains("has the role"))
            }
        }
    }

    @Test("revocation and networks of the key hold for the next request, and its person wins over a cookie")
    func key() async throws {
        try await Self.run { console in
            let session = try await console.signIn(.marketing)
            let support = try await Self.key(.support, of: console)
            let page = try await console.get(Self.path, session, Self.named("anna"))
            #expect(page.text.contains("anna, support key \(support.id)"))
            let isRevoked = try await console.useCases.apiKeys.revoke(support.id)
            #expect(isRevoked)
            let revoked = try await console.get(Self.path, session, Self.named("anna"))
            #expect(revoked.status == 403)
            #expect(revoked.text.contains("unknown, revoked or expired"))

            for (address, status) in [("198.51.100.7", 200), ("203.0.113.1", 403), ("unknown", 403)] {
                let headers = Self.named("ben") + [("X-Forwarded-For", address)]
                #expect(try await console.get(Self.path, nil, headers).status == status, "\(address)")
            }
        }
    }

    @Test("XS-Leaks: a page of another site learns nothing by embedding a page, but its links are followed")
    func embedded() async throws {
        try await Self.run { console in
            let asked: [(site: String, destination: String, status: Int)] = [
                ("cross-site", "image", 403), ("cross-site", "script", 403), ("cross-site", "object", 403),
                ("cross-site", "iframe", 403), ("cross-site", "empty", 403), ("same-site", "empty", 403),
                ("cross-site", "document", 200), ("same-origin", "empty", 200), ("none", "document", 200),
            ]
            for (site, destination, status) in asked {
                let headers = [("Sec-Fetch-Site", site), ("Sec-Fetch-Dest", destination)] + Self.named("anna")
                let page = try await console.get(Self.path, nil, headers)
                #expect(page.status == status, "\(site) \(destination)")
            }
            let twice = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-origin")] + Self.named("anna")
            let answers = try await [
                console.get(Self.path, nil, twice), console.get("/console/customers?q=ada", nil, twice),
            ]
            #expect(answers.map(\.status) == [403, 403], "whatever there is")
        }
    }

    @Test("CSRF: a form needs the token of its own person, and comes from the console")
    func forged() async throws {
        try await Self.run { console in
            let from = ("X-Forwarded-For", "198.51.100.7")
            let tokens = [
                try await console.get(Self.path, nil, Self.named("anna")).formToken,
                try await console.get(Self.path, nil, Self.named("ben") + [from]).formToken,
                try await console.get(Self.path, try await console.signIn()).formToken, "",
            ]
            #expect(Set(tokens).count == 4)
            for (place, token) in tokens.enumerated() {
                for site in ["same-origin", "cross-site"] {
                    let answer = try await console.post(
                        "/console/signatures", [("formToken", try #require(token)), ("format", "v1")],
                        origin: [("Sec-Fetch-Site", site)] + Self.named("anna"))
                    let isAccepted = place == 0 && site == "same-origin"
                    #expect((answer.status != 403) == isAccepted, "\(place) \(site): \(answer.status)")
                }
            }
        }
    }
}

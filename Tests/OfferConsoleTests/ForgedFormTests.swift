import OfferModel
import Testing

@Suite("Forms that others forge")
struct ForgedFormTests {
    @Test("CSRF: a form does nothing without the token of its own session, or from another site")
    func forged() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let issued = try await console.issue("100")
            let path = "/console/issued-offers/\(issued)"
            let (session, other) = (try await console.signIn(), try await console.signIn())
            let token = try #require(try await console.get(path, session).formToken)
            let foreign = try #require(try await console.get(path, other).formToken)
            #expect(token != foreign)
            let own = [("Sec-Fetch-Site", "same-origin")]
            let origin = "http://127.0.0.1:\(console.port)"
            let attempts: [(String?, [(String, String)], String)] = [
                (nil, own, "missing token"), ("", own, "empty token"),
                (String(repeating: "0", count: 64), own, "wrong"),
                (foreign, own, "of another session"), (token + "0", own, "longer"),
                (token, [], "no word of where it comes from"),
                (token, [("Sec-Fetch-Site", "cross-site")], "another site"),
                (token, [("Sec-Fetch-Site", "same-site")], "another host of the site"),
                (token, [("Sec-Fetch-Site", "cross-site"), ("Origin", origin)], "another site that states an origin"),
                (token, [("Origin", "https://evil.example")], "another origin"),
                (token, [("Origin", "null")], "no origin"),
                (token, [("Origin", origin + "0")], "another port"),
            ]
            for (given, headers, name) in attempts {
                let fields = [("reason", "forged")] + (given.map { [("formToken", $0)] } ?? [])
                let answer = try await console.post("\(path)/void", fields, session, origin: headers)
                #expect(answer.status == 403, "\(name): \(answer.text)")
                #expect(answer["content-type"] == "text/html; charset=utf-8")
                #expect(answer.text.contains("<title>the form was not accepted"))
            }
            let fields = [("reason", "asked by the customer"), ("formToken", token)]
            #expect(try await console.post("\(path)/void", fields, nil).status == 303, "no session")
            #expect(try await console.actors("void") == [], "nothing was voided")
            #expect(try await console.post("\(path)/void", fields, session, origin: [("Origin", origin)]).status == 303)
            #expect(try await console.get(path, session).text.contains("asked by the customer"))
        }
    }

    @Test("CSRF: another site cannot sign a person in as another person")
    func signIn() async throws {
        try await ConsoleFixture.run { console in
            let fields = [("token", try await console.token(.support))]
            for headers in [[("Sec-Fetch-Site", "cross-site")], [("Origin", "https://evil.example")], []] {
                let answer = try await console.post("/console/sign-in", fields, origin: headers)
                #expect(answer.status == 403)
                #expect(answer.cookie == nil)
            }
        }
    }

    @Test("a form that is none, or too large, is refused on a page")
    func malformed() async throws {
        try await ConsoleFixture.run { console in
            let own = ("Sec-Fetch-Site", "same-origin")
            let type = ("Content-Type", "application/x-www-form-urlencoded")
            let cases: [([(String, String)], String, Int)] = [
                ([own, ("Content-Type", "application/json")], "{}", 415), ([own], "token=a", 415),
                ([own, type], "token=a&token=b", 400), ([own, type], "admin=1", 400), ([own, type], "token=%", 400),
                ([own, type], "token=\(String(repeating: "a", count: 100_000))", 413), ([own, type], "", 401),
            ]
            for (headers, body, status) in cases {
                let answer = try await Browser.send(
                    port: console.port, "POST", "/console/sign-in", headers, body: body)
                #expect(answer.status == status, "\(body.prefix(40))")
                #expect(answer["content-type"] == "text/html; charset=utf-8")
            }
        }
    }
}

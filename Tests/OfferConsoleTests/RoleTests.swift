import OfferModel
import Testing

@Suite("Roles at the console")
struct RoleTests {
    @Test("keys of an app and of a backend are refused in words", arguments: [Role.app, .client])
    func refused(_ role: Role) async throws {
        try await ConsoleFixture.run { console in
            let answer = try await console.post("/console/sign-in", [("token", try await console.token(role))])
            #expect(answer.status == 403)
            #expect(answer.cookie == nil)
            #expect(answer.says("the API key has the role `\(role.rawValue)`"))
        }
    }

    @Test("a session sees its key's app and environment alone, and every page says which they are")
    func scope() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let issued = try await console.issue("100")
            let other = Scope(bundleId: "com.example.other", environment: .production)
            let session = try await console.signIn(try await console.token(.admin, scope: other))
            #expect(try await console.get("/console/customers?q=100", session).status == 404)
            #expect(try await console.get("/console/issued-offers/\(issued)", session).status == 404)
            let pages = [
                "/console", "/console/customers", "/console/signatures", "/console/nowhere", "/console/decisions/x",
            ]
            for page in pages.dropLast(2) {
                let text = try await console.get(page, session).text
                #expect(text.contains(#"<p class="scope Production"><strong>Production</strong>"#), "\(page)")
                #expect(text.contains("com.example.other"))
            }
            let error = try await console.get("/console/decisions/x", session).text
            #expect(error.contains(#"class="scope Production""#), "errors too")
        }
    }

    @Test("the audit names the key, and the person if they gave a name")
    func person() async throws {
        try await ConsoleFixture.run { console in
            try await console.applyCatalog()
            let tokens = [try await console.token(.support), try await console.token(.support)]
            for (number, (token, name)) in zip(tokens, ["anna", ""]).enumerated() {
                let issued = try await console.issue("10\(number)", customerId: "customer \(number)")
                let session = try await console.signIn(token, name: name)
                let page = try await console.get("/console/issued-offers/\(issued)", session)
                let fields = [("formToken", try #require(page.formToken)), ("reason", "typed wrongly")]
                _ = try await console.post("/console/issued-offers/\(issued)/void", fields, session)
            }
            let ids = tokens.map { String($0.split(separator: "_")[3]) }
            #expect(try await console.actors("void") == ["\(ids[0]) (anna)", ids[1]])
        }
    }
}

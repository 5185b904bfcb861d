import OfferModel
import OfferTestSupport
import Testing

@Suite("Grants at a customer's page")
struct GrantPageTests {
    private static let page = "/console/customers?q=100&kind=originalTransactionId"
    private static let customer = [("q", "100"), ("kind", "originalTransactionId")]

    private static let catalog =
        TestCatalog.head + TestCatalog.comeback(to: "expired") + TestCatalog.comeback("winter", to: "subscribed")

    @Test("support grants an offer once that its rules refuse, and revokes it, as the API shows and the audit records")
    func grant() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.catalog)
            _ = try await console.issue("100")
            let session = try await console.signIn()
            let before = try await console.get(Self.page, session)
            #expect(before.text.contains(#"<option value="winter">winter</option>"#), "\(before.text)")

            let fields = Self.customer + [("offer", "winter"), ("reason", "promised"), ("until", "2099-12-01")]
            let granted = try await console.send("/console/grants", from: Self.page, session, fields)
            #expect(granted.status == 303 && granted["location"] == Self.page, "\(granted.text)")
            #expect(try await console.actors("grant").count == 1)
            let token = try await console.token(.support)
            let path = "/v1/grants?originalTransactionId=100"
            let items = try await console.ask("GET", path, token: token)["items"] as? [[String: Any]]
            let grant = try #require(items?.first)
            let id = try #require(grant["grantId"] as? String)
            #expect(grant["reason"] as? String == "promised")
            #expect(grant["expiresAt"] as? Int == 4_099_766_400_000)
            let key = try #require(grant["actor"] as? String)
            #expect(key.count == 16 && grant["person"] as? String == "anna")
            let after = try await console.get(Self.page, session)
            #expect(after.text.contains(#"winter <span class="badge">open</span>"#), "\(after.text)")
            #expect(after.text.contains("by key \(key), anna, until "), "\(after.text)")
            #expect(!after.text.contains(#"<option value="winter">"#), "the offer is not refused any more")

            let revoked = try await console.send(
                "/console/grants/\(id)/revoke", from: Self.page, session, Self.customer)
            #expect(revoked["location"] == Self.page)
            let shown = try await console.get(Self.page, session)
            #expect(shown.text.contains(#"winter <span class="badge">revoked</span>"#))
            #expect(!shown.text.contains("/console/grants/\(id)/revoke"))
            #expect(shown.text.contains("was revoked by key \(key), anna (grant "), "\(shown.text)")
        }
    }

    private static let refused: [(fields: [(String, String)], status: Int, words: String)] = [
        (customer + [("offer", "winter")], 400, "is not a reason"),
        (customer + [("offer", "winter"), ("reason", String(repeating: "a", count: 256))], 400, "255"),
        (customer + [("offer", "nonsense"), ("reason", "a")], 404, "nonsense"),
        (customer + [("reason", "a")], 400, "is not an offer"),
        (customer + [("offer", "winter"), ("reason", "a"), ("until", "tomorrow")], 400, "is not a day"),
        (customer + [("offer", "winter"), ("reason", "a"), ("until", "2020-01-01")], 400, "which has passed"),
        (
            [("q", "999"), ("kind", "originalTransactionId"), ("offer", "winter"), ("reason", "a")], 404,
            "no customer"
        ),
        (
            [("q", "100"), ("kind", "shoeSize"), ("offer", "winter"), ("reason", "a")], 400,
            "is not an identifier of a customer"
        ),
        ([("offer", "winter"), ("reason", "a")], 400, "is not an identifier of a customer"),
        (customer + [("offer", "winter"), ("reason", "a"), ("price", "0")], 400, "there is no parameter"),
    ]

    @Test("a grant without a reason, customer, offer or future is refused in words, and nothing is granted")
    func mistakes() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.catalog)
            _ = try await console.issue("100")
            let session = try await console.signIn()
            for (fields, status, words) in Self.refused {
                let answer = try await console.send("/console/grants", from: Self.page, session, fields)
                #expect(answer.status == status && answer.text.contains(words), "\(fields): \(answer.text)")
            }
            for id in ["1", "00000000-0000-4000-8000-000000000000"] {
                let answer = try await console.send(
                    "/console/grants/\(id)/revoke", from: Self.page, session, Self.customer)
                #expect(answer.status == 404, "\(answer.text)")
            }
            let marketing = try await console.signIn(.marketing)
            let fields = Self.customer + [("offer", "winter"), ("reason", "a")]
            #expect(try await console.send("/console/grants", from: "/console/offers", marketing, fields).status == 403)
            #expect(try await console.actors("grant") == [])
        }
    }
}

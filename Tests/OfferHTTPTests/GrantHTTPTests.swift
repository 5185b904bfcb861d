import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("Grants over HTTP")
struct GrantHTTPTests {
    private static func body(_ offer: String = "comeback", reason: String = "ticket 4711", more: String = "") -> String
    {
        #"{"customer":{"originalTransactionId":"100"},"offerId":"\#(offer)","reason":"\#(reason)"\#(more)}"#
    }

    /// A service with a catalog and a customer who got `comeback`, which was voided, so that it counts on.
    private static func run(_ body: @escaping @Sendable (ServiceFixture, _ support: String) async throws -> Void)
        async throws
    {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let support = try await service.token(.support)
            let first = try await issue(on: service)
            let id = try #require(first.json["issuedOfferId"] as? String, "\(first.text)")
            _ = try await service.ask(
                "POST", "/v1/issued-offers/\(id)/void", token: support, body: #"{"reason":"x"}"#)
            try await body(service, support)
        }
    }

    private static func issue(on service: ServiceFixture) async throws -> RawAnswer {
        try await service.ask(
            "POST", "/v1/issued-offers", token: try await service.token(.client),
            body: service.issueBody("comeback", try service.lapsedCustomer("100")))
    }

    @Test("support grants, the customer's next request uses it, and staff and accounting see it")
    func granted() async throws {
        try await Self.run { service, support in
            #expect(try await Self.issue(on: service).code == "not-eligible")
            let grant = try await service.ask("POST", "/v1/grants", token: support, body: Self.body())
            #expect(grant.status == 201, "\(grant.text)")
            #expect(grant.json["state"] as? String == "open")
            #expect(grant.json["reason"] as? String == "ticket 4711")
            let id = try #require(grant.json["grantId"] as? String)
            let dryRun = try await service.ask(
                "POST", "/v1/decisions", token: support,
                body: #"{"customer":{"originalTransactionId":"100"},"offerIds":["comeback"]}"#)
            #expect(dryRun.text.contains(#""verdict":"lifted""#))
            let issued = try await Self.issue(on: service)
            #expect(issued.status == 201, "\(issued.text)")
            #expect(issued.json["grantId"] as? String == id)
            let again = try await service.ask("DELETE", "/v1/grants/\(id)", token: support)
            #expect(again.code == "grant-used")
            let list = try await service.ask("GET", "/v1/grants?originalTransactionId=100", token: support)
            let items = try #require(list.json["items"] as? [[String: Any]])
            #expect(items.map { $0["state"] as? String } == ["used"])
            #expect(items.map { $0["issuedOfferId"] as? String } == [issued.json["issuedOfferId"] as? String])
            let story = try await service.ask("GET", "/v1/customers?identifier=100", token: support)
            #expect((story.json["grants"] as? [Any])?.count == 1)
            let export = try await service.ask("GET", "/v1/issued-offers/export", token: support)
            #expect(export.text.contains(#""grantId":"\#(id)""#))
            let events = try await service.ask("GET", "/v1/events?type=offer.issued", token: support)
            let data = try #require(events.json["items"] as? [[String: Any]]).map { $0["data"] as? [String: Any] }
            #expect(data.map { $0?["grantId"] as? String } == [nil, id], "\(events.text)")
            let counted = try await service.ask(
                "GET", "/v1/events?type=offer.issued", token: try await service.token(.marketing))
            #expect(counted.status == 200 && !counted.text.contains(id))
        }
    }

    @Test("a `client` key sees no grants: neither how a decision came about nor the calls")
    func roles() async throws {
        try await Self.run { service, support in
            _ = try await service.ask("POST", "/v1/grants", token: support, body: Self.body())
            for role in [Role.client, .app, .marketing] {
                let token = try await service.token(role)
                for (method, path) in [
                    ("POST", "/v1/grants"), ("GET", "/v1/grants?customerId=x"), ("DELETE", "/v1/grants/x"),
                ] {
                    let answer = try await service.ask(
                        method, path, token: token, body: method == "POST" ? Self.body() : nil)
                    #expect(answer.status == 403 && answer.code == "forbidden", "\(role) \(method)")
                }
            }
            let answer = try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.client),
                body: #"{"customer":{"originalTransactionId":"100"},"offerIds":["comeback"]}"#)
            #expect(!answer.text.contains("grant") && !answer.text.contains("lifted"))
        }
    }

    @Test(
        "what no grant can be made of is refused in words, and nothing is recorded",
        arguments: [
            (body("nothing"), 404, "unknown-offer"),
            (body(reason: ""), 400, "invalidLength"),
            (body(reason: String(repeating: "x", count: 256)), 400, "invalidLength"),
            (body(reason: "a\\u0000b"), 400, "invalidValue"),
            (body(more: #","expiresAt":1"#), 400, "has passed"),
            (body(more: #","expiresAt":-1"#), 400, "invalidValue"),
            (body(more: #","expiresAt":9223372036854775807"#), 400, "invalidValue"),
            (body(more: #","expiresAt":"2026-01-01""#), 400, "wrongType"),
            (body(more: #","count":2"#), 400, "unknownMember"),
            (#"{"customer":{},"offerId":"comeback","reason":"x"}"#, 400, "missingMember"),
            (#"{"offerId":"comeback","reason":"x"}"#, 400, "missingMember"),
            (#"{"customer":{"customerId":"👻"},"offerId":"comeback","reason":"x"}"#, 404, "unknown-customer"),
            (
                #"{"customer":{"originalTransactionId":"404"},"offerId":"comeback","reason":"x"}"#, 404,
                "unknown-customer"
            ),
            ("", 400, "malformedJson"), ("[]", 400, "wrongType"),
        ])
    func refused(_ body: String, _ status: Int, _ words: String) async throws {
        try await Self.run { service, support in
            let answer = try await service.ask("POST", "/v1/grants", token: support, body: body)
            #expect(answer.status == status && answer.text.contains(words), "\(answer.text)")
            let list = try await service.ask("GET", "/v1/grants?originalTransactionId=100", token: support)
            #expect((list.json["items"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("an archived offer is not granted, and a second grant names the first")
    func existing() async throws {
        try await Self.run { service, support in
            let first = try await service.ask("POST", "/v1/grants", token: support, body: Self.body())
            let id = try #require(first.json["grantId"] as? String)
            let second = try await service.ask("POST", "/v1/grants", token: support, body: Self.body())
            #expect(second.status == 409 && second.code == "grant-exists")
            #expect((second.json["detail"] as? String)?.contains(id) == true)
            for _ in 0..<2 {
                let revoked = try await service.ask("DELETE", "/v1/grants/\(id)", token: support)
                #expect(revoked.status == 200 && revoked.json["state"] as? String == "revoked", "\(revoked.text)")
            }
            #expect(try await Self.issue(on: service).code == "not-eligible")
            let unknown = try await service.ask("DELETE", "/v1/grants/not-an-id", token: support)
            #expect(unknown.status == 404 && unknown.code == "unknown-grant")
            let archived = TestCatalog.yaml.replacing("status: active", with: "status: archived")
            _ = try await service.useCases.catalogs.apply(
                archived, format: .yaml, expectedRevision: 1, message: nil, dryRun: false,
                caller: Caller(apiKeyId: "k", scope: ServiceFixture.scope, role: .marketing))
            let refused = try await service.ask("POST", "/v1/grants", token: support, body: Self.body())
            #expect(refused.status == 400 && refused.text.contains("is archived"), "\(refused.text)")
        }
    }
}

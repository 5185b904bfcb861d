import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("A trial that is given again over HTTP")
struct TrialAgainHTTPTests {
    private static func catalog(_ again: String) -> String {
        TestCatalog.yaml.replacing(
            "    periodCount: 1\n    status: active\n    limits: []\n  - id: either",
            with: "    periodCount: 1\n    status: active\n\(again)    limits: []\n  - id: either")
    }

    @Test("a second trial is signed `true` once its time has come, `false` before; without `again` always `false`")
    func secondTrial() async throws {
        try await ServiceFixture.run { service in
            let (client, marketing) = (try await service.token(.client), try await service.token(.marketing))
            let customer = try service.lapsedCustomer("100")
            func apply(_ text: String, over revision: Int) async throws -> RawAnswer {
                try await service.ask(
                    "PUT", "/v1/catalog", token: marketing, body: text,
                    headers: [("Content-Type", "application/yaml"), ("If-Match", "\"\(revision)\"")])
            }
            func issue() async throws -> RawAnswer {
                try await service.ask(
                    "POST", "/v1/issued-offers", token: client, body: service.issueBody("trial", customer))
            }
            func statement(_ answer: [String: Any]?) throws -> [String: Any] {
                let statement = answer?["introductoryEligibility"] as? [String: Any]
                return try service.claims(try #require(statement?["jws"] as? String))
            }

            #expect(try await apply(Self.catalog(""), over: 0).status == 200)
            let used = try await issue()
            #expect(used.status == 403, "\(used.text)")
            #expect(try statement(used.json)["allowIntroductoryOffer"] as? Bool == false)

            // The trial ended four months less a week ago.
            let early = try await apply(Self.catalog("    again: { after: P12M }\n"), over: 1)
            #expect(early.status == 200, "\(early.text)")
            #expect(early.text.contains(#""path":"again","to":"P1Y""#), "\(early.text)")
            let refused = try await issue()
            #expect(refused.status == 403, "\(refused.text)")
            let findings = try #require(refused.json["findings"] as? [[String: Any]])
            #expect(findings.map { $0["rule"] as? String } == ["rule.again"])
            #expect(findings.map { $0["reason"] as? String } == ["redeemedTooRecently"])
            #expect(try statement(refused.json)["allowIntroductoryOffer"] as? Bool == false)

            #expect(try await apply(Self.catalog("    again: { after: P3M }\n"), over: 2).status == 200)
            let granted = try await issue()
            #expect(granted.status == 201, "\(granted.text)")
            let claims = try statement(granted.json["signatures"] as? [String: Any])
            #expect(claims["allowIntroductoryOffer"] as? Bool == true)
            #expect(claims["aud"] as? String == "introductory-offer-eligibility")
            #expect(claims["transactionId"] as? String == "100")

            let id = try #require(granted.json["issuedOfferId"] as? String)
            let replay = try await service.ask(
                "POST", "/v1/issued-offers/\(id)/replay", token: try await service.token(.support), body: "{}")
            #expect((replay.json["differences"] as? [Any])?.isEmpty == true, "\(replay.text)")
            let offers = try await service.ask("GET", "/v1/offers", token: marketing)
            #expect(offers.text.contains(#""again":{"after":"P3M"}"#), "\(offers.text)")
        }
    }
}

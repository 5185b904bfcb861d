import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("The placement of a request over HTTP")
struct PlacementHTTPTests {
    private static let offer = """
          - id: paywall
            type: promotional
            offerIdentifier: paywall50
            products: [monthly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            eligibility: { fact: request.placement, in: [onboarding, settings.cancel] }
            limits: [ { count: 1, per: customer } ]

        """

    @Test("decides a condition, is replayed, and splits the funnel by each customer's first request")
    func funnel() async throws {
        try await ServiceFixture.run { service in
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            let marketing = try await service.token(.marketing)
            let applied = try await service.ask(
                "PUT", "/v1/catalog", token: marketing, body: TestCatalog.yaml + Self.offer,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
            try #require(applied.status == 200, "\(applied.text)")
            func issue(_ id: String, _ placement: String?) async throws -> RawAnswer {
                service.clock.advance(milliseconds: 1)
                return try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: service.issueBody(
                        "paywall", try service.lapsedCustomer(id), customer: "customer-\(id)",
                        more: placement.map { #","request":{"placement":"\#($0)"}"# } ?? ""
                    ))
            }
            let first = try await issue("100", "onboarding")
            #expect(first.status == 201, "\(first.text)")
            #expect(try await issue("200", "home").status == 403)
            // The later placement gives the offer and does not move the customer.
            #expect(try await issue("200", "settings.cancel").status == 201)
            let silent = try await issue("300", nil)
            #expect(silent.status == 422 && silent.text.contains("deviceUnknown"), "\(silent.text)")
            #expect(try await issue("400", "onboarding").status == 201)

            let id = try #require(first.json["issuedOfferId"] as? String)
            let replay = try await service.ask("POST", "/v1/issued-offers/\(id)/replay", token: support, body: "{}")
            #expect(replay.status == 200 && (replay.json["differences"] as? [Any])?.isEmpty == true, "\(replay.text)")

            service.clock.advance(milliseconds: 1)
            let report = try await service.ask("GET", "/v1/reports/funnel?offerId=paywall", token: marketing)
            let funnel = try #require((report.json["offers"] as? [[String: Any]])?.first)
            let placements = try #require(funnel["placements"] as? [[String: Any]])
            #expect(placements.map { $0["placement"] as? String } == ["onboarding", nil, "home"])
            func count(_ stage: String) -> [Int?] {
                placements.map { ($0["stages"] as? [String: Any])?[stage] as? Int }
            }
            #expect(count("evaluated") == [2, 1, 1])
            #expect(count("issued") == [2, 0, 1])
        }
    }

    @Test(
        "is a name; anything else is refused, by issue requests and dry-runs alike",
        arguments: ["", "main paywall", ".home", "é", String(repeating: "x", count: 65)])
    func names(placement: String) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            let request = #""customer":{"customerId":"anna"},"request":{"placement":"\#(placement)"}"#
            for (path, offer) in [("/v1/issued-offers", #""offerId":"comeback","#), ("/v1/decisions", "")] {
                let answer = try await service.ask("POST", path, token: client, body: "{\(offer)\(request)}")
                #expect(answer.status == 400, "\(answer.text)")
                #expect(answer.errors.map { $0["pointer"] as? String } == ["/request/placement"])
                #expect(
                    answer.errors.first?["hint"] as? String
                        == "letters, digits, `.`, `_` and `-`, a letter or digit first, at most 64 characters")
            }
        }
    }
}

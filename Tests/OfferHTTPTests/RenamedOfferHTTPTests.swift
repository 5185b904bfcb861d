import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("A renamed offer over HTTP")
struct RenamedOfferHTTPTests {
    private static let total = """
          - id: first-hundred
            type: promotional
            offerIdentifier: hundred50
            products: [monthly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            limits: [ { count: 2 } ]

        """

    private func apply(_ text: String, over revision: Int, on service: ServiceFixture) async throws -> RawAnswer {
        try await service.ask(
            "PUT", "/v1/catalog", token: try await service.token(.marketing), body: text,
            headers: [("Content-Type", "application/yaml"), ("If-Match", "\"\(revision)\"")])
    }

    @Test(
        "what was issued under the former id is handed out again, counts, and is replayed; the former id is answered with the new one"
    )
    func renamed() async throws {
        try await ServiceFixture.run { service in
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            func issue(_ offer: String, _ id: String) async throws -> RawAnswer {
                try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: service.issueBody(offer, try service.lapsedCustomer(id))
                        .replacing("somebody", with: "customer-\(id)"))
            }
            let before = TestCatalog.yaml + Self.total
            #expect(try await apply(before, over: 0, on: service).status == 200)
            let first = try await issue("comeback", "100")
            let id = try #require(first.json["issuedOfferId"] as? String)
            #expect(try await issue("first-hundred", "200").status == 201)

            let after = before.replacing("id: comeback\n", with: "id: return\n    formerly: comeback\n")
                .replacing("id: first-hundred\n", with: "id: hundred\n    formerly: [first-hundred]\n")
            let applied = try await apply(after, over: 1, on: service)
            #expect(
                applied.text == #"""
                    {"changes":[{"change":"changed","from":"comeback","offerId":"return","path":"id","to":"return"},{"change":"changed","from":"first-hundred","offerId":"hundred","path":"id","to":"hundred"}],"revision":2}
                    """#)

            let again = try await issue("return", "100")
            #expect(again.status == 200 && again.json["issuedOfferId"] as? String == id, "\(again.text)")
            #expect(try await issue("hundred", "300").status == 201)
            let refused = try await issue("hundred", "400")
            #expect(refused.status == 403, "\(refused.text)")
            #expect((refused.json["findings"] as? [[String: Any]])?.map { $0["rule"] as? String } == ["limit.total"])

            let former = try await issue("comeback", "100")
            #expect(former.status == 404 && former.code == "unknown-offer")
            #expect(former.text.contains("the catalog has no offer `comeback`: it is `return` now"), "\(former.text)")
            #expect(former.text.contains("request `return`; uses of `comeback` count for it"), "\(former.text)")

            for revision in ["", #""catalogRevision":2"#] {
                let replay = try await service.ask(
                    "POST", "/v1/issued-offers/\(id)/replay", token: support, body: "{\(revision)}")
                #expect(replay.status == 200, "\(replay.text)")
                #expect((replay.json["recomputed"] as? [String: Any])?["outcome"] as? String == "eligible")
            }
            let offers = try await service.ask("GET", "/v1/offers", token: support)
            let items = try #require(offers.json["items"] as? [[String: Any]])
            #expect(items.map { $0["offerId"] as? String } == ["return", "trial", "either", "hundred"])
            #expect(items.map { $0["formerly"] as? [String] } == [["comeback"], nil, nil, ["first-hundred"]])
            #expect((items.last?["used"] as? [String: Any])?["uses"] as? Int == 2)
        }
    }

    @Test("all mistakes of a mapping are reported together")
    func mistakes() async throws {
        try await ServiceFixture.run { service in
            let wrong = TestCatalog.yaml
                .replacing("id: comeback\n", with: "id: comeback\n    formerly: [trial, 7]\n")
                .replacing("{ fact: subscription.state, in: [expired] }", with: "{ fact: subscription.staet }")
                .replacing("{ count: 1, per: customer }", with: "{ count: 0, per: device, across: some }")
            let answer = try await apply(wrong, over: 0, on: service)
            #expect(answer.status == 422, "\(answer.text)")
            let errors = try #require(answer.json["errors"] as? [[String: Any]])
            #expect(
                errors.map { "\($0["line"] ?? "") \($0["path"] ?? ""): \($0["detail"] ?? "")" } == [
                    "9 offers[0].formerly[0]: `trial` is the id of an offer in this catalog",
                    "9 offers[0].formerly[1]: this must be text, not a number",
                    "18 offers[0].eligibility: the comparison has no operator",
                    "18 offers[0].eligibility: unknown fact `subscription.staet`",
                    "19 offers[0].limits[0].count: 0 is not from 1 to 1000000000",
                    "19 offers[0].limits[0].per: unknown value `device`",
                    "19 offers[0].limits[0].across: unknown value `some`",
                ])
        }
    }
}

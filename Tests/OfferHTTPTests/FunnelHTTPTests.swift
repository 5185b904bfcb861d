import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("The funnel report over HTTP")
struct FunnelHTTPTests {
    private func seconds(_ count: Int64) -> Int64 { count * 1_000 }

    @Test("who was issued an offer and who was refused it is counted, the reasons and the nominal cost are told")
    func report() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, marketing) = (try await service.token(.client), try await service.token(.marketing))
            let start = service.clock.now
            for id in ["100", "200"] {
                let body = service.issueBody("comeback", try service.lapsedCustomer(id))
                    .replacing("somebody", with: "customer-\(id)")
                let answer = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
                #expect(answer.status == 201, "\(answer.text)")
            }
            let subscriber = try service.subscriber("300", boughtAt: start.adding(milliseconds: -seconds(86_400)))
            let refused = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: service.issueBody("comeback", subscriber).replacing("somebody", with: "customer-300"))
            #expect(refused.status == 403)
            // A dry-run leaves no trace.
            _ = try await service.ask(
                "POST", "/v1/decisions", token: client, body: #"{"customer":{"originalTransactionId":"300"}}"#)
            service.clock.advance(milliseconds: seconds(1))
            let asOf = service.clock.now
            let answer = try await service.ask(
                "GET", "/v1/reports/funnel?offerId=comeback&from=\(start.milliseconds)&to=\(asOf.milliseconds)",
                token: marketing)
            #expect(answer.status == 200)
            #expect(
                answer.text == """
                    {"asOf":\(asOf.milliseconds),"from":\(start.milliseconds),"offers":[{\
                    "discountCost":[{"currency":"USD","issued":"30.00","redeemed":"0.00","refunded":"0.00"}],\
                    "holdoutLift":{"heldOut":{"active":0,"customers":0,"undetermined":0},"minimumCustomers":30,\
                    "outcome":"activeAtAsOf","treated":{"active":0,"customers":2,"undetermined":0}},\
                    "notIssued":{"heldOut":0,"ineligible":1,"notInRollout":0,"paused":0,"removed":0,"undetermined":0},\
                    "offerId":"comeback","reasons":[{"alone":1,"customers":1,"fact":"subscription.state",\
                    "rule":"rule.eligibility","verdict":"violated"}],\
                    "redemptions":{"doubled":0,"inOffer":0,"redeemedByAnother":0,"redeemedWithoutSlot":0,"refunded":0},\
                    "requestsOfUnknown":0,"saveRate":{"definition":"autoRenewOnAfter30Days","judged":0,"pending":0,\
                    "saved":0,"undetermined":0},"slotsWithoutCost":0,"stages":{"eligible":2,"evaluated":3,"issued":2,\
                    "redeemed":0,"renewedAtFullPrice":0,"stillActive":0}}],"to":\(asOf.milliseconds)}
                    """)
            let iso = try await service.ask(
                "GET", "/v1/reports/funnel?offerId=comeback&from=\(start)&to=\(asOf)", token: marketing)
            #expect(iso.body == answer.body)
            let all = try await service.ask("GET", "/v1/reports/funnel", token: marketing)
            let offers = try #require(all.json["offers"] as? [[String: Any]])
            #expect(offers.map { $0["offerId"] as? String } == ["comeback", "either", "trial"])
            let elsewhere = try await service.ask(
                "GET", "/v1/reports/funnel", token: try await service.token(.marketing, scope: ServiceFixture.otherApp))
            #expect((elsewhere.json["offers"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("each side of the comparison needs 30 customers; then the difference and its interval are told")
    func lift() async throws {
        try await ServiceFixture.run { service in
            let catalog = TestCatalog.yaml.replacing(
                "    formats: [v2, v1]\n", with: "    formats: [v2, v1]\n    rollout: { percent: 100, holdout: 50 }\n")
            let marketing = try await service.token(.marketing)
            let applied = try await service.ask(
                "PUT", "/v1/catalog", token: marketing, body: catalog,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
            #expect(applied.status == 200, "\(applied.text)")
            let client = try await service.token(.client)
            var counts = [201: 0, 403: 0]
            for number in 0..<100 where counts.values.contains(where: { $0 < 30 }) {
                let body = service.issueBody("comeback", try service.lapsedCustomer("\(1_000 + number)"))
                    .replacing("somebody", with: "customer-\(number)")
                let answer = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
                counts[answer.status, default: 0] += 1
                let report = try await service.ask("GET", "/v1/reports/funnel?offerId=comeback", token: marketing)
                let offer = try #require((report.json["offers"] as? [[String: Any]])?.first)
                let lift = try #require(offer["holdoutLift"] as? [String: Any])
                #expect((lift["treated"] as? [String: Any])?["customers"] as? Int == counts[201])
                #expect((lift["heldOut"] as? [String: Any])?["customers"] as? Int == counts[403])
                let isEnough = counts.values.allSatisfy { $0 >= 30 }
                #expect((lift["difference"] as? Double == 0) == isEnough, "nobody came back")
                #expect((lift["interval"] != nil) == isEnough)
            }
            #expect(counts.values.allSatisfy { $0 >= 30 } && counts.count == 2, "\(counts)")
        }
    }

    @Test("a wrong range or offer is refused by name, and only marketing may ask")
    func refusals() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let marketing = try await service.token(.marketing)
            let now = service.clock.now.milliseconds
            for (query, path) in [
                ("from=yesterday", "query.from"), ("to=2026-12-01", "query.to"), ("from=-1", "query.from"),
                ("from=\(now)&to=\(now)", "query.to"), ("from=\(now + 1)", "query.from"),
                ("from=0&to=\(now)", "query.from"), ("to=0", "query.to"), ("to=2591999999", "query.to"),
                ("to=253402300799999", "query.to"), ("to=\(now + 31 * 86_400_000)", "query.to"),
                ("from=\(now)&to=253402300799999", "query.from"), ("from=1&to=0", "query.to"),
                ("offerId=", "query.offerId"),
                ("until=1", "query.until"),
                ("from=1&from=2", "query.from"),
            ] {
                let answer = try await service.ask("GET", "/v1/reports/funnel?\(query)", token: marketing)
                #expect(answer.status == 400 && answer.code == "invalid-request", "\(query): \(answer.text)")
                #expect(answer.errors.first?["path"] as? String == path, "\(query): \(answer.text)")
            }
            for query in ["from=0&to=1", "from=1970-01-01T00:00:00Z&to=31622400000", "to=2592000000"] {
                let answer = try await service.ask("GET", "/v1/reports/funnel?\(query)", token: marketing)
                #expect(answer.status == 200 && answer.json["from"] as? Int == 0, "\(query): \(answer.text)")
            }
            let unknown = try await service.ask("GET", "/v1/reports/funnel?offerId=nope", token: marketing)
            #expect(unknown.status == 404 && unknown.code == "unknown-offer")
            for role in [Role.client, .support] {
                let answer = try await service.ask("GET", "/v1/reports/funnel", token: try await service.token(role))
                #expect(answer.status == 403 && answer.code == "forbidden")
            }
        }
    }
}

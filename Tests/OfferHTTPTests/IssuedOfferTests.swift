import Foundation
import LocalAppStore
import OfferModel
import Testing

@Suite("Offers over HTTP")
struct IssuedOfferTests {
    @Test("a lapsed customer gets a signed offer, once, and support can read it back")
    func issued() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            let body = service.issueBody(
                "comeback", try service.lapsedCustomer("100"), more: #","formats":["v2","v1"]"#)
            let first = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(first.status == 201, "\(first.text)")
            let id = try #require(first.json["issuedOfferId"] as? String)
            #expect(first.headers["location"] == "/v1/issued-offers/\(id)")
            #expect(first.json["issuedAt"] as? Int64 == ServiceFixture.start.milliseconds)
            #expect(first.json["expiresAt"] as? Int64 == ServiceFixture.start.milliseconds + 86_400_000)
            #expect(first.json["state"] as? String == "open")
            #expect(first.json["offerIdentifier"] as? String == "comeback50")
            #expect(first.json["environment"] as? String == "LocalTesting")
            #expect(first.json["catalogRevision"] as? Int == 1)
            let signatures = try #require(first.json["signatures"] as? [String: [String: Any]])
            #expect(Set(signatures.keys) == ["v1", "v2"])
            #expect(signatures["v1"]?["appAccountToken"] as? String == "")
            #expect(signatures["v1"]?["timestamp"] as? Int64 == ServiceFixture.start.milliseconds)
            #expect((signatures["v2"]?["jws"] as? String)?.split(separator: ".").count == 3)

            let again = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(again.status == 200)
            #expect(again.body == first.body, "the stored signatures, byte for byte")

            let read = try await service.ask("GET", "/v1/issued-offers/\(id.uppercased())", token: support)
            #expect(read.status == 200)
            #expect(read.body == first.body)

            let list = try await service.ask(
                "GET", "/v1/issued-offers?originalTransactionId=100&offerId=comeback", token: support)
            let items = try #require(list.json["items"] as? [[String: Any]])
            #expect(items.map { $0["issuedOfferId"] as? String } == [id])
            #expect(list.json["next"] == nil)
        }
    }

    @Test("a list comes in pages that follow each other without gaps or repeats")
    func pages() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            var issued = [String]()
            for number in 1...5 {
                let body = service.issueBody("comeback", try service.lapsedCustomer("20\(number)"))
                    .replacingOccurrences(of: "somebody", with: "customer \(number)")
                let answer = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
                issued.append(try #require(answer.json["issuedOfferId"] as? String, "\(answer.text)"))
            }
            var seen = [String]()
            var target = "/v1/issued-offers?limit=2"
            for size in [2, 2, 1] {
                let page = try await service.ask("GET", target, token: support)
                let items = try #require(page.json["items"] as? [[String: Any]])
                #expect(items.count == size)
                seen += items.compactMap { $0["issuedOfferId"] as? String }
                guard let next = page.json["next"] as? String else { break }
                target = "/v1/issued-offers?limit=2&cursor=\(next)"
            }
            #expect(seen == issued.reversed())
            let one = try await service.ask("GET", "/v1/issued-offers?customerId=customer+3", token: support)
            #expect((one.json["items"] as? [[String: Any]])?.count == 1)
        }
    }

    @Test("a used trial is 403 with the findings of a client, the decision's id and a signed block")
    func notEligible() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let answer = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("trial", try service.lapsedCustomer("300")))
            #expect(answer.status == 403, "\(answer.text)")
            #expect(answer.code == "not-eligible")
            #expect(LowercaseUUID(answer.json["decisionId"] as? String ?? "") != nil)
            let findings = try #require(answer.json["findings"] as? [[String: Any]])
            #expect(findings.map { $0["rule"] as? String } == ["platform.introductory.unusedInGroup"])
            for finding in findings {
                #expect(Set(finding.keys).isSubset(of: ["rule", "verdict", "reason", "turningPoint"]))
            }
            let block = try #require(answer.json["introductoryEligibility"] as? [String: Any])
            #expect(block["allowIntroductoryOffer"] as? Bool == false)
            #expect((block["jws"] as? String)?.split(separator: ".").count == 3)
        }
    }

    @Test("a partial history is 422 without a block, and an admin sees every finding")
    func undetermined() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let signed = try service.lapsedCustomer("400")
            let newest = try #require(signed.signedTransactions.last)
            let body = #"{"offerId":"trial","customer":{"customerId":"x"},"signedTransactions":["\#(newest)"]}"#
            let answer = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.admin), body: body)
            #expect(answer.status == 422, "\(answer.text)")
            #expect(answer.code == "undetermined")
            #expect(answer.json["introductoryEligibility"] == nil)
            let findings = try #require(answer.json["findings"] as? [[String: Any]])
            #expect(findings.contains { $0["verdict"] as? String == "satisfied" })
            #expect(findings.allSatisfy { $0["message"] is String })
        }
    }

    @Test("problems of the order itself: no product, no such offer, two people, data that was not believed")
    func orderProblems() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            func order(_ body: String) async throws -> RawAnswer {
                try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            }
            let product = try await order(service.issueBody("either", try service.lapsedCustomer("501")))
            #expect(product.status == 400)
            #expect(product.code == "product-required")
            #expect(product.json["hint"] as? String == "set `productId` to one of `monthly`, `yearly`")

            // A dry-run of the offer alone needs the product too; among several its first is taken.
            for (asked, status, code) in [
                (#"["either"]"#, 400, "product-required"), (#"["either"],"productId":"yearly""#, 200, nil),
                (#"["comeback"]"#, 200, nil), (#"["either","comeback"]"#, 200, nil), ("null", 200, nil),
            ] as [(String, Int, String?)] {
                let answer = try await service.ask(
                    "POST", "/v1/decisions", token: client,
                    body: #"{"customer":{"customerId":"somebody"},"offerIds":\#(asked)}"#)
                #expect(answer.status == status && answer.code == code, "\(asked): \(answer.text)")
            }

            let unknown = try await order(service.issueBody("comebak", try service.lapsedCustomer("501")))
            #expect(unknown.status == 404)
            #expect(unknown.code == "unknown-offer")

            let other = try service.lapsedCustomer("502")
            _ = try await order(service.issueBody("comeback", other))
            let two = try await order(
                service.issueBody("comeback", try service.lapsedCustomer("501"))
                    .replacingOccurrences(of: #"{"customerId":"somebody"}"#, with: #"{"originalTransactionId":"502"}"#))
            #expect(two.status == 409, "\(two.text)")
            #expect(two.code == "ambiguous-customer")

            let good = try #require(other.signedTransactions.first)
            let refused = try await order(
                #"{"offerId":"comeback","customer":{"customerId":"x"},"signedTransactions":["\#(good)","a.b"]}"#)
            #expect(refused.status == 422, "\(refused.text)")
            #expect(refused.code == "signed-data-refused")
            #expect(refused.errors.map { $0["pointer"] as? String } == ["/signedTransactions/1"])
            #expect(refused.errors.map { $0["code"] as? String } == ["malformedJws"])
        }
    }

    @Test("transactions are taken with one result each, and are 422 only if all are refused")
    func transactions() async throws {
        try await ServiceFixture.run { service in
            let client = try await service.token(.client)
            let signed = try service.lapsedCustomer("600")
            let first = try #require(signed.signedTransactions.first)
            let body = """
                {"signedTransactions":["\(first)","\(first)","x"],"customer":{"customerId":"me"},"historyComplete":false}
                """
            let answer = try await service.ask("POST", "/v1/transactions", token: client, body: body)
            #expect(answer.status == 200, "\(answer.text)")
            let results = try #require(answer.json["results"] as? [[String: Any]])
            #expect(results.map { $0["outcome"] as? String } == ["added", "unchanged", "refused"])
            #expect(results.map { $0["pointer"] as? String } == (0...2).map { "/signedTransactions/\($0)" })
            #expect(results.last?["code"] as? String == "malformedJws")
            let customers = try #require(answer.json["customers"] as? [[String: Any]])
            #expect(customers.first?["originalTransactionIds"] as? [String] == ["600"])
            #expect(customers.first?["customerIds"] as? [String] == ["me"])

            let all = try await service.ask(
                "POST", "/v1/transactions", token: client, body: #"{"signedTransactions":["x"]}"#)
            #expect(all.status == 422)
            #expect(all.code == "signed-data-refused")
        }
    }

    @Test("a client's dry-run shows what blocks the offer, support's shows every rule")
    func decisions() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            _ = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: service.issueBody("trial", try service.lapsedCustomer("700")))
            let body = #"{"customer":{"originalTransactionId":"700"}}"#
            let short = try await service.ask("POST", "/v1/decisions", token: client, body: body)
            let long = try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.support), body: body)
            for (answer, isShort) in [(short, true), (long, false)] {
                #expect(answer.status == 200, "\(answer.text)")
                let decisions = try #require(answer.json["decisions"] as? [[String: Any]])
                #expect(decisions.map { $0["offerId"] as? String } == ["comeback", "trial", "either"])
                #expect(decisions.map { $0["outcome"] as? String } == ["eligible", "ineligible", "eligible"])
                #expect(answer.json["best"] as? String == "comeback")
                let findings = decisions.flatMap { $0["findings"] as? [[String: Any]] ?? [] }
                #expect(findings.allSatisfy { ($0["message"] == nil) == isShort })
                #expect(findings.contains { $0["verdict"] as? String == "satisfied" } == !isShort)
                #expect((answer.json["bestReason"] == nil) == isShort)
                #expect(
                    decisions.allSatisfy { decision in
                        let members = (decision["explanation"] as? [String: Any])?.keys.sorted()
                        return members == (isShort ? ["customerAnswer"] : ["change", "customerAnswer", "sentence"])
                    })
                // The trial was refused because it was used before; nothing known would change that.
                #expect(decisions[1]["turningPoint"] == nil)
                let explanation = decisions[1]["explanation"] as? [String: Any]
                #expect(
                    isShort || explanation?["change"] as? String == "this will not change")
            }
        }
    }

    @Test("support reads a customer's whole story")
    func story() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            _ = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", try service.lapsedCustomer("800")))
            let answer = try await service.ask(
                "GET", "/v1/customers?customerId=somebody", token: try await service.token(.support))
            #expect(answer.status == 200, "\(answer.text)")
            let coverage = try #require(answer.json["coverage"] as? [String: Any])
            #expect(coverage["level"] as? String == "complete")
            #expect(coverage["provenance"] as? String == "caller")
            let subscriptions = try #require(answer.json["subscriptions"] as? [[String: Any]])
            #expect(subscriptions.map { $0["state"] as? String } == ["expired"])
            #expect(subscriptions.map { $0["hasAccess"] as? Bool } == [false])
            let transactions = try #require(answer.json["transactions"] as? [[String: Any]])
            #expect(transactions.count == 3)
            #expect(transactions.map { $0["price"] as? String }.last == "9.99 USD")
            let timeline = try #require(answer.json["timeline"] as? [[String: Any]])
            #expect(
                timeline.map { $0["kind"] as? String }
                    == ["issued", "cancelled", "expired", "renewed", "renewed", "redeemed", "purchased"])
            #expect(timeline[5]["message"] as? String == "the introductory offer was redeemed (not issued by us)")
            let times = timeline.compactMap { $0["at"] as? Int64 }
            #expect(times == times.sorted(by: >))
            #expect((answer.json["issuedOffers"] as? [[String: Any]])?.count == 1)
        }
    }
}

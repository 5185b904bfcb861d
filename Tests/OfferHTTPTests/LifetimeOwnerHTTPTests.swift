import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite("Owners of a lifetime product over HTTP")
struct LifetimeOwnerHTTPTests {
    private static let catalog =
        TestCatalog.app() + """
            products:
              - { productId: lifetime, type: nonConsumable }
            offers:
              - id: back
                type: promotional
                offerIdentifier: back50
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                eligibility: { fact: customer.owns.lifetime, is: false }
                limits: [ { count: 1, per: customer } ]
              - id: apple-back
                type: winBack
                delivery: appStore
                offerIdentifier: apple_back
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                paidSubscriptionDurationInMonths: 1
                timeSinceLastSubscribedInMonths: { minimum: 1, maximum: 12 }
                status: active
                eligibility: { fact: customer.owns.lifetime, is: false }
                limits: [ { count: 1, per: customer } ]

            """

    /// The signed purchase of the lifetime product by the Apple Account of a lapsed customer.
    private func lifetime(
        _ lapsed: SignedScenario, _ service: ServiceFixture, _ change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> String {
        let now = service.clock.now
        return try service.edited(try #require(lapsed.signedTransactions.last)) { payload in
            for member in ["subscriptionGroupIdentifier", "expiresDate", "webOrderLineItemId", "transactionReason"] {
                payload[member] = nil
            }
            (payload["transactionId"], payload["originalTransactionId"]) = ("901", "901")
            (payload["productId"], payload["type"]) = ("lifetime", "Non-Consumable")
            let bought = now.adding(milliseconds: -Instant.Duration.day).milliseconds
            (payload["purchaseDate"], payload["originalPurchaseDate"]) = (bought, bought)
            payload["signedDate"] = now.milliseconds
            change(&payload)
        }
    }

    @Test("are refused signed and Apple's win-backs until a refund; other customers get a signature that verifies")
    func lifetimeOwner() async throws {
        try await ServiceFixture.run { service in
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            let applied = try await service.ask(
                "PUT", "/v1/catalog", token: try await service.token(.marketing), body: Self.catalog,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
            try #require(applied.status == 200, "\(applied.text)")
            func issue(_ offer: String, _ name: String, _ signed: SignedScenario, complete: Bool = true) async throws
                -> RawAnswer
            {
                try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: service.issueBody(offer, signed, customer: name)
                        .replacing(#""historyComplete":true"#, with: #""historyComplete":\#(complete)"#))
            }

            var owner = try service.lapsedCustomer("100")
            let lapsed = owner
            owner.signedTransactions.append(try lifetime(lapsed, service))
            for offer in ["back", "apple-back"] {
                let refused = try await issue(offer, "owner", owner)
                #expect(refused.status == 403 && refused.code == "not-eligible", "\(refused.text)")
                let findings = try #require(refused.json["findings"] as? [[String: Any]])
                #expect(findings.map { $0["rule"] as? String } == ["rule.eligibility"])
                #expect(findings.map { $0["reason"] as? String } == ["conditionNotMet"])
                let decision = try #require(refused.json["decisionId"] as? String)
                let explained = try await service.ask("GET", "/v1/decisions/\(decision)", token: support)
                #expect(explained.text.contains("owns `lifetime`: yes (must be no)"), "\(explained.text)")
            }
            let status = try await service.ask(
                "POST", "/v1/customers/status", token: client, body: #"{"customers":[{"customerId":"owner"}]}"#)
            #expect(status.text.contains(#""owned":true,"productId":"lifetime""#), "\(status.text)")

            let other = try service.lapsedCustomer("200")
            let unproven = try await issue("back", "other", other, complete: false)
            #expect(unproven.status == 422 && unproven.text.contains("historyIncomplete"), "\(unproven.text)")
            let granted = try await issue("back", "other", other)
            #expect(granted.status == 201, "\(granted.text)")
            let v2 = (granted.json["signatures"] as? [String: Any])?["v2"] as? [String: Any]
            let claims = try service.claims(try #require(v2?["jws"] as? String))
            #expect(claims["transactionId"] as? String == "200")
            #expect(claims["offerIdentifier"] as? String == "back50")
            let id = try #require(granted.json["issuedOfferId"] as? String)
            let replay = try await service.ask("POST", "/v1/issued-offers/\(id)/replay", token: support, body: "{}")
            #expect(replay.status == 200 && (replay.json["differences"] as? [Any])?.isEmpty == true, "\(replay.text)")

            service.clock.advance(milliseconds: 1_000)
            let refunded = try lifetime(lapsed, service) { payload in
                payload["purchaseDate"] = service.clock.now.milliseconds - Instant.Duration.day - 1_000
                payload["originalPurchaseDate"] = payload["purchaseDate"]
                (payload["revocationDate"], payload["revocationReason"]) = (service.clock.now.milliseconds, 0)
            }
            var former = lapsed
            former.signedTransactions.append(refunded)
            let again = try await issue("back", "owner", former)
            #expect(again.status == 201, "\(again.text)")
        }
    }
}

import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite("Apple's own win-back offers over HTTP")
struct AppStoreOfferTests {
    private static let catalog =
        TestCatalog.head + """
              - id: apple
                type: winBack
                delivery: appStore
                offerIdentifier: back_apple
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                paidSubscriptionDurationInMonths: 1
                timeSinceLastSubscribedInMonths: { minimum: 1, maximum: 12 }
                waitBetweenOffersInMonths: 6
                status: active
                limits: [ { count: 1, per: customer } ]

            """

    private func apply(_ catalog: String, _ service: ServiceFixture) async throws {
        let answer = try await service.ask(
            "PUT", "/v1/catalog", token: try await service.token(.marketing), body: catalog,
            headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
        try #require(answer.status == 200, "\(answer.text)")
    }

    @Test("a lapsed customer gets its name and no signature: 201, then 200 with the same bytes, and support reads it")
    func issued() async throws {
        try await ServiceFixture.run { service in
            try await apply(Self.catalog, service)
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            let body = service.issueBody("apple", try service.lapsedCustomer("100"))
            let first = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(first.status == 201, "\(first.text)")
            let id = try #require(first.json["issuedOfferId"] as? String)
            #expect(first.headers["location"] == "/v1/issued-offers/\(id)")
            #expect(first.json["delivery"] as? String == "appStore")
            #expect(first.json["offerIdentifier"] as? String == "back_apple")
            #expect(first.json["offerType"] as? String == "winBack")
            #expect((first.json["signatures"] as? [String: Any])?.isEmpty == true)
            #expect(first.json["keyId"] == nil)

            let again = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: service.issueBody("apple", try service.lapsedCustomer("100"), more: #","fresh":true"#))
            #expect(again.status == 200, "\(again.text)")
            #expect(again.body == first.body)
            let read = try await service.ask("GET", "/v1/issued-offers/\(id)", token: support)
            #expect(read.body == first.body)

            let formats = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: service.issueBody("apple", try service.lapsedCustomer("100"), more: #","formats":["v2"]"#))
            #expect(formats.status == 400)
            #expect(formats.errors.map { $0["pointer"] as? String } == ["/formats"])
        }
    }

    @Test("who lapsed too recently is told the millisecond from which the answer changes")
    func tooRecent() async throws {
        try await ServiceFixture.run { service in
            try await apply(Self.catalog.replacing("minimum: 1", with: "minimum: 3"), service)
            let client = try await service.token(.client)
            let body = service.issueBody("apple", try service.lapsedCustomer("100"))
            let refused = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(refused.status == 403, "\(refused.text)")
            let findings = try #require(refused.json["findings"] as? [[String: Any]])
            #expect(findings.map { $0["rule"] as? String } == ["platform.winBack.timeSinceLastSubscribed"])
            #expect(findings.map { $0["reason"] as? String } == ["lapsedTooRecently"])
            let turningPoint = try #require(findings.first?["turningPoint"] as? [String: Any])
            let at = try #require(turningPoint["at"] as? Int64)
            let now = service.clock.now.milliseconds
            service.clock.advance(milliseconds: at - now - 1)
            let early = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(early.status == 403, "\(early.text)")
            service.clock.advance(milliseconds: 1)
            let granted = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            #expect(granted.status == 201, "\(granted.text)")
        }
    }

    @Test("support sees the days left and the last moment to cancel of who is subscribed")
    func lastMoment() async throws {
        try await ServiceFixture.run { service in
            let now = service.clock.now
            let bought = now.adding(milliseconds: -10 * Instant.Duration.day)
            let signed = try service.subscriber("100", boughtAt: bought)
            let sent = try await service.ask(
                "POST", "/v1/transactions", token: try await service.token(.client),
                body: """
                    {"signedTransactions":["\(signed.signedTransactions.joined(separator: "\",\""))"],\
                    "signedRenewalInfo":["\(signed.signedRenewalInfo.joined(separator: "\",\""))"]}
                    """)
            try #require(sent.status == 200, "\(sent.text)")
            let answer = try await service.ask(
                "GET", "/v1/customers?originalTransactionId=100", token: try await service.token(.support))
            let subscription = try #require((answer.json["subscriptions"] as? [[String: Any]])?.first)
            let ends = bought.adding(months: 1)
            #expect(subscription["expiresDate"] as? Int64 == ends.milliseconds)
            #expect(subscription["daysLeft"] as? Int64 == ends.days(since: now))
            #expect(subscription["lastMomentToCancel"] as? Int64 == ends.milliseconds - 86_400_000)
        }
    }
}

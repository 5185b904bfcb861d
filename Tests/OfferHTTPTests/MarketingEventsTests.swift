import Foundation
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("What marketing sees of events")
struct MarketingEventsTests {
    private static let identifiers: Set<String> = [
        "decisionId", "grantId", "issuedOfferId", "notificationUUID", "originalTransactionId", "transactionId",
    ]

    @Test("every member that the data of an event can have is either shown to marketing or an identifier")
    func members() throws {
        let data = try #require(
            try OpenAPIDocument().components("schemas")["EventData"]?["properties"] as? [String: Any])
        #expect(Set(data.keys) == EventBody.withoutIdentifiers.union(Self.identifiers))
        #expect(EventBody.withoutIdentifiers.isDisjoint(with: Self.identifiers))
    }

    @Test("the same events in the same order, with products, offers and dates, and nothing that names anyone")
    func feed() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, marketing) = (try await service.token(.client), try await service.token(.marketing))
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: service.issueBody("comeback", try service.lapsedCustomer("88117001"), customer: "anna"))
            #expect(issued.status == 201, "\(issued.text)")
            _ = try await service.refusal()
            let now = service.clock.now
            let bought = try service.subscriber("88117002", boughtAt: now.adding(milliseconds: -60_000))
            let sent = bought.signedTransactions.map { "\"\($0)\"" }.joined(separator: ",")
            let taken = try await service.ask(
                "POST", "/v1/transactions", token: client,
                body: #"{"signedTransactions":[\#(sent)],"customer":{"customerId":"berta"}}"#)
            #expect(taken.status == 200, "\(taken.text)")

            let whole = try await service.ask("GET", "/v1/events?limit=200", token: client)
            let seen = try await service.ask("GET", "/v1/events?limit=200", token: marketing)
            #expect(seen.status == 200, "\(seen.text)")
            func items(_ answer: RawAnswer) -> [[String: Any]] { answer.json["items"] as? [[String: Any]] ?? [] }
            for member in ["id", "type"] {
                #expect(
                    items(seen).map { $0[member] as? String } == items(whole).map { $0[member] as? String }, "\(member)"
                )
            }
            let types = Set(items(seen).compactMap { $0["type"] as? String })
            #expect(types.isSuperset(of: ["offer.issued", "offer.refused", "subscription.started"]), "\(types)")
            #expect(items(seen).allSatisfy { $0["customer"] == nil && $0["status"] == nil })
            let ids = ["issuedOfferId", "decisionId"].compactMap { issued.json[$0] as? String }
            #expect(ids.count == 2)
            for secret in ["88117001", "88117002", "app-8811700", "anna", "berta"] + ids {
                #expect(whole.text.contains(secret) && !seen.text.contains(secret), "\(secret)")
            }
            let event = try #require(items(seen).first { $0["type"] as? String == "offer.issued" })
            let data = try #require(event["data"] as? [String: Any])
            #expect(
                Set(data.keys) == [
                    "delivery", "expiresAt", "offerId", "offerIdentifier", "offerType", "productId",
                    "subscriptionGroupIdentifier",
                ])
            #expect(data["offerId"] as? String == "comeback" && data["productId"] as? String == "monthly")
        }
    }
}

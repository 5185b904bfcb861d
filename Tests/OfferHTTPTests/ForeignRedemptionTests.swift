import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite("A V1 offer redeemed by another Apple account, over HTTP")
struct ForeignRedemptionTests {
    private static let token = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"

    @Test("attack: one V1 offer per day for other Apple accounts ends with the first: 403 with `limit.customer`")
    func onePerDay() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            func issue() async throws -> RawAnswer {
                let signed = try service.lapsedCustomer("100")
                return try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: """
                        {"offerId":"comeback","formats":["v1"],"historyComplete":true,\
                        "customer":{"originalTransactionId":"100","appAccountToken":"\(Self.token)"},\
                        "signedTransactions":[\(signed.signedTransactions.map { "\"\($0)\"" }.joined(separator: ","))],\
                        "signedRenewalInfo":[\(signed.signedRenewalInfo.map { "\"\($0)\"" }.joined(separator: ","))]}
                        """)
            }
            let first = try await issue()
            #expect(first.status == 201, "\(first.text)")
            service.clock.advance(milliseconds: Instant.Duration.hour)
            let now = service.clock.now
            let use = try service.edited(try #require(try service.lapsedCustomer("900").signedTransactions.last)) {
                $0["transactionId"] = "900900"
                $0["appAccountToken"] = Self.token
                $0["purchaseDate"] = now.milliseconds
                $0["expiresDate"] = now.adding(months: 1).milliseconds
                $0["signedDate"] = now.milliseconds
                $0["transactionReason"] = "PURCHASE"
                $0["offerType"] = 2
                $0["offerIdentifier"] = "comeback50"
                $0["offerPeriod"] = "P1M"
            }
            let delivered = try await service.ask(
                "POST", "/v1/transactions", token: client, body: #"{"signedTransactions":["\#(use)"]}"#)
            #expect(delivered.status == 200, "\(delivered.text)")
            service.clock.advance(milliseconds: 26 * Instant.Duration.hour)
            let next = try await issue()
            #expect(next.status == 403, "\(next.text)")
            #expect(next.text.contains("limit.customer"))
            let support = try await service.token(.support)
            for (id, words) in [("100", "by another customer"), ("900", "issued to another customer")] {
                let page = try await service.ask(
                    "GET", "/v1/customers?originalTransactionId=\(id)", token: support)
                #expect(page.text.contains(words), "\(page.text)")
                #expect((page.json["customers"] as? [Any])?.count == 1)
            }
            let offers = try await service.ask(
                "GET", "/v1/issued-offers?originalTransactionId=100", token: support)
            let items = try #require(offers.json["items"] as? [[String: Any]])
            #expect(items.map { $0["state"] as? String } == ["redeemed"])
            let report = try await service.ask(
                "GET", "/v1/reports/funnel?offerId=comeback", token: try await service.token(.marketing))
            #expect(report.text.contains("\"redeemedByAnother\":1"), "\(report.text)")
        }
    }
}

import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite("The terms of decided offers")
struct DecidedTermsTests {
    private static let more = """
          - id: back
            type: winBack
            delivery: appStore
            offerIdentifier: back_week
            products: [monthly]
            paymentMode: payUpFront
            period: P2M
            periodCount: 1
            price: { amount: "0.99", currency: USD }
            status: active
            paidSubscriptionDurationInMonths: 1
            timeSinceLastSubscribedInMonths: { minimum: 1, maximum: 24 }
            limits: [ { count: 1, per: customer } ]

        """

    @Test("every decision, eligible or not and for every role, has what the app needs to find the offer in StoreKit")
    func terms() async throws {
        try await ServiceFixture.run { service in
            let applied = try await service.ask(
                "PUT", "/v1/catalog", token: try await service.token(.marketing), body: TestCatalog.yaml + Self.more,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
            #expect(applied.status == 200, "\(applied.text)")
            let signed = try service.lapsedCustomer("100")
            let proof = signed.signedTransactions.map { "\"\($0)\"" }.joined(separator: ",")
            for role in [Role.app, .client, .support, .marketing] {
                let answer = try await service.ask(
                    "POST", "/v1/decisions", token: try await service.token(role),
                    body: #"{"signedTransactions":[\#(proof)]}"#)
                let decisions = try #require(answer.json["decisions"] as? [[String: Any]], "\(answer.text)")
                let terms = decisions.map { decision in
                    ["offerId", "offerType", "offerIdentifier", "delivery", "paymentMode", "period", "periodCount"]
                        .map { decision[$0].map { "\($0)" } ?? "–" }.joined(separator: " ")
                }
                #expect(
                    terms == [
                        "comeback promotional comeback50 signature payAsYouGo P1M 3",
                        "trial introductory – introductoryEligibility freeTrial P1W 1",
                        "either promotional either10 signature freeTrial P1M 1",
                        "back winBack back_week appStore payUpFront P2M 1",
                    ], "\(role)")
                // The catalog's price is not what a customer in another country pays.
                #expect(decisions.allSatisfy { $0["price"] == nil })
            }
        }
    }
}

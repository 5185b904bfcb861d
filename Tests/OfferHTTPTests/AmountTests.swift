import Foundation
import OfferModel
import Testing

@Suite("Amounts in requests")
struct AmountTests {
    @Test(
        "an amount whose currency is not three capital letters is refused, and nothing is kept",
        arguments: ["", "usd", "US", "USDT", "U D", "€€€"])
    func currency(_ currency: String) async throws {
        let amount = #"{"amount":"4.99","currency":"\#(currency)"}"#
        try await ServiceFixture.run { service in
            let token = try await service.token(.client)
            let attributes = try await service.ask(
                "PUT", "/v1/customers/attributes", token: token,
                body: #"{"customer":{"customerId":"c"},"attributes":{"a":\#(amount)}}"#)
            let decision = try await service.ask(
                "POST", "/v1/decisions", token: token,
                body: #"{"customer":{"customerId":"c"},"signals":{"a":\#(amount)}}"#)
            for (answer, place) in [(attributes, "/attributes/a/currency"), (decision, "/signals/a/currency")] {
                #expect(answer.status == 400, "\(answer.text)")
                #expect(answer.errors.map { $0["pointer"] as? String } == [place])
                #expect(answer.errors.map { $0["code"] as? String } == ["invalidValue"])
            }
            let story = try await service.ask(
                "GET", "/v1/customers?customerId=c", token: try await service.token(.support))
            #expect(story.code == "unknown-customer")
        }
    }
}

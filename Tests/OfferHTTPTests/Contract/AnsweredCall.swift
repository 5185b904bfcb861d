import Foundation
import OfferModel
import OfferTestSupport
import Testing

/// One call that is answered as asked, over a real socket.
struct AnsweredCall: Sendable, CustomTestStringConvertible {
    /// As `openapi.yaml` names it, such as `GET /v1/offers`.
    let call: String
    let status: Int
    /// Who asks; `nil` for nobody in particular.
    let role: Role?
    /// The path with its query, when `{id}` is not the issued offer of the customer `100`.
    let target: String?
    /// `{testNotification}` in it becomes one that the service's App Store signed, `{tester}` the name of another
    /// customer.
    let body: String?
    let headers: [(String, String)]

    var testDescription: String { "\(call) \(status)" }

    private init(
        _ call: String, _ status: Int = 200, _ role: Role? = nil, target: String? = nil, body: String? = nil,
        headers: [(String, String)] = []
    ) {
        self.call = call
        self.status = status
        self.role = role
        self.target = target
        self.body = body
        self.headers = headers
    }

    /// At least one for every call and every status of success.
    static let all = [
        AnsweredCall(
            "POST /v1/issued-offers", 201, .client,
            body: #"{"offerId":"either","productId":"monthly","customer":{"originalTransactionId":"100"}}"#),
        AnsweredCall(
            "POST /v1/issued-offers", 200, .client,
            body: #"{"offerId":"comeback","customer":{"originalTransactionId":"100"}}"#),
        AnsweredCall("GET /v1/issued-offers", 200, .support, target: "/v1/issued-offers?originalTransactionId=100"),
        AnsweredCall(
            "GET /v1/issued-offers/export", 200, .support, target: "/v1/issued-offers/export?offerId=comeback&from=0"),
        AnsweredCall("GET /v1/issued-offers/{id}", 200, .client),
        AnsweredCall("POST /v1/issued-offers/{id}/replay", 200, .support, body: "{}"),
        AnsweredCall("POST /v1/issued-offers/{id}/void", 200, .support, body: #"{"reason":"a test"}"#),
        AnsweredCall(
            "POST /v1/decisions", 200, .client, body: #"{"customer":{"originalTransactionId":"100"}}"#),
        AnsweredCall("GET /v1/decisions", 200, .support, target: "/v1/decisions?customer=unknown"),
        AnsweredCall("GET /v1/decisions/{id}", 200, .support),
        AnsweredCall(
            "POST /v1/transactions", 200, .client,
            body: #"{"signedTransactions":[],"historyComplete":true,"customer":{"customerId":"new"}}"#),
        AnsweredCall("GET /v1/catalog", 200, .support, headers: [("Accept", "application/json")]),
        AnsweredCall(
            "PUT /v1/catalog", 200, .marketing, body: "# another\n" + TestCatalog.yaml,
            headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")]),
        AnsweredCall("GET /v1/catalog/revisions", 200, .marketing),
        AnsweredCall("GET /v1/catalog/revisions/{n}", 200, .marketing, target: "/v1/catalog/revisions/1"),
        AnsweredCall("GET /v1/offers", 200, .marketing),
        AnsweredCall("POST /v1/offers/{id}/pause", 200, .marketing, target: "/v1/offers/comeback/pause"),
        AnsweredCall("POST /v1/offers/{id}/resume", 200, .marketing, target: "/v1/offers/comeback/resume"),
        AnsweredCall("POST /v1/offers/pause", 200, .marketing),
        AnsweredCall("POST /v1/offers/resume", 200, .marketing),
        AnsweredCall("GET /v1/customers", 200, .support, target: "/v1/customers?originalTransactionId=100"),
        AnsweredCall(
            "POST /v1/customers/status", 200, .client,
            body: #"{"customers":[{"originalTransactionId":"100"},{"customerId":"user-17"}]}"#),
        AnsweredCall(
            "POST /v1/customers/refresh", 200, .support, body: #"{"customer":{"originalTransactionId":"100"}}"#),
        AnsweredCall(
            "POST /v1/customers/unlink", 200, .support,
            body:
                #"{"customer":{"originalTransactionId":"100"},"aliases":{"customerId":"somebody"},"reason":"a test"}"#),
        AnsweredCall(
            "POST /v1/customers/reset", 200, .support,
            body: #"{"customer":{"customerId":"{tester}"},"reason":"a test"}"#),
        AnsweredCall(
            "PUT /v1/customers/attributes", 200, .client,
            body: #"{"customer":{"originalTransactionId":"100"},"attributes":{"seats":12}}"#),
        AnsweredCall("GET /v1/events", 200, .support, target: "/v1/events?type=offer.issued&from=0"),
        AnsweredCall("GET /v1/events/{id}", 200, .support),
        AnsweredCall("POST /v1/events/{id}/resend", 202, .support),
        AnsweredCall("GET /v1/reports/funnel", 200, .marketing, target: "/v1/reports/funnel?offerId=comeback"),
        AnsweredCall("GET /v1/reports/series", 200, .support, target: "/v1/reports/series?offer=comeback&by=month"),
        AnsweredCall(
            "POST /v1/signature-checks", 200, .support,
            body: #"{"format":"v1","timestamp":1780000000,"nonce":"019e7044-8800-7000-8000-000000000000"}"#),
        AnsweredCall(
            "POST /v1/app-store/{bundleId}/{environment}/notifications", 200,
            target: "/v1/app-store/com.example.pro/LocalTesting/notifications",
            body: #"{"signedPayload":"{testNotification}"}"#),
        AnsweredCall("GET /healthz"),
        AnsweredCall("GET /readyz"),
        AnsweredCall("GET /openapi.yaml"),
        AnsweredCall("GET /openapi.json"),
        AnsweredCall("GET /docs"),
        AnsweredCall("POST /v1/webhooks/test", 200, .support, body: "{}"),
        AnsweredCall(
            "POST /v1/grants", 201, .support,
            body: #"{"customer":{"originalTransactionId":"100"},"offerId":"comeback","reason":"a test"}"#),
        AnsweredCall("GET /v1/grants", 200, .support, target: "/v1/grants?identifier=100"),
        AnsweredCall("DELETE /v1/grants/{id}", 200, .support),
        AnsweredCall(
            "POST /v1/customers/search", 200, .support, body: #"{"where":"subscription.state is expired"}"#),
        AnsweredCall("POST /v1/simulations", 202, .marketing, body: #"{"offerId":"comeback"}"#),
        AnsweredCall("GET /v1/simulations/{id}", 200, .support),
        AnsweredCall("DELETE /v1/simulations/{id}", 200, .marketing),
    ]

    /// Asks, with the id of an issued offer where the path has `{id}`.
    func ask(_ service: ServiceFixture, issuedOfferId: String) async throws -> RawAnswer {
        let words = call.split(separator: " ").map(String.init)
        var token: String?
        if let role { token = try await service.token(role) }
        if body?.contains("{tester}") == true {
            _ = try await service.ask(
                "PUT", "/v1/customers/attributes", token: try await service.token(.client),
                body: #"{"customer":{"customerId":"{tester}"},"attributes":{}}"#)
        }
        var id = issuedOfferId
        if call.contains(" /v1/events/") { id = try await service.eventId(.offerIssued) }
        if call.contains(" /v1/grants/") {
            let grant = try await service.ask(
                "POST", "/v1/grants", token: token,
                body: #"{"customer":{"originalTransactionId":"100"},"offerId":"either","reason":"a test"}"#)
            id = grant.json["grantId"] as? String ?? grant.text
        }
        if call.hasPrefix("GET /v1/decisions/") { id = try await service.refusal().decisionId }
        if call.contains(" /v1/simulations/") { id = try await service.simulation(#"{"offerId":"comeback"}"#) }
        let body = try body?.replacing("{testNotification}", with: service.testNotification())
        return try await service.ask(
            words[0], target ?? words[1].replacing("{id}", with: id), token: token, body: body,
            headers: headers)
    }
}

import OfferModel
import OfferTestSupport

/// A call as the role matrix makes it: about the customer `900` and the offer issued to them, and valid, so that only
/// the key decides what becomes of it.
struct MatrixRequest {
    var method: String
    var target: String
    var body: String?
    var headers: [(String, String)] = []

    /// - Parameters:
    ///   - role: whose key asks; with an `app` key the customer's signed data goes along.
    ///   - proof: that data, as members.
    init(
        _ call: OpenAPIDocument.Call, as role: Role, proof: String, issuedOfferId: String, decisionId: String,
        eventId: String
    ) {
        method = call.method
        let id =
            call.path.hasPrefix("/v1/issued-offers/")
            ? issuedOfferId
            : call.path.hasPrefix("/v1/decisions/")
                ? decisionId : call.path.hasPrefix("/v1/events/") ? eventId : "comeback"
        target = call.path.replacing("{id}", with: id).replacing("{n}", with: "1")
        switch call.name {
        case "GET /v1/customers", "GET /v1/issued-offers", "GET /v1/grants": target += "?originalTransactionId=900"
        case "POST /v1/issued-offers":
            body = #"{"offerId":"comeback","customer":{"originalTransactionId":"900"}}"#
        case "POST /v1/issued-offers/{id}/void": body = #"{"reason":"the matrix"}"#
        case "POST /v1/decisions": body = #"{"customer":{"originalTransactionId":"900"}}"#
        case "POST /v1/transactions":
            body = #"{"signedTransactions":[],"historyComplete":true,"customer":{"customerId":"matrix"}}"#
        case "POST /v1/signature-checks": body = #"{"format":"v2"}"#
        case "POST /v1/customers/status": body = #"{"customers":[{"originalTransactionId":"900"}]}"#
        case "POST /v1/customers/refresh": body = #"{"customer":{"originalTransactionId":"900"}}"#
        case "POST /v1/customers/unlink":
            body =
                #"{"customer":{"originalTransactionId":"900"},"aliases":{"customerId":"matrix"},"reason":"the matrix"}"#
        case "POST /v1/grants":
            body = #"{"customer":{"originalTransactionId":"900"},"offerId":"comeback","reason":"the matrix"}"#
        case "PUT /v1/customers/attributes":
            body = #"{"customer":{"customerId":"matrix"},"attributes":{"seats":12}}"#
        case "PUT /v1/catalog":
            target += "?dryRun=true"
            body = TestCatalog.yaml
            headers = [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")]
        default: body = ["GET", "DELETE"].contains(call.method) ? nil : "{}"
        }
        guard role == .app else { return }
        switch call.name {
        case "POST /v1/issued-offers": body = #"{"offerId":"comeback",\#(proof)}"#
        case "POST /v1/decisions", "POST /v1/transactions", "POST /v1/customers/status": body = "{\(proof)}"
        default: break
        }
    }
}

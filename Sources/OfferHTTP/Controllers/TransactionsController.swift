import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `POST /v1/transactions`: signed data into the history.
struct TransactionsController: Sendable {
    let ingestion: HistoryIngestion
    let limits: HTTPLimits

    @Sendable func ingest(_ request: Request, _ context: CallerContext<ClientOrAppAccess>) async throws -> Response {
        let body = try await request.decode(
            TransactionsRequestBody.self, upTo: limits.signedData(for: context.caller.role))
        var checks = RequestChecks()
        checks.text(body.customer?.customerId?.rawValue, at: .root.appending("customer").appending("customerId"))
        checks.delivery(body.delivery, role: context.caller.role)
        try checks.finish()
        let aliases = body.customer?.identifiers ?? CustomerIdentifiers()
        return try .json(try await ingestion.ingest(body.delivery, aliases: aliases, caller: context.caller))
    }
}

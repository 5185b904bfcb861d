import Hummingbird
import OfferAPI
import OfferApplication

/// `POST /v1/transactions`: signed data into the history.
struct TransactionsController: Sendable {
    let ingestion: HistoryIngestion
    let bodyLimit: Int

    @Sendable func ingest(_ request: Request, _ context: CallerContext<ClientAccess>) async throws -> Response {
        let (delivery, aliases) = try await request.decode(TransactionsRequestBody.self, upTo: bodyLimit).delivery()
        let report = try await ingestion.ingest(delivery, aliases: aliases, caller: context.caller)
        return try .json(TransactionsBody(report))
    }
}

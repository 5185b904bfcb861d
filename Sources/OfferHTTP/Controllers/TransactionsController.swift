import Hummingbird
import OfferAPI
import OfferApplication

/// `POST /v1/transactions`: signed data into the history.
struct TransactionsController: Sendable {
    let ingestion: HistoryIngestion
    let bodyLimit: Int

    @Sendable func ingest(_ request: Request, _ context: CallerContext<ClientAccess>) async throws -> Response {
        let body = try await request.jsonBytes(upTo: bodyLimit)
        return try await Aside.run(if: Aside.isNeeded(forBody: body.count)) {
            let (delivery, aliases) = try WireJSON.decodeRequest(TransactionsRequestBody.self, from: body).delivery()
            let report = try await ingestion.ingest(delivery, aliases: aliases, caller: context.caller)
            return try .json(TransactionsBody(report))
        }
    }
}

import Hummingbird
import OfferAPI
import OfferApplication

/// `/healthz` and `/readyz`.
struct HealthController: Sendable {
    let readiness: Readiness

    /// The process answers.
    @Sendable func live(_ request: Request, _ context: OfferContext) async throws -> Response {
        try .json(HealthBody(status: "ok"))
    }

    /// The process can do its work.
    @Sendable func ready(_ request: Request, _ context: OfferContext) async throws -> Response {
        try await readiness.check()
        return try .json(HealthBody(status: "ok"))
    }
}

/// `GET /openapi.yaml`: this API's own description.
struct DescriptionController: Sendable {
    let document: [UInt8]

    @Sendable func show(_ request: Request, _ context: OfferContext) async throws -> Response {
        .bytes(document, .yaml)
    }
}

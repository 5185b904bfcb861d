import Hummingbird
import OfferAPI
import OfferApplication

/// `/healthz` and `/readyz`.
struct HealthController: Sendable {
    let readiness: Readiness

    @Sendable func live(_ request: Request, _ context: OfferContext) async throws -> Response {
        try .json(HealthBody(status: "ok"))
    }

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

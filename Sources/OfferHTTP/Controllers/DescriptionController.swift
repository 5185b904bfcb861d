import Hummingbird

/// `GET /openapi.yaml`: this API's own description.
struct DescriptionController: Sendable {
    let document: [UInt8]

    @Sendable func show(_ request: Request, _ context: OfferContext) async throws -> Response {
        .bytes(document, .yaml)
    }
}

import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `POST /v1/issued-offers/{id}/replay`: the recorded decision beside what comes out now.
struct ReplayController: Sendable {
    let replay: OfferReplay
    let bodyLimit: Int

    @Sendable func show(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let text = try context.pathText("id")
        guard let id = LowercaseUUID(text) else { throw Problem.unknownIssuedOffer(text) }
        let body = try await request.decode(ReplayRequestBody.self, upTo: bodyLimit)
        return try .json(
            ReplayBody(
                try await replay.replay(id, catalogRevision: body.catalogRevision, caller: context.caller)))
    }
}

import Hummingbird
import OfferAPI
import OfferApplication

/// `POST /v1/decisions`: the dry-run.
struct DecisionsController: Sendable {
    let decisions: OfferDecisions
    let bodyLimit: Int

    @Sendable func decide(_ request: Request, _ context: CallerContext<AnyKeyAccess>) async throws -> Response {
        let inquiry = try await request.decode(DecisionRequestBody.self, upTo: bodyLimit).inquiry()
        let answer = try await decisions.decide(inquiry, caller: context.caller)
        return try .json(DecisionsBody(answer, role: context.caller.role))
    }
}

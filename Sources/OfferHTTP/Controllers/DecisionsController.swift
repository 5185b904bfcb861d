import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `POST /v1/decisions`: the dry-run.
struct DecisionsController: Sendable {
    let decisions: OfferDecisions
    let bodyLimit: Int
    /// Of a body that may hold a history or a catalog.
    let supposingBodyLimit: Int

    @Sendable func decide(_ request: Request, _ context: CallerContext<AnyKeyAccess>) async throws -> Response {
        let role = context.caller.role
        let body = try await request.decode(
            DecisionRequestBody.self, upTo: role == .client ? bodyLimit : supposingBodyLimit)
        if role == .client, !body.supposingMembers.isEmpty {
            throw Problem.forbidden(role: role, members: body.supposingMembers)
        }
        let answer = try await decisions.decide(try body.inquiry(), caller: context.caller)
        return try .json(DecisionsBody(answer, role: role))
    }
}

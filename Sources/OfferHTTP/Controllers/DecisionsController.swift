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

    /// The most offers that are decided where the request was read: others that are read there wait for as long.
    private static let quickOffers = 4

    @Sendable func decide(_ request: Request, _ context: CallerContext<AnyKeyAccess>) async throws -> Response {
        let role = context.caller.role
        let bytes = try await request.jsonBytes(upTo: role == .client ? bodyLimit : supposingBodyLimit)
        // Staff are shown every sentence, and may suppose what takes seconds to decide.
        return try await Aside.run(if: role != .client || Aside.isNeeded(forBody: bytes.count)) {
            let body = try WireJSON.decodeRequest(DecisionRequestBody.self, from: bytes)
            if role == .client, !body.supposingMembers.isEmpty {
                throw Problem.forbidden(role: role, members: body.supposingMembers)
            }
            let inquiry = try body.inquiry()
            return try await Aside.run(if: inquiry.offerIds.map { $0.count > Self.quickOffers } ?? true) {
                let answer = try await decisions.decide(inquiry, caller: context.caller)
                return try Response.json(DecisionsBody(answer, role: role))
            }
        }
    }
}

import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/decisions`: the dry-run, and recorded refusals.
struct DecisionsController: Sendable {
    let useCases: UseCases
    let limits: HTTPLimits

    @Sendable func decide(_ request: Request, _ context: CallerContext) async throws -> Response {
        let role = context.caller.role
        // The keys of staff may send a history or a catalog.
        let limit = role.isStaff ? limits.signedDataBytes : limits.bodyBytes
        let bytes = try await request.jsonBytes(upTo: limit)
        let values = HTTPLimits.values(inBody: limit)
        let body =
            bytes.count <= limits.bodyBytes
            ? try WireJSON.decodeRequest(Inquiry.self, from: bytes, values: values)
            : try await useCases.shares.suppositions.run {
                try WireJSON.decodeRequest(Inquiry.self, from: bytes, values: values)
            }
        if !role.isStaff, !body.supposingMembers.isEmpty {
            throw Problem.forbidden(role: role, members: body.supposingMembers)
        }
        try body.check(by: role)
        let answer = try await useCases.decisions.decide(body, caller: context.caller)
        return try .json(DecisionsBody(answer, role: role, locale: body.request.locale))
    }

    /// `GET`: refusals of requests for which no customer is known.
    @Sendable func unmatched(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: ["customer", "limit"])
        let limit = query.limit()
        if query.text("customer") != "unknown" {
            query.refuse("customer", "is not `unknown`", hint: "give `customer=unknown`")
        }
        try query.finish()
        return try .json(try await useCases.replay.unmatched(limit: limit, caller: context.caller))
    }

    @Sendable func show(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let id = try context.pathId({ LowercaseUUID($0) }, or: RequestError.unknownDecision)
        return try .json(try await useCases.replay.refusal(id, caller: context.caller))
    }
}

import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/grants`: goodwill of support for one customer.
struct GrantsController: Sendable {
    let useCases: UseCases
    let limits: HTTPLimits

    @Sendable func grant(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let body = try await request.decode(GrantRequestBody.self, upTo: limits.bodyBytes, by: context)
        let grant = try await useCases.grants.grant(
            body.offerId, to: body.customer, reason: body.reason, expiresAt: body.expiresAt, caller: context.caller)
        return try .json(grant, status: .created)
    }

    /// `GET`: a customer's grants, the newest first.
    @Sendable func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: CustomerQuery.names + ["identifier"])
        switch try CustomerQuery.readNamed(&query) {
        case .any(let text): return try .json(try await useCases.grants.grants(ofAny: text, caller: context.caller))
        case .identifiers(let customer):
            return try .json(try await useCases.grants.grants(of: customer, caller: context.caller))
        }
    }

    /// `DELETE`: revokes one; one that was revoked before stays as it is.
    @Sendable func revoke(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let id = try context.pathId({ LowercaseUUID($0) }, or: RequestError.unknownGrant)
        return try .json(try await useCases.grants.revoke(id, caller: context.caller))
    }
}

extension GrantRequestBody: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        checks.customer(customer)
        checks.text(offerId.rawValue, at: .root.appending("offerId"))
        checks.text(reason, at: .root.appending("reason"))
        checks.instant(expiresAt, at: .root.appending("expiresAt"))
    }
}

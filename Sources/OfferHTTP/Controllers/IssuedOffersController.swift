import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/issued-offers`: signed offers, made and read back.
struct IssuedOffersController: Sendable {
    /// Entries of a page unless `limit` says otherwise, and at most.
    private static let pageSize = (usual: 50, range: 1...200)

    /// Part of what an `Idempotency-Key` is kept under; it never changes.
    private static let issueRoute = "POST /v1/issued-offers"

    let issuing: IssueOffer
    let customers: CustomerLookup
    let voiding: OfferVoiding
    let exporting: IssuedOfferExport
    let bodyLimit: Int

    /// `POST`: 201 for a new signing, 200 for stored signatures, a problem for a reasoned no; under an
    /// `Idempotency-Key` the same answer again.
    @Sendable func issue(_ request: Request, _ context: CallerContext<ClientAccess>) async throws -> Response {
        let key = try IdempotencyKey.of(request)
        let body = try await request.jsonBytes(upTo: bodyLimit)
        let order = try WireJSON.decodeRequest(IssueRequestBody.self, from: body).order()
        let writer = IssueAnswerWriter(
            offerId: order.offerId, role: context.caller.role, instance: request.uri.path,
            requestId: context.requestId)
        guard let key else {
            return Response(try writer.write(try await issuing.issue(order, caller: context.caller)))
        }
        let answer = try await issuing.issue(
            order, caller: context.caller, as: IdempotentRequest(key: key, route: Self.issueRoute, body: body),
            write: { try writer.write($0) })
        return Response(answer)
    }

    /// `GET`: a customer's issued offers, or everyone's, newest first.
    @Sendable func list(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: CustomerQuery.names + ["offerId", "limit", "cursor"])
        let offerId = query.text("offerId").map { OfferId($0) }
        let limit = query.number("limit", in: Self.pageSize.range)
        let before = query.cursor("cursor")
        let page = try await customers.issuedOffers(
            try CustomerQuery.readIfAny(&query), offerId: offerId, limit: limit ?? Self.pageSize.usual, before: before,
            caller: context.caller)
        return try .json(PageBody(items: page.items.map(IssuedOfferBody.init), next: page.next.map { String($0) }))
    }

    /// `GET …/export`: everyone's issued offers with the audit's proof, in the order they were issued.
    @Sendable func export(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: ["offerId", "from", "to", "limit", "cursor"])
        let selection = IssuedOfferExport.Selection(
            offerId: query.text("offerId").map { OfferId($0) }, from: query.instant("from"), to: query.instant("to"))
        let limit = query.number("limit", in: Self.pageSize.range)
        let after = query.cursor("cursor")
        try query.finish()
        let page = try await exporting.page(
            selection, limit: limit ?? Self.pageSize.usual, after: after, caller: context.caller)
        return try .json(
            PageBody(
                items: page.items.map { ExportedOfferBody($0, scope: context.caller.scope) },
                next: page.next.map { String($0) }))
    }

    /// `POST …/void`: withdraws one; an offer that is no longer open stays as it is.
    @Sendable func void(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let text = try context.pathText("id")
        guard let id = LowercaseUUID(text) else { throw Problem.unknownIssuedOffer(text) }
        let body = try await request.decode(VoidRequestBody.self, upTo: bodyLimit)
        if let fault = RequestRules.fault(inText: body.reason, maximum: RequestRules.identifierLength) {
            throw RequestFault(JSONPointer.root.appending("reason"), fault.code, fault.detail)
        }
        let offer = try await voiding.void(
            id, reason: body.reason, release: body.release ?? false, caller: context.caller)
        return try .json(IssuedOfferBody(offer))
    }

    /// `GET` of one.
    @Sendable func show(
        _ request: Request, _ context: CallerContext<ClientOrSupportAccess>
    ) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let text = try context.pathText("id")
        guard let id = LowercaseUUID(text) else { throw Problem.unknownIssuedOffer(text) }
        return try .json(IssuedOfferBody(try await customers.issuedOffer(id, caller: context.caller)))
    }
}

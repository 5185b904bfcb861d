import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/issued-offers` and `/v1/signature-checks`: signed offers, made, read back and checked.
struct IssuedOffersController: Sendable {
    /// Part of what an `Idempotency-Key` is kept under; it never changes.
    private static let issueRoute = "POST /v1/issued-offers"

    let useCases: UseCases
    let limits: HTTPLimits

    /// `POST`: 201 for a new signing, 200 for stored signatures, a problem document for a refusal; with an
    /// `Idempotency-Key` the same answer again.
    @Sendable func issue(_ request: Request, _ context: CallerContext) async throws -> Response {
        let key = try IdempotencyKey.of(request)
        let limit = limits.signedData(for: context.caller.role)
        let body = try await request.jsonBytes(upTo: limit)
        let order = try WireJSON.decodeRequest(
            IssueRequest.self, from: body, values: HTTPLimits.values(inBody: limit))
        try order.check(by: context.caller.role)
        let instance = request.uri.path
        let answer = try await useCases.issuing.issue(
            order, caller: context.caller,
            as: key.map { IdempotentRequest(key: $0, route: Self.issueRoute, body: body) },
            write: { try Self.write($0, to: order, at: instance, context) })
        if answer.isReplayed { context.notes.note { ($0.decisionId, $0.problem) = (nil, nil) } }
        return Response(answer)
    }

    private static func write(
        _ answer: IssueAnswer, to order: IssueRequest, at instance: String, _ context: CallerContext
    ) throws -> WrittenAnswer {
        switch answer {
        case .issued(let offer, let isNew):
            context.notes.note { ($0.decisionId, $0.problem) = (offer.decisionId, nil) }
            let status: HTTPResponse.Status = isNew ? .created : .ok
            return WrittenAnswer(
                status: status.code, contentType: MediaType.json.rawValue,
                location: "/v1/issued-offers/\(offer.issuedOfferId)", body: try WireJSON.encode(offer))
        case .refused(let refusal):
            let problem = Problem(
                refusal, offerId: order.offerId, role: context.caller.role, locale: order.device.locale)
            let body = problem.body(instance: instance, requestId: context.requestId)
            context.notes.note { ($0.decisionId, $0.problem) = (refusal.decisionId, body.code) }
            return WrittenAnswer(
                status: body.status, contentType: ProblemBody.mediaType, body: try WireJSON.encode(body))
        }
    }

    /// `GET`: a customer's issued offers, or everyone's, newest first.
    @Sendable func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: CustomerQuery.names + ["offerId", "limit", "cursor"])
        let offerId = query.text("offerId").map { OfferId($0) }
        let limit = query.limit()
        let before = query.cursor("cursor", of: .issuedOffers)
        return try .json(
            try await useCases.customers.issuedOffers(
                try CustomerQuery.readIfAny(&query), offerId: offerId, limit: limit,
                before: before, caller: context.caller))
    }

    /// `GET …/export`: everyone's issued offers with the audit's proof, in the order they were issued.
    @Sendable func export(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: ["offerId", "from", "to", "limit", "cursor"])
        let offerId = query.text("offerId").map { OfferId($0) }
        let (from, to) = (query.instant("from"), query.instant("to"))
        let limit = query.limit()
        let after = query.cursor("cursor", of: .export)
        try query.finish()
        return try .json(
            try await useCases.export.page(
                offerId: offerId, from: from, to: to, limit: limit, after: after,
                caller: context.caller))
    }

    /// `POST …/void`: withdraws one; an offer that is no longer open stays as it is.
    @Sendable func void(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let id = try context.issuedOfferId()
        let body = try await request.decode(VoidRequestBody.self, upTo: limits.signedDataBytes, by: context)
        return try .json(
            try await useCases.voiding.void(
                id, reason: body.reason, release: body.release ?? false, caller: context.caller))
    }

    @Sendable func show(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        return try .json(try await useCases.customers.issuedOffer(try context.issuedOfferId(), caller: context.caller))
    }

    /// `POST …/replay`: the recorded decision beside what comes out now.
    @Sendable func replay(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let id = try context.issuedOfferId()
        let body = try await request.decode(ReplayRequestBody.self, upTo: limits.bodyBytes, by: context)
        return try .json(
            try await useCases.replay.replay(id, catalogRevision: body.catalogRevision, caller: context.caller))
    }

    /// `POST /v1/signature-checks`: why StoreKit refuses a signature.
    @Sendable func check(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await request.decode(PassedSignature.self, upTo: limits.bodyBytes, by: context)
        return try .json(try await useCases.signatureChecks.check(body, caller: context.caller))
    }
}

extension VoidRequestBody: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) { checks.text(reason, at: .root.appending("reason")) }
}

extension ReplayRequestBody: CheckedRequest {
    /// Whether there is such a revision is for the catalogs to say.
    func check(_ checks: inout RequestChecks, by role: Role) {}
}

extension CallerContext {
    fileprivate func issuedOfferId() throws -> LowercaseUUID {
        try pathId({ LowercaseUUID($0) }, or: RequestError.unknownIssuedOffer)
    }
}

extension Response {
    init(_ answer: WrittenAnswer) {
        var headers = HTTPFields()
        headers[.location] = answer.location
        if answer.isReplayed { headers[.idempotentReplayed] = "true" }
        self = .bytes(
            answer.body, answer.contentType, status: HTTPResponse.Status(code: answer.status), headers: headers)
    }
}

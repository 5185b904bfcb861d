import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/issued-offers`: signed offers, made and read back.
struct IssuedOffersController: Sendable {
    /// Part of what an `Idempotency-Key` is kept under; it never changes.
    private static let issueRoute = "POST /v1/issued-offers"

    let useCases: UseCases
    let limits: HTTPLimits

    /// `POST`: 201 for a new signing, 200 for stored signatures, a problem document for a refusal; with an
    /// `Idempotency-Key` the same answer again.
    @Sendable func issue(_ request: Request, _ context: CallerContext<ClientOrAppAccess>) async throws -> Response {
        let key = try IdempotencyKey.of(request)
        let limit = limits.signedData(for: context.caller.role)
        let body = try await request.jsonBytes(upTo: limit)
        let order = try WireJSON.decodeRequest(
            IssueRequest.self, from: body, values: HTTPLimits.values(inBody: limit))
        try order.check(by: context.caller.role)
        let writer = IssueAnswerWriter(
            offerId: order.offerId, role: context.caller.role, locale: order.device.locale,
            instance: request.uri.path,
            requestId: context.requestId, notes: context.notes)
        guard let key else {
            return Response(try writer.write(try await useCases.issuing.issue(order, caller: context.caller)))
        }
        let answer = try await useCases.issuing.issue(
            order, caller: context.caller, as: IdempotentRequest(key: key, route: Self.issueRoute, body: body),
            write: { try writer.write($0) })
        if answer.isReplayed { context.notes.note { ($0.decisionId, $0.problem) = (nil, nil) } }
        return Response(answer)
    }

    /// `GET`: a customer's issued offers, or everyone's, newest first.
    @Sendable func list(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
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
    @Sendable func export(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
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
    @Sendable func void(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let id = try context.issuedOfferId()
        let body = try await request.decode(VoidRequestBody.self, upTo: limits.signedDataBytes)
        if let fault = RequestRules.fault(inText: body.reason, maximum: RequestRules.identifierLength) {
            throw RequestFault(JSONPointer.root.appending("reason"), fault.code, fault.detail)
        }
        return try .json(
            try await useCases.voiding.void(
                id, reason: body.reason, release: body.release ?? false, caller: context.caller))
    }

    @Sendable func show(
        _ request: Request, _ context: CallerContext<ClientOrSupportAccess>
    ) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        return try .json(try await useCases.customers.issuedOffer(try context.issuedOfferId(), caller: context.caller))
    }

    /// `POST …/replay`: the recorded decision beside what comes out now.
    @Sendable func replay(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let id = try context.issuedOfferId()
        let body = try await request.decode(ReplayRequestBody.self, upTo: limits.bodyBytes)
        return try .json(
            try await useCases.replay.replay(id, catalogRevision: body.catalogRevision, caller: context.caller))
    }
}

extension CallerContext {
    fileprivate func issuedOfferId() throws -> LowercaseUUID {
        let text = try pathText("id")
        guard let id = LowercaseUUID(text) else { throw Problem.unknownIssuedOffer(text) }
        return id
    }
}

/// Writes the answer to an order as bytes: before the commit, so that exactly these can be kept
/// (docs/design.md#issuing).
struct IssueAnswerWriter: Sendable {
    let offerId: OfferId
    let role: Role
    let locale: String?
    let instance: String
    let requestId: LowercaseUUID
    let notes: RequestNotes

    func write(_ answer: IssueAnswer) throws -> WrittenAnswer {
        switch answer {
        case .issued(let offer, let isNew):
            notes.note { ($0.decisionId, $0.problem) = (offer.decisionId, nil) }
            let status: HTTPResponse.Status = isNew ? .created : .ok
            return WrittenAnswer(
                status: status.code, contentType: MediaType.json.rawValue,
                location: "/v1/issued-offers/\(offer.issuedOfferId)",
                body: try WireJSON.encode(offer))
        case .refused(let refusal):
            let problem = Problem(refusal, offerId: offerId, role: role, locale: locale)
            let body = problem.body(instance: instance, requestId: requestId)
            notes.note { ($0.decisionId, $0.problem) = (refusal.decisionId, body.code) }
            return WrittenAnswer(
                status: body.status, contentType: ProblemBody.mediaType, body: try WireJSON.encode(body))
        }
    }
}

extension Response {
    init(_ answer: WrittenAnswer) {
        var headers: HTTPFields = [.contentType: answer.contentType]
        headers[.location] = answer.location
        if answer.isReplayed { headers[.idempotentReplayed] = "true" }
        self.init(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

/// `/v1/signature-checks`: why StoreKit refuses a signature.
struct SignatureChecksController: Sendable {
    let checks: SignatureChecks
    let bodyLimit: Int

    @Sendable func check(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        let body = try await request.decode(PassedSignature.self, upTo: bodyLimit)
        try body.check()
        return try .json(try await checks.check(body, caller: context.caller))
    }
}

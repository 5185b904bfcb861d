import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferEligibility
import OfferModel
import OfferSigning

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

    /// `POST`: 201 for a new signing, 200 for stored signatures, a problem document for a refusal; with an
    /// `Idempotency-Key` the same answer again.
    @Sendable func issue(_ request: Request, _ context: CallerContext<ClientAccess>) async throws -> Response {
        let key = try IdempotencyKey.of(request)
        let body = try await request.jsonBytes(upTo: bodyLimit)
        let order = try WireJSON.decodeRequest(IssueRequestBody.self, from: body).order()
        let writer = IssueAnswerWriter(
            offerId: order.offerId, role: context.caller.role, instance: request.uri.path,
            requestId: context.requestId, notes: context.notes)
        guard let key else {
            return Response(try writer.write(try await issuing.issue(order, caller: context.caller)))
        }
        let answer = try await issuing.issue(
            order, caller: context.caller, as: IdempotentRequest(key: key, route: Self.issueRoute, body: body),
            write: { try writer.write($0) })
        if answer.isReplayed { context.notes.note { ($0.decisionId, $0.problem) = (nil, nil) } }
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

extension IssueRequestBody {
    /// What is ordered.
    ///
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func order() throws(RequestFault) -> IssueRequest {
        let delivery = SignedDelivery(
            signedTransactions: signedTransactions ?? [], signedRenewalInfo: signedRenewalInfo ?? [],
            signedAppTransaction: signedAppTransaction, historyComplete: historyComplete ?? false)
        var checks = RequestChecks()
        checks.text(offerId.rawValue, at: .root.appending("offerId"))
        checks.text(productId?.rawValue, at: .root.appending("productId"))
        checks.customer(customer)
        checks.formats(formats)
        checks.signals(signals)
        checks.delivery(delivery)
        checks.device(request)
        try checks.finish()
        return IssueRequest(
            offerId: offerId, productId: productId, customer: CustomerIdentifiers(customer), formats: formats ?? [],
            fresh: fresh ?? false, signals: signals ?? [:], device: DeviceRequest(request),
            delivery: delivery)
    }
}

extension CustomerIdentifiers {
    init(_ reference: CustomerReference) {
        self.init(
            originalTransactionId: reference.originalTransactionId, appTransactionId: reference.appTransactionId,
            appAccountToken: reference.appAccountToken, customerId: reference.customerId)
    }
}

/// Writes the answer to an order as bytes: before the commit, so that exactly these can be kept (docs/design.md#issuing).
struct IssueAnswerWriter: Sendable {
    let offerId: OfferId
    let role: Role
    let instance: String
    let requestId: LowercaseUUID
    let notes: RequestNotes

    /// The answer as it goes out.
    func write(_ answer: IssueAnswer) throws -> WrittenAnswer {
        switch answer {
        case .issued(let offer, let isNew):
            notes.note { ($0.decisionId, $0.problem) = (offer.decisionId, nil) }
            let status: HTTPResponse.Status = isNew ? .created : .ok
            return WrittenAnswer(
                status: status.code, contentType: MediaType.json.rawValue, location: "/v1/issued-offers/\(offer.id)",
                body: try WireJSON.encode(IssuedOfferBody(offer)))
        case .refused(let refusal):
            let problem = Problem(refusal, offerId: offerId, role: role)
            let body = problem.body(instance: instance, requestId: requestId)
            notes.note { ($0.decisionId, $0.problem) = (refusal.decisionId, problem.code) }
            return WrittenAnswer(
                status: body.status, contentType: ProblemBody.mediaType, body: try WireJSON.encode(body))
        }
    }
}

extension Response {
    /// An answer that is written already.
    init(_ answer: WrittenAnswer) {
        var headers: HTTPFields = [.contentType: answer.contentType]
        headers[.location] = answer.location
        if answer.isReplayed { headers[.idempotentReplayed] = "true" }
        self.init(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

extension IssuedOfferBody {
    init(_ offer: IssuedOfferView) {
        self.init(
            issuedOfferId: offer.id, decisionId: offer.decisionId, offerId: offer.offerId, offerType: offer.offerType,
            delivery: offer.delivery, offerIdentifier: offer.offerIdentifier, productId: offer.productId,
            bundleId: offer.scope.bundleId, environment: offer.scope.environment, keyId: offer.keyId,
            state: offer.state, issuedAt: offer.issuedAt, expiresAt: offer.expiresAt,
            catalogRevision: offer.catalogRevision,
            signatures: SignaturesBody(
                v1: offer.v1.map(SignatureV1Body.init), v2: offer.v2.map(SignatureV2Body.init),
                introductoryEligibility: offer.introductoryEligibility.map(IntroductoryEligibilityBody.init)))
    }
}

extension SignatureV1Body {
    init(_ signature: PromotionalOfferSignatureV1) {
        self.init(
            keyId: signature.keyId, nonce: signature.nonce, timestamp: signature.timestamp,
            signature: signature.signature, appAccountToken: signature.appAccountToken?.description ?? "")
    }
}

extension SignatureV2Body {
    init(_ signature: PromotionalOfferSignatureV2) {
        self.init(jws: signature.jws)
    }
}

extension IntroductoryEligibilityBody {
    init(_ signature: IntroductoryOfferEligibilitySignature) {
        self.init(jws: signature.jws, allowIntroductoryOffer: signature.allowIntroductoryOffer)
    }
}

extension ExportedOfferBody {
    /// An exported offer as the wire carries it.
    init(_ offer: ExportedOffer, scope: Scope) {
        self.init(
            issuedOfferId: offer.id, offerId: offer.offerId, offerType: offer.offerType, delivery: offer.delivery,
            offerIdentifier: offer.offerIdentifier, productId: offer.productId, bundleId: scope.bundleId,
            environment: scope.environment, state: offer.state, issuedAt: offer.issuedAt, expiresAt: offer.expiresAt,
            signings: offer.signings, voidedAt: offer.voidedAt, catalogRevision: offer.catalogRevision,
            proof: offer.proof.map { proof in
                LedgerProofBody(
                    eventSequence: proof.eventSequence, eventHash: proof.eventHash, previousHash: proof.previousHash,
                    rowDigest: proof.rowDigest,
                    checkpoint: proof.checkpoint.map { checkpoint in
                        CheckpointBody(
                            number: checkpoint.number, eventSequence: checkpoint.eventSequence, head: checkpoint.head,
                            signedAt: checkpoint.signedAt, keyFingerprint: checkpoint.keyFingerprint,
                            signature: checkpoint.signature)
                    })
            })
    }
}

extension ReplayBody {
    init(_ replay: DecisionReplay) {
        self.init(
            issuedOfferId: replay.issuedOfferId, decisionId: replay.decisionId, offerId: replay.offerId,
            decidedAt: replay.decidedAt, recorded: ReplayedDecisionBody(replay.recorded),
            recomputed: ReplayedDecisionBody(replay.recomputed),
            differences: replay.differences.map {
                ReplayDifferenceBody(
                    rule: $0.rule, path: $0.path, member: $0.member, recorded: $0.recorded, recomputed: $0.recomputed)
            })
    }
}

extension ReplayedDecisionBody {
    init(_ replayed: ReplayedDecision) {
        self.init(
            catalogRevision: replayed.catalogRevision, outcome: replayed.decision.outcome.rawValue,
            findings: replayed.decision.findings.map(FindingBody.init))
    }
}

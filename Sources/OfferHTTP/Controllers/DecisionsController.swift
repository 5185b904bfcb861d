import Hummingbird
import OfferAPI
import OfferApplication
import OfferEligibility
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

extension DecisionRequestBody {
    /// What is asked.
    ///
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func inquiry() throws -> Inquiry {
        var checks = RequestChecks()
        if let customer {
            checks.customer(customer)
        } else if history == nil {
            checks.add(
                .root.appending("customer"), .missingMember, "the member `customer` is missing",
                hint: "name a customer, or supply a `history`")
        }
        checks.offers(offerIds)
        checks.text(productId?.rawValue, at: .root.appending("productId"))
        checks.signals(signals)
        checks.device(request)
        checks.instant(asOf, at: .root.appending("asOf"))
        checks.history(history)
        checks.catalog(catalog, catalogRevision)
        try checks.finish()
        return Inquiry(
            customer: customer.map(CustomerIdentifiers.init) ?? CustomerIdentifiers(), offerIds: offerIds,
            productId: productId, signals: signals ?? [:], request: DeviceRequest(request),
            supposition: try supposition())
    }

    private func supposition() throws -> Supposition {
        var supposition = Supposition(asOf: asOf, history: try history.map { try SuppliedHistory($0) })
        if let catalog { supposition.catalog = .document(catalog) }
        if let catalogRevision { supposition.catalog = .revision(catalogRevision) }
        return supposition
    }
}

extension DeviceRequest {
    init(_ body: RequestFactsBody?) {
        self.init(appVersion: body?.appVersion, osVersion: body?.osVersion, locale: body?.locale)
    }
}

extension SuppliedHistory {
    /// The history with each payload as JSON text of its own, written the same however it was sent.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot hold, which no request can bring.
    init(_ body: HistoryBody) throws {
        self.init(
            transactions: try body.transactions.map { try WireJSON.encode($0) },
            renewalInfos: try body.renewalInfos.map { try WireJSON.encode($0) },
            appTransaction: try body.appTransaction.map { try WireJSON.encode($0) },
            issuedOffers: body.issuedOffers?.map(SuppliedOffer.init), isComplete: body.complete)
    }
}

extension SuppliedOffer {
    fileprivate init(_ body: PastOfferBody) {
        self.init(
            offerId: body.offerId, productId: body.productId, issuedAt: body.issuedAt, expiresAt: body.expiresAt,
            signings: body.signings ?? 1, voidedAt: body.voidedAt, isReleased: body.released ?? false)
    }
}

extension DecisionsBody {
    init(_ answer: InquiryAnswer, role: Role) {
        self.init(
            decisions: answer.decisions.map { DecisionBody($0, role: role) }, best: answer.choice?.offerId,
            bestReason: role == .client ? nil : answer.choice?.sentence)
    }
}

extension DecisionBody {
    fileprivate init(_ decided: OfferDecision, role: Role) {
        self.init(
            offerId: decided.offer.id, outcome: decided.decision.outcome.rawValue, delivery: decided.offer.delivery,
            priority: decided.offer.priority,
            turningPoint: decided.outlook.turningPoint.map(TurningPointBody.init),
            explanation: role == .client
                ? nil : ExplanationBody(Explanation(decided.decision, outlook: decided.outlook)),
            findings: decided.decision.findings.bodies(for: role))
    }
}

extension ExplanationBody {
    fileprivate init(_ explanation: Explanation) {
        self.init(
            sentence: explanation.sentence, change: explanation.change, customerAnswer: explanation.customerAnswer)
    }
}

extension [Finding] {
    /// The findings as a role may see them: a `client` key only what stands in the way, without the customer's data
    /// (docs/design.md#http).
    func bodies(for role: Role) -> [FindingBody] {
        guard role == .client else { return map(FindingBody.init) }
        return filter(\.verdict.isInTheWay).map {
            FindingBody(
                rule: $0.rule.rawValue, verdict: $0.verdict.rawValue, reason: $0.reason.rawValue,
                turningPoint: $0.turningPoint.map(TurningPointBody.init))
        }
    }
}

extension FindingBody {
    init(_ finding: Finding) {
        self.init(
            rule: finding.rule.rawValue, verdict: finding.verdict.rawValue, reason: finding.reason.rawValue,
            path: finding.path, message: finding.message, evidence: finding.evidence.map(EvidenceBody.init),
            turningPoint: finding.turningPoint.map(TurningPointBody.init),
            children: finding.children?.map(FindingBody.init))
    }
}

extension EvidenceBody {
    init(_ evidence: Evidence) {
        self.init(
            field: evidence.field, observed: evidence.observed.map(ObservedValue.init),
            required: evidence.required.map(ObservedValue.init), provenance: evidence.provenance,
            transactionId: evidence.transactionId)
    }
}

extension ObservedValue {
    init(_ value: EvidenceValue) {
        switch value {
        case .value(let value): self = .value(value)
        case .list(let values): self = .list(values)
        }
    }
}

extension TurningPointBody {
    init(_ point: TurningPoint) {
        switch point {
        case .at(let instant): self.init(at: instant)
        case .event(let event): self.init(event: event.rawValue)
        }
    }
}

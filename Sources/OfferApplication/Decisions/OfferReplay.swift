package import OfferAPI
import OfferDocuments
package import OfferModel
import OfferStore

/// Decides again what was decided (invariant 5): shows what differs from the decision that allowed an issued offer,
/// `POST …/replay`, and explains a refusal, `GET /v1/decisions/{id}`.
///
/// It calls the same function as issuing does and writes nothing (invariant 4).
public struct OfferReplay: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let policy: Policy
    let work: LongWork

    /// Replays the decision that allowed an issued offer.
    ///
    /// - Parameter revision: the catalog to decide by; the one of the decision if absent.
    /// - Throws: `unknownIssuedOffer`, `erasedRecord`, `unknownRevision`, `unknownOffer` if that catalog does not have
    ///   the offer, `invalidCatalog` if this version no longer reads that catalog, `busy`.
    package func replay(
        _ id: LowercaseUUID, catalogRevision revision: Int?, caller: Caller
    ) async throws -> DecisionReplay {
        try await work.read(database) { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let issued = try IssuedOfferStore(transaction).issuedOffer(id, in: number),
                let signing = try IssuedOfferStore(transaction).signings(of: issued).first
            else { throw RequestError.unknownIssuedOffer(id.description) }
            guard let bytes = signing.record else { throw RequestError.erasedRecord(signing.decisionId) }
            let record = try DecisionRecord(stored: bytes)
            let asked = Int64(revision ?? record.catalogRevision)
            guard try CatalogStore(transaction).revision(asked, in: number) != nil else {
                throw RequestError.unknownRevision(String(asked))
            }
            func decision(by revision: Int64) throws -> Decision {
                do {
                    return try record.decideAgain(
                        issued.issuedOffer.offerId,
                        by: catalogs.catalog(revision, of: number, in: caller.scope, transaction),
                        scope: caller.scope, policy: policy, in: number, transaction)
                } catch let invalid as InvalidDocument {
                    throw RequestError.invalidCatalog(invalid.errors)
                }
            }
            let recomputed = try decision(by: asked)
            let then = revision == nil ? recomputed : try decision(by: Int64(record.catalogRevision))
            let recorded = record.decision(explainedBy: then)
            return DecisionReplay { replay in
                replay.issuedOfferId = id
                replay.decisionId = signing.decisionId
                replay.offerId = issued.issuedOffer.offerId
                replay.decidedAt = signing.decidedAt
                replay.recorded = ReplayedDecision(recorded, by: record.catalogRevision)
                replay.recomputed = ReplayedDecision(recomputed, by: Int(asked))
                replay.differences = ReplayDifference.between(recorded, recomputed)
            }
        }
    }

    /// The newest refusals of requests for which no customer is known, the newest first, with what each request named: an
    /// app that sends an identifier of no purchase is seen here, and on no customer's page.
    ///
    /// - Throws: `busy`.
    package func unmatched(limit: Int, caller: Caller) async throws -> PageBody<UnmatchedRefusal> {
        try await work.read(database) { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                return PageBody(items: [], next: nil)
            }
            let refusals = try RefusalStore(transaction).withoutCustomer(in: number, limit: limit)
            return PageBody(items: refusals.map(UnmatchedRefusal.init), next: nil)
        }
    }

    /// Explains a refusal by its `decisionId`, as it was decided.
    ///
    /// The record keeps what each rule answered; the messages and the evidence are made again from what was known then.
    ///
    /// - Throws: `unknownDecision`; `erasedRecord`; `invalidCatalog` if this version no longer reads the catalog that
    ///   was in force; `busy`.
    package func refusal(_ id: LowercaseUUID, caller: Caller) async throws -> RecordedDecisionBody {
        try await work.read(database) { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let refusal = try RefusalStore(transaction).refusal(id, in: number)
            else { throw RequestError.unknownDecision(id.description) }
            guard let bytes = refusal.record else { throw RequestError.erasedRecord(id) }
            let record = try DecisionRecord(stored: bytes)
            do {
                let question = try record.question(
                    refusal.offerId,
                    by: catalogs.catalog(refusal.catalogRevision, of: number, in: caller.scope, transaction),
                    scope: caller.scope)
                let subject = PreparedSubject(
                    try record.facts(of: question.offer.id, in: number, transaction), policy: policy)
                let again = decideAhead(question, about: subject)
                let decided = OfferDecision(
                    offer: question.offer, decision: record.decision(explainedBy: again.decision),
                    outlook: again.outlook)
                return RecordedDecisionBody { body in
                    body.decisionId = id
                    body.decidedAt = refusal.decidedAt
                    body.catalogRevision = Int(refusal.catalogRevision)
                    body.productId = record.productId
                    body.decision = DecisionBody(
                        decided, role: caller.role, appSignals: [], locale: record.request.locale)
                }
            } catch let invalid as InvalidDocument {
                throw RequestError.invalidCatalog(invalid.errors)
            }
        }
    }
}

extension ReplayedDecision {
    fileprivate init(_ decision: Decision, by catalogRevision: Int) {
        self.init()
        self.catalogRevision = catalogRevision
        outcome = decision.outcome.rawValue
        findings = decision.findings.map(FindingBody.init)
    }
}

extension ReplayDifference {
    static func between(_ recorded: Decision, _ recomputed: Decision) -> [ReplayDifference] {
        var differences: [ReplayDifference] = []
        if recorded.outcome != recomputed.outcome {
            differences.append(
                ReplayDifference(
                    member: "outcome", recorded: recorded.outcome.rawValue, recomputed: recomputed.outcome.rawValue))
        }
        compare(recorded.findings, recomputed.findings, into: &differences)
        return differences
    }

    private static func compare(
        _ recorded: [Finding], _ recomputed: [Finding], into differences: inout [ReplayDifference]
    ) {
        let now = Dictionary(recomputed.map { (FindingPlace($0), $0) }) { first, _ in first }
        let then = Set(recorded.map(FindingPlace.init))
        for finding in recorded {
            compare(finding, now[FindingPlace(finding)], into: &differences)
        }
        for finding in recomputed where !then.contains(FindingPlace(finding)) {
            compare(nil, finding, into: &differences)
        }
    }

    private static func compare(
        _ recorded: Finding?, _ recomputed: Finding?, into differences: inout [ReplayDifference]
    ) {
        func note(_ member: String, _ read: (Finding) -> String?) {
            let (then, now) = (recorded.flatMap(read), recomputed.flatMap(read))
            guard then != now, let finding = recorded ?? recomputed else { return }
            differences.append(
                ReplayDifference(
                    rule: finding.rule.rawValue, path: finding.path, member: member, recorded: then, recomputed: now))
        }
        guard let recorded, let recomputed else { return note("finding") { $0.verdict.rawValue } }
        note("verdict") { $0.verdict.rawValue }
        note("reason") { $0.reason.rawValue }
        note("message") { $0.message }
        note("evidence") { $0.evidence.map(\.words).joined(separator: "; ") }
        note("turningPoint") { $0.turningPoint.map(\.description) }
        compare(recorded.children ?? [], recomputed.children ?? [], into: &differences)
    }
}

private struct FindingPlace: Hashable {
    let rule: RuleId
    let path: String?

    init(_ finding: Finding) {
        rule = finding.rule
        path = finding.path
    }
}

extension Evidence {
    /// All that it says, so that two pieces with the same words are the same.
    fileprivate var words: String {
        let parts = [
            observed.map { "is \($0.words)" }, required.map { "required \($0.words)" },
            provenance.map { "from \($0.rawValue)" }, transactionId.map { "transaction \($0)" },
        ]
        return ([field] + parts.compactMap(\.self)).joined(separator: ", ")
    }
}

extension EvidenceValue {
    fileprivate var words: String {
        switch self {
        case .value(let value): value.description
        case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
        }
    }
}

extension DecisionRecord {
    /// Decides again what was decided, by a catalog: from the rows stored by then, the issued offers as they were seen,
    /// and the rest as recorded. It calls the same function as issuing does.
    ///
    /// - Throws: `unknownOffer` if the catalog has no offer that has or had that id, and ``StoreError``.
    func decideAgain(
        _ id: OfferId, by catalog: CompiledCatalog, scope: Scope, policy: Policy, in number: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws -> Decision {
        let question = try question(id, by: catalog, scope: scope)
        return decide(question, facts: try facts(of: question.offer.id, in: number, transaction), policy: policy)
    }

    /// - Throws: `unknownOffer` if the catalog has no offer that has or had that id.
    func question(_ id: OfferId, by catalog: CompiledCatalog, scope: Scope) throws -> Question {
        guard let offer = catalog.compiledOffer(id) else { throw RequestError.unknownOffer(id) }
        return Question(
            offer, productId: productId, of: catalog, scope: scope, at: now, pause: pause, pausedUntil: pausedUntil,
            signals: signals, request: request,
            signUp: SignUp(appAccountToken: order.appAccountToken, customerId: order.customerId),
            needsNewSigning: needsNewSigning, formats: Set(formats), takesHistoryAsProven: false)
    }

    /// The decision as it was recorded: the rules' answers of the record, with the messages and the evidence of the
    /// same decision made again.
    func decision(explainedBy again: Decision?) -> Decision {
        var known = Dictionary(grouping: again?.findings ?? [], by: \.rule)
        return Decision(
            findings: findings.map { answer in
                guard var finding = known[answer.rule]?.first else {
                    return Finding(
                        rule: answer.rule, verdict: answer.verdict, reason: answer.reason,
                        message: "`\(answer.rule.rawValue)`: `\(answer.reason.rawValue)`")
                }
                known[answer.rule]?.removeFirst()
                finding.verdict = answer.verdict
                finding.reason = answer.reason
                return finding
            })
    }

    /// The facts of the customer, and the uses of the offer by all customers.
    func facts(
        of id: OfferId, in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> SubjectFacts {
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: identifiers, upTo: historySequence, in: number),
            issuedOffers: try issuedOffers.map { try issuedOffer($0, in: number, transaction) }, attributes: attributes,
            firstStoredAt: firstStoredAt, rolloutKey: rolloutKey, openedAt: openedAt)
        facts.isUnited = customers.count > 1
        facts.keptEvidence = keptEvidence
        facts.grants = grants
        facts.history.coverage = coverage
        facts.counters[id] = counters
        facts.accountUses[id] = accountUses
        return facts
    }

    /// The issued offer as it was seen: its row has gone on changing.
    private func issuedOffer(
        _ seen: SeenIssuedOffer, in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> IssuedOffer {
        guard var issuedOffer = try IssuedOfferStore(transaction).issuedOffer(seen.id, in: number)?.issuedOffer else {
            throw StoreError.corrupt("the issued offer `\(seen.id)` that a decision has seen is missing")
        }
        issuedOffer.signings = seen.signings
        issuedOffer.expiresAt = seen.expiresAt
        issuedOffer.countsUntil = seen.countsUntil
        issuedOffer.voidedAt = seen.voidedAt
        issuedOffer.isReleased = seen.isReleased
        issuedOffer.settledAt = seen.settledAt
        return issuedOffer
    }
}

extension UnmatchedRefusal {
    fileprivate init(_ refusal: Refusal) {
        self.init()
        (decisionId, decidedAt) = (refusal.id, refusal.decidedAt)
        (offerId, outcome) = (refusal.offerId, refusal.outcome.rawValue)
        guard let record = refusal.record.flatMap({ try? DecisionRecord(stored: $0) }) else { return }
        productId = record.productId
        (originalTransactionId, appTransactionId) = (record.order.originalTransactionId, record.order.appTransactionId)
        (appAccountToken, customerId) = (record.order.appAccountToken, record.order.customerId)
    }
}

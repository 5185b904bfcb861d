package import OfferAPI
import OfferDocuments
import OfferEligibility
package import OfferModel
import OfferStore

/// Explains a refusal by its `decisionId`, as it was decided: `GET /v1/decisions/{id}`.
///
/// The record keeps what each rule answered; the same function makes the messages and the evidence again from what was
/// known then (invariant 5). It writes nothing.
public struct RecordedDecisions: Sendable {
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let policy: Policy
    let work: LongWork

    /// - Throws: `unknownDecision`; `erasedRecord`; `invalidCatalog` if this version no longer reads the catalog that
    ///   was in force; `busy`.
    package func show(_ id: LowercaseUUID, caller: Caller) async throws -> RecordedDecisionBody {
        try await work.run { try await read(id, caller: caller) }
    }

    private func read(_ id: LowercaseUUID, caller: Caller) async throws -> RecordedDecisionBody {
        try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let refusal = try RefusalStore(transaction).refusal(id, in: number)
            else { throw RequestError.unknownDecision(id) }
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
                    body.decision = DecisionBody(decided, role: caller.role, locale: record.request.locale)
                }
            } catch let invalid as InvalidDocument {
                throw RequestError.invalidCatalog(invalid.errors)
            }
        }
    }
}

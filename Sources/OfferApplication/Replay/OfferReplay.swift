import OfferCatalog
import OfferEligibility
public import OfferModel
import OfferStore

/// Decides again what was decided when an offer was issued, and shows what differs: `POST …/replay` (invariant 5).
///
/// It calls the same function as issuing does and writes nothing (invariant 4).
public struct OfferReplay: Sendable {
    private let database: any StoreDatabase
    private let catalogs: CompiledCatalogs
    private let policy: Policy

    init(database: any StoreDatabase, catalogs: CompiledCatalogs, policy: Policy) {
        self.database = database
        self.catalogs = catalogs
        self.policy = policy
    }

    /// Replays the decision that allowed an issued offer.
    ///
    /// - Parameter revision: the catalog to decide by; the one of the decision if absent.
    /// - Throws: ``RequestError/unknownIssuedOffer(_:)``, ``RequestError/erasedRecord(_:)``, ``RequestError/unknownRevision(_:)``,
    ///   ``RequestError/unknownOffer(_:)`` if that catalog does not have the offer,
    ///   ``RequestError/invalidCatalog(_:)`` if this version no longer reads that catalog, and what the store throws.
    public func replay(
        _ id: LowercaseUUID, catalogRevision revision: Int?, caller: Caller
    ) async throws -> DecisionReplay {
        let catalogs = catalogs
        let (found, record, facts, catalog) = try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let found = try DecisionStore(transaction).decisions(issuedOffer: id, in: number).first
            else { throw RequestError.unknownIssuedOffer(id) }
            guard !found.body.hasPrefix(RemovedText.prefix) else { throw RequestError.erasedRecord(found.id) }
            let record: DecisionRecord
            do {
                record = try DecisionRecord(text: found.body)
            } catch {
                throw StoreError.corrupt("the record of decision `\(found.id)` cannot be read")
            }
            let asked = Int64(revision ?? record.catalogRevision)
            guard try CatalogStore(transaction).revision(asked, in: number) != nil else {
                throw RequestError.unknownRevision(String(asked))
            }
            do {
                let catalog = try catalogs.catalog(asked, of: number, in: caller.scope, transaction)
                var facts = try record.facts(in: number, transaction)
                facts.counters[found.offerId] = record.counters
                return (found, record, facts, catalog)
            } catch let invalid as InvalidDocument {
                throw RequestError.invalidCatalog(invalid.errors)
            }
        }
        let question = try record.question(found.offerId, scope: caller.scope, catalog: catalog)
        return DecisionReplay(
            issuedOfferId: id, decisionId: found.id, offerId: found.offerId, decidedAt: found.decidedAt,
            recorded: ReplayedDecision(catalogRevision: record.catalogRevision, decision: record.decision),
            recomputed: ReplayedDecision(
                catalogRevision: revision ?? record.catalogRevision,
                decision: decide(question, facts: facts, policy: policy)))
    }
}

extension DecisionRecord {
    /// The question as it was asked, of a catalog.
    fileprivate func question(_ id: OfferId, scope: Scope, catalog: CompiledCatalog) throws(RequestError) -> Question {
        guard let offer = catalog.catalog.offer(id) else { throw .unknownOffer(id) }
        return Question(
            offer, productId: productId, of: catalog, scope: scope, at: now, pause: pause, signals: signals,
            request: request,
            signUp: SignUp(appAccountToken: order.appAccountToken, customerId: order.customerId),
            needsNewSigning: needsNewSigning, formats: Set(formats), takesHistoryAsProven: false)
    }
}

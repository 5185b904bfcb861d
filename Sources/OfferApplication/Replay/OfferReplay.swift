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
        let (catalogs, policy) = (catalogs, policy)
        return try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope),
                let issued = try SlotStore(transaction).issuedOffer(id, in: number),
                let signing = try SlotStore(transaction).signings(of: issued).first
            else { throw RequestError.unknownIssuedOffer(id) }
            guard let bytes = signing.record else { throw RequestError.erasedRecord(signing.decisionId) }
            let record = try DecisionRecord(stored: bytes)
            let asked = Int64(revision ?? record.catalogRevision)
            guard try CatalogStore(transaction).revision(asked, in: number) != nil else {
                throw RequestError.unknownRevision(String(asked))
            }
            func decision(by revision: Int64) throws -> Decision {
                do {
                    return try record.decideAgain(
                        issued.slot.offerId, by: catalogs.catalog(revision, of: number, in: caller.scope, transaction),
                        scope: caller.scope, policy: policy, in: number, transaction)
                } catch let invalid as InvalidDocument {
                    throw RequestError.invalidCatalog(invalid.errors)
                }
            }
            let recomputed = try decision(by: asked)
            let then = revision == nil ? recomputed : try decision(by: Int64(record.catalogRevision))
            return DecisionReplay(
                issuedOfferId: id, decisionId: signing.decisionId, offerId: issued.slot.offerId,
                decidedAt: signing.decidedAt,
                recorded: ReplayedDecision(
                    catalogRevision: record.catalogRevision, decision: record.decision(explainedBy: then)),
                recomputed: ReplayedDecision(catalogRevision: Int(asked), decision: recomputed))
        }
    }
}

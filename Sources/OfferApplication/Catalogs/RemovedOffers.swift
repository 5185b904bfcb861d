import OfferCatalog
import OfferEligibility
import OfferModel
import OfferStore

/// The offers that an earlier revision of a catalog had and a later one has not: removing an offer archives it (docs/catalog.md).
///
/// Known are those that anybody was ever evaluated for, as the catalog had them then; of others nothing is left that
/// somebody could want to look up. One is never forgotten again, so pages of an earlier catalog's list find it too.
struct RemovedOffers {
    let catalogs: CompiledCatalogs
    let scope: Scope
    let number: ScopeNumber
    let transaction: any StoreTransaction

    /// By id, each archived, or as it is in force if it is: it came back after that catalog, or was new.
    ///
    /// - Throws: what the store throws.
    func missing(in catalog: Catalog) throws -> [Offer] {
        let evaluations = EvaluationStore(transaction)
        let inForce = try catalogs.offersInForce(of: number, in: scope, transaction)
        return try evaluations.offers(in: number).sorted().compactMap { id in
            guard catalog.offer(id) == nil else { return nil }
            if let offer = inForce.first(where: { $0.id == id }) { return offer }
            guard let known = try evaluations.catalogRevision(of: id, in: number),
                var offer = try offer(id, of: known)
            else { return nil }
            offer.status = .archived
            return offer
        }
    }

    private func offer(_ id: OfferId, of revision: Int64) throws -> Offer? {
        do {
            return try catalogs.catalog(revision, of: number, in: scope, transaction).catalog.offer(id)
        } catch is InvalidDocument {
            // One that this version cannot read any more must not hide those in force.
            return nil
        }
    }
}

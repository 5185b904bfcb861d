import OfferEligibility
import OfferModel
import OfferStore

/// The offers a report is about: those of the catalog in force, and those that anybody was ever evaluated for, as the
/// catalog last had them.
struct ReportedOffers {
    let catalogs: CompiledCatalogs
    let scope: Scope
    let number: ScopeNumber
    let transaction: any StoreTransaction

    /// An offer with the group of its products.
    struct Reported {
        var offer: Offer
        var group: SubscriptionGroupId?
    }

    /// One offer, or all of them by id.
    ///
    /// - Throws: ``RequestError/unknownOffer(_:)`` for one that no catalog in force had when somebody asked for it, and
    ///   what the store throws.
    func all(_ only: OfferId?) throws -> [Reported] {
        let current = try catalogs.catalog(
            try CatalogStore(transaction).currentNumber(in: number), of: number, in: scope, transaction
        ).catalog
        if let only {
            guard let reported = try find(only, current) else { throw RequestError.unknownOffer(only) }
            return [reported]
        }
        let decided = try EvaluationStore(transaction).offers(in: number)
        return try Set(current.offers.map(\.id) + decided).sorted().compactMap { try find($0, current) }
    }

    private func find(_ id: OfferId, _ current: Catalog) throws -> Reported? {
        if let reported = Reported(id, of: current) { return reported }
        guard let revision = try EvaluationStore(transaction).catalogRevision(of: id, in: number) else { return nil }
        return Reported(id, of: try catalogs.catalog(revision, of: number, in: scope, transaction).catalog)
    }
}

extension ReportedOffers.Reported {
    fileprivate init?(_ id: OfferId, of catalog: Catalog) {
        guard let offer = catalog.offer(id) else { return nil }
        self.init(offer: offer, group: catalog.offerGroups[id])
    }
}

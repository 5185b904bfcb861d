import OfferDocuments
import OfferModel
import OfferStore
import Synchronization

/// Catalogs by scope and revision, parsed and compiled. A committed revision never changes, so an
/// entry is never stale; it only makes room.
final class CompiledCatalogs: Sendable {
    private struct Key: Hashable {
        var scope: Scope
        var revision: Int64
    }

    private static let capacity = 64
    private let catalogs = Mutex<[Key: CompiledCatalog]>([:])
    private let numbers = Mutex<[Scope: ScopeNumber]>([:])

    /// The number that a scope had when a catalog of it was last read, to ask ahead with; absent if none was.
    func lastNumber(of scope: Scope) -> ScopeNumber? { numbers.withLock { $0[scope] } }

    /// The catalog of a revision, read from the store only if it is not known yet.
    ///
    /// - Throws: `InvalidDocument` if a stored document is no longer readable, which a changed reader would cause, and
    ///   `StoreError`.
    func catalog(
        _ revision: Int64, of number: ScopeNumber, in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> CompiledCatalog {
        guard revision > 0 else { return CompiledCatalog(Catalog(bundleId: scope.bundleId)) }
        let key = Key(scope: scope, revision: revision)
        if let known = catalogs.withLock({ $0[key] }) { return known }
        guard let stored = try CatalogStore(transaction).revision(revision, in: number) else {
            throw StoreError.corrupt("catalog revision \(revision) of `\(scope)` is missing")
        }
        let catalog = CompiledCatalog(try CatalogReader.read(stored.document).value)
        if let memory = transaction.memory, memory.hasNewCatalog { return catalog }
        numbers.withLock { $0[scope] = number }
        catalogs.withLock { cache in
            if cache.count >= Self.capacity { cache.removeAll(keepingCapacity: true) }
            cache[key] = catalog
        }
        return catalog
    }

    /// The offers of the catalog in force; none where this version cannot read it.
    func offersInForce(
        of number: ScopeNumber, in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> [Offer] {
        do {
            let revision = try CatalogStore(transaction).currentNumber(in: number)
            return try catalog(revision, of: number, in: scope, transaction).catalog.offers
        } catch is InvalidDocument {
            return []
        }
    }

    /// The offers that an earlier revision of a catalog had and this one has not, by id: removing an offer archives it
    /// (docs/catalog.md). Each is archived, or as it is in force if it came back after that catalog or was new.
    ///
    /// Known are those that were ever evaluated for a customer, as the catalog had them then; of others nothing is left
    /// to look up. A known offer stays known, so pages of an earlier catalog's list find it too.
    func removedOffers(
        missingIn catalog: Catalog, of number: ScopeNumber, in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> [Offer] {
        let inForce = try offersInForce(of: number, in: scope, transaction)
        return try EvaluationStore(transaction).offers(in: number).sorted().compactMap { id in
            guard catalog.offer(everNamed: id) == nil else { return nil }
            if let offer = inForce.first(where: { $0.id == id }) { return offer }
            do {
                guard var offer = try lastEvaluated(id, of: number, in: scope, transaction)?.offer(id) else {
                    return nil
                }
                offer.status = .archived
                return offer
            } catch is InvalidDocument {
                // One that this version can no longer read must not hide those in force.
                return nil
            }
        }
    }

    /// Why an offer was not found: there is no catalog yet, or it does not have the offer.
    ///
    /// - Parameter number: the scope's; `nil` for one without any record.
    static func unknown(
        _ id: OfferId, of number: ScopeNumber?, in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> RequestError {
        guard let number, try CatalogStore(transaction).currentNumber(in: number) > 0 else { return .noCatalog(scope) }
        return .unknownOffer(id)
    }

    struct ReportedOffer {
        var offer: Offer
        var group: SubscriptionGroupId?
    }

    /// The offers that a report is about: those of the catalog in force, and those that were ever evaluated, as the
    /// catalog last had them; by id.
    ///
    /// - Throws: `unknownOffer` for one that no catalog in force had when it was requested, `noCatalog`.
    func reportedOffers(
        _ only: OfferId?, of number: ScopeNumber, in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> [ReportedOffer] {
        let current = try catalog(
            try CatalogStore(transaction).currentNumber(in: number), of: number, in: scope, transaction
        ).catalog
        func find(_ id: OfferId) throws -> ReportedOffer? {
            let has = current.offer(id) != nil
            guard let catalog = try has ? current : lastEvaluated(id, of: number, in: scope, transaction),
                let offer = catalog.offer(id)
            else { return nil }
            return ReportedOffer(offer: offer, group: catalog.offerGroups[id])
        }
        if let only {
            guard let reported = try find(only) else {
                throw try Self.unknown(only, of: number, in: scope, transaction)
            }
            return [reported]
        }
        let evaluated = try EvaluationStore(transaction).offers(in: number)
        return try Set(current.offers.map(\.id) + evaluated).sorted().compactMap(find)
    }

    /// The catalog that an offer was last evaluated by; `nil` if it never was.
    private func lastEvaluated(
        _ id: OfferId, of number: ScopeNumber, in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> Catalog? {
        try EvaluationStore(transaction).catalogRevision(of: id, in: number).map {
            try catalog($0, of: number, in: scope, transaction).catalog
        }
    }
}

import OfferCatalog
import OfferEligibility
import OfferModel
import OfferStore
import Synchronization

/// Catalogs by scope and revision, parsed and made ready to decide about. A revision that was committed never changes, so an
/// entry is never stale; it only makes room.
final class CompiledCatalogs: Sendable {
    private struct Key: Hashable {
        var scope: Scope
        var revision: Int64
    }

    private static let capacity = 64
    private let catalogs = Mutex<[Key: CompiledCatalog]>([:])

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
        catalogs.withLock { cache in
            if cache.count >= Self.capacity { cache.removeAll(keepingCapacity: true) }
            cache[key] = catalog
        }
        return catalog
    }

    /// The offers of the catalog in force; none where this version cannot read it.
    ///
    /// - Throws: `StoreError`.
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
}

import OfferEligibility
import OfferModel
import OfferStore

/// What the offers of issued slots save their customers: what was frozen on the slot, or, for one from before costs were
/// kept, by the catalog it was issued on (docs/design.md#issued-offers-and-limits).
struct NominalDiscounts {
    let catalogs: CompiledCatalogs
    let scope: Scope
    let number: ScopeNumber
    let transaction: any StoreTransaction

    private struct Key: Hashable {
        var revision: Int64
        var productId: ProductId
    }

    private var known: [Key: Money?] = [:]
    private static let capacity = 1_024

    init(catalogs: CompiledCatalogs, scope: Scope, number: ScopeNumber, transaction: any StoreTransaction) {
        self.catalogs = catalogs
        self.scope = scope
        self.number = number
        self.transaction = transaction
    }

    /// The discount of one slot of the offer that this is asked about; `nil` if the catalog does not tell.
    ///
    /// - Throws: what the store throws.
    mutating func value(of issued: OfferStore.IssuedOffer) throws -> Money? {
        if let cost = issued.slot.cost { return cost }
        let key = Key(revision: issued.catalogRevision, productId: issued.slot.productId)
        if let value = known[key] { return value }
        let catalog = try catalogs.catalog(issued.catalogRevision, of: number, in: scope, transaction).catalog
        let product = catalog.product(issued.slot.productId)?.product
        let value = product.flatMap { catalog.offer(issued.slot.offerId)?.value(on: $0) }
        if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
        known[key] = .some(value)
        return value
    }
}

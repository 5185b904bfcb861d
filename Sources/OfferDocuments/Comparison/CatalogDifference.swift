package import OfferModel

/// One difference between two catalogs, found by comparing values. Its texts are in the words of the catalog document.
package struct CatalogDifference: Sendable {
    package enum Kind: String, Sendable {
        case added, changed, removed
    }

    package let kind: Kind
    /// The offer, by its id in the later catalog; `nil` for products and signals.
    package private(set) var offerId: OfferId?
    /// The field, such as `eligibility.all[1]`; `nil` if the whole offer came or went.
    package private(set) var path: String?
    package private(set) var from: String?
    package private(set) var to: String?
    /// The offer before and after, where one of its fields differs.
    package private(set) var offers: (old: Offer, new: Offer)?
    /// The comparison before and after, where one of a condition differs and reads differently.
    package private(set) var comparisons: (old: Comparison, new: Comparison)?
    private let judge: @Sendable () -> CatalogEffect?

    /// What it means for customers; `nil` if that cannot be told. Found when it is asked for: a condition needs a proof.
    package var effect: CatalogEffect? { judge() }
}

extension CatalogDifference {
    /// All differences: products and signals, then the offers of the later catalog in their order, then those it has
    /// no more.
    package static func all(from old: Catalog, to new: Catalog) -> [CatalogDifference] {
        let catalogs = CatalogPair(old: old, new: new)
        let predecessors = new.offers.map { ($0, old.predecessor(of: $0)) }
        let kept = Set(predecessors.compactMap { $1?.id })
        let added = predecessors.filter { $1 == nil }.map(\.0)
        let removed = old.offers.filter { !kept.contains($0.id) }
        return differences(old.products(in: catalogs), new.products(in: catalogs))
            + predecessors.flatMap { offer, earlier in
                earlier.map { fields(OfferChange(old: $0, new: offer, catalogs: catalogs)) }
                    ?? [Self(.added, offer) { CatalogEffect(added: offer, among: removed) }]
            }
            + removed.map { offer in
                Self(.removed, offer) { CatalogEffect(removed: offer, among: removed, added: added) }
            }
    }

    private static func fields(_ change: OfferChange) -> [CatalogDifference] {
        func entries(_ offer: Offer) -> [CatalogEntry] { OfferField.all.flatMap { $0.entries(offer, change) } }
        return differences(entries(change.old), entries(change.new)).map { difference in
            var difference = difference
            difference.offerId = change.new.id
            difference.offers = (change.old, change.new)
            return difference
        }
    }

    /// Entries that are new or have another value, in their order, then those that are gone.
    private static func differences(_ old: [CatalogEntry], _ new: [CatalogEntry]) -> [CatalogDifference] {
        let before = Dictionary(old.map { ($0.path, $0) }) { first, _ in first }
        let after = Set(new.map(\.path))
        return new.compactMap { entry in
            let earlier = before[entry.path]
            return earlier?.value == entry.value ? nil : Self(from: earlier, to: entry, entry)
        }
            + old.filter { !after.contains($0.path) }.map { Self(from: $0, to: nil, $0) }
    }

    private init(_ kind: Kind, _ offer: Offer, judge: @escaping @Sendable () -> CatalogEffect?) {
        (self.kind, offerId, self.judge) = (kind, offer.id, judge)
    }

    private init(from old: CatalogEntry?, to new: CatalogEntry?, _ entry: CatalogEntry) {
        kind = old == nil ? .added : new == nil ? .removed : .changed
        (path, judge) = (entry.path, entry.judge)
        guard old?.text != new?.text else {
            // Two conditions may differ and read alike, such as the number 1 and the text `1`.
            (from, to) = ("the same text", "a value of another type, or with other Unicode characters")
            return
        }
        (from, to) = (old?.text, new?.text)
        if let old = old?.value.base as? Comparison, let new = new?.value.base as? Comparison {
            comparisons = (old, new)
        }
    }
}

/// The catalog in force and the one that is to follow it.
struct CatalogPair: Sendable {
    let old: Catalog
    let new: Catalog
}

/// One line of a catalog: where its document has it, the value that is compared, how that is written, and what a
/// difference there means for customers.
struct CatalogEntry {
    let path: String
    let value: AnyHashable
    let text: String
    let judge: @Sendable () -> CatalogEffect?
}

extension Catalog {
    fileprivate func products(in catalogs: CatalogPair) -> [CatalogEntry] {
        subscriptionGroups.flatMap { group in group.products.flatMap { $0.entries(of: group.id, catalogs) } }
            + otherProducts.map { product in
                CatalogEntry(
                    path: "products[\(product.productId)].type", value: product.type, text: product.type.rawValue
                ) { CatalogEffect("only conditions name it, as `customer.owns` or `customer.purchases`") }
            }
            + appSignals.map { signal in
                CatalogEntry(path: "appSignals[\(signal)]", value: true, text: "allowed") {
                    .ofAppSignal(signal, catalogs)
                }
            }
    }
}

extension Product {
    fileprivate func entries(of group: SubscriptionGroupId, _ catalogs: CatalogPair) -> [CatalogEntry] {
        let path = "subscriptionGroups[\(group)].products[\(productId)]"
        let price: @Sendable () -> CatalogEffect = { .ofPrice(of: productId, catalogs) }
        return [
            CatalogEntry(path: "\(path).level", value: level, text: "\(level)") {
                .ofProduct("level", in: group, catalogs.old)
            },
            CatalogEntry(path: "\(path).period", value: period, text: "\(period)") {
                .ofProduct("period", in: group, catalogs.old)
            },
            CatalogEntry(path: "\(path).price", value: self.price, text: "\(self.price)", judge: price),
        ]
            + billingPlans.map { plan in
                CatalogEntry(
                    path: "\(path).billingPlans[\(plan.type.name ?? plan.type.rawValue)]", value: plan,
                    text: "\(plan.price), in all \(plan.commitmentPrice)", judge: price)
            }
    }
}

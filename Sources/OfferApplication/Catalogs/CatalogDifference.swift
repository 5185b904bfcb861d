import OfferModel

/// Compares two catalogs field by field, in the order of the document.
enum CatalogDifference {
    /// What turns `old` into `new`.
    static func changes(from old: Catalog, to new: Catalog) -> [CatalogChange] {
        productChanges(from: old, to: new) + offerChanges(from: old, to: new)
    }

    private static func productChanges(from old: Catalog, to new: Catalog) -> [CatalogChange] {
        let before = products(old)
        let after = products(new)
        return compare(before, after).map { change in
            CatalogChange(offerId: nil, kind: change.kind, path: change.path, from: change.from, to: change.to)
        }
    }

    private static func offerChanges(from old: Catalog, to new: Catalog) -> [CatalogChange] {
        var changes: [CatalogChange] = []
        for offer in new.offers {
            guard let earlier = old.offer(offer.id) else {
                changes.append(CatalogChange(offerId: offer.id, kind: .added))
                continue
            }
            for change in compare(OfferFields.list(earlier), OfferFields.list(offer)) {
                changes.append(
                    CatalogChange(
                        offerId: offer.id, kind: change.kind, path: change.path, from: change.from, to: change.to))
            }
        }
        for offer in old.offers where new.offer(offer.id) == nil {
            changes.append(CatalogChange(offerId: offer.id, kind: .removed))
        }
        return changes
    }

    private static func products(_ catalog: Catalog) -> [OfferFields.Field] {
        catalog.subscriptionGroups.flatMap { group in
            group.products.flatMap { product in
                let path = "subscriptionGroups[\(group.id)].products[\(product.productId)]"
                return [
                    OfferFields.Field(path: "\(path).level", value: String(product.level)),
                    OfferFields.Field(path: "\(path).period", value: product.period.description),
                    OfferFields.Field(path: "\(path).price", value: product.price.description),
                ]
            }
        }
    }

    private static func compare(
        _ before: [OfferFields.Field], _ after: [OfferFields.Field]
    ) -> [(kind: CatalogChange.Kind, path: String, from: String?, to: String?)] {
        let old = Dictionary(before.map { ($0.path, $0.value) }) { first, _ in first }
        let new = Dictionary(after.map { ($0.path, $0.value) }) { first, _ in first }
        var changes: [(kind: CatalogChange.Kind, path: String, from: String?, to: String?)] = []
        for field in after {
            guard let earlier = old[field.path] else {
                changes.append((.added, field.path, nil, field.value))
                continue
            }
            if earlier != field.value { changes.append((.changed, field.path, earlier, field.value)) }
        }
        for field in before where new[field.path] == nil {
            changes.append((.removed, field.path, field.value, nil))
        }
        return changes
    }
}

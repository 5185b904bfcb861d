import OfferModel

/// Reads the `products` of an offer: known ones, all of one subscription group.
enum ProductsReader {
    static func read(_ field: Field?, _ context: OfferContext) -> [ProductId]? {
        guard let field, let items = field.list() else { return nil }
        let products = items.distinct { item in item.text(.productId).flatMap { known(ProductId($0), item, context) } }
        let groups = Set(products.compactMap { context.catalog.product($0)?.group.id })
        guard groups.count <= 1 else {
            let ids = groups.sorted().map { "`\($0)`" }.joined(separator: ", ")
            field.refuse(
                .severalGroups, "the products are of several subscription groups: \(ids)",
                hint: "make one offer per group")
            return nil
        }
        return products.isEmpty ? nil : products
    }

    private static func known(_ id: ProductId, _ field: Field, _ context: OfferContext) -> ProductId? {
        if context.isNamed(id) { return id }
        let known = context.catalog.subscriptionGroups.flatMap(\.products).map(\.productId.rawValue)
        field.refuse(
            .unknownProduct, "unknown product \(quoted(id.rawValue))",
            hint: Suggestion.hint(for: id.rawValue, among: known, noun: "known products")
                ?? "list it under `subscriptionGroups`")
        return nil
    }
}

public import OfferModel

/// Writes a catalog as the document that ``CatalogReader`` reads into the same catalog.
///
/// Keys stand in the order of docs/catalog.md and values that are the default are left out, so equal catalogs give equal text.
public enum CatalogWriter {
    /// The catalog as YAML.
    public static func yaml(_ catalog: Catalog) -> String {
        YAMLText.of(node(catalog))
    }

    /// The catalog as JSON.
    public static func json(_ catalog: Catalog) -> String {
        JSONText.of(node(catalog))
    }

    private static func node(_ catalog: Catalog) -> OutputNode {
        .mapping([
            ("bundleId", .text(catalog.bundleId.rawValue)),
            ("subscriptionGroups", .list(catalog.subscriptionGroups.map(node))),
            ("offers", .list(catalog.offers.map(OfferWriter.node))),
        ])
    }

    private static func node(_ group: SubscriptionGroup) -> OutputNode {
        .mapping([("id", .text(group.id.rawValue)), ("products", .list(group.products.map(node)))])
    }

    private static func node(_ product: Product) -> OutputNode {
        .mapping([
            ("productId", .text(product.productId.rawValue)),
            ("level", .number(product.level)),
            ("period", .text(product.period.description)),
            ("price", node(product.price)),
        ])
    }

    static func node(_ money: Money) -> OutputNode {
        .mapping([("amount", .text(money.amount)), ("currency", .text(money.currency))])
    }
}

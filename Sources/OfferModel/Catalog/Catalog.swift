/// One app's offers and the products they discount: the content of one catalog document (docs/catalog.md).
public struct Catalog: Sendable, Hashable {
    /// The app.
    public var bundleId: BundleId
    /// The app's subscription groups.
    public var subscriptionGroups: [SubscriptionGroup]
    /// The offers in the order of the document.
    public var offers: [Offer]

    /// A catalog by its parts; the reader in `OfferCatalog` checks them.
    public init(bundleId: BundleId, subscriptionGroups: [SubscriptionGroup] = [], offers: [Offer] = []) {
        self.bundleId = bundleId
        self.subscriptionGroups = subscriptionGroups
        self.offers = offers
    }

    /// The offer with that id.
    public func offer(_ id: OfferId) -> Offer? {
        offers.first { $0.id == id }
    }

    /// The product with that identifier and the group it is in.
    public func product(_ id: ProductId) -> (product: Product, group: SubscriptionGroup)? {
        for group in subscriptionGroups {
            if let product = group.products.first(where: { $0.productId == id }) { return (product, group) }
        }
        return nil
    }

    /// The group of each offer's products, as far as the catalog lists them.
    public var offerGroups: [OfferId: SubscriptionGroupId] {
        var groups: [OfferId: SubscriptionGroupId] = [:]
        for offer in offers {
            groups[offer.id] = offer.products.lazy.compactMap { product($0)?.group.id }.first
        }
        return groups
    }
}

/// A subscription group: a customer can hold one subscription of it at a time.
public struct SubscriptionGroup: Sendable, Hashable {
    /// Apple's `subscriptionGroupIdentifier`.
    public var id: SubscriptionGroupId
    /// The products of the group.
    public var products: [Product]

    /// A group by its parts.
    public init(id: SubscriptionGroupId, products: [Product]) {
        self.id = id
        self.products = products
    }
}

/// A subscription product.
public struct Product: Sendable, Hashable {
    /// The identifier in App Store Connect.
    public var productId: ProductId
    /// The level of service; 1 is the highest.
    public var level: Int
    /// The length of a subscription period.
    public var period: Period
    /// The regular price of a period.
    public var price: Money

    /// A product by its parts.
    public init(productId: ProductId, level: Int, period: Period, price: Money) {
        self.productId = productId
        self.level = level
        self.period = period
        self.price = price
    }
}

/// A file of cases: what is asked, what is known, and what must come out (`docs/cases.md`).
public struct CaseFile: Sendable, Hashable {
    /// The app.
    public var bundleId: BundleId
    /// The catalog that the file names; absent where it states the offers itself.
    public var catalog: Catalog?
    /// The offers: those of the catalog, or the file's own by their ids.
    public var offers: [Offer]
    /// The cases in the order of the file.
    public var cases: [OfferCase]

    /// A file by its parts.
    public init(bundleId: BundleId, catalog: Catalog? = nil, offers: [Offer], cases: [OfferCase]) {
        self.bundleId = bundleId
        self.catalog = catalog
        self.offers = offers
        self.cases = cases
    }

    /// The offer with that id.
    public func offer(_ id: OfferId) -> Offer? {
        offers.first { $0.id == id }
    }

    /// The group of a product: the catalog's, or without one the ``CaseWorld``'s.
    public func group(of product: ProductId) -> SubscriptionGroupId? {
        guard let catalog else { return CaseWorld.group(of: product) }
        return catalog.product(product)?.group.id
    }
}

/// The app that cases are about where they name no catalog, so that most of them need not describe one.
public enum CaseWorld {
    /// The app.
    public static let bundleId: BundleId = "com.example.pro"
    /// The product bought and discounted unless a case says otherwise: a month at 9.99 USD.
    public static let product = Product(
        productId: "com.example.pro.monthly", level: 1, period: Period(months: 1),
        price: Money(milliunits: 9_990, currency: "USD"))
    /// The one product of another group.
    public static let otherProduct: ProductId = "com.example.basic.monthly"

    /// `21500002` for the product of the other group, else `21500001`.
    public static func group(of product: ProductId) -> SubscriptionGroupId {
        product == otherProduct ? "21500002" : "21500001"
    }
}

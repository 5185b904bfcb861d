/// One app's offers and the products they discount: the content of one catalog document (docs/catalog.md).
public struct Catalog: Sendable, Hashable {
    public var bundleId: BundleId
    public var subscriptionGroups: [SubscriptionGroup]
    /// Products outside subscription groups: no offer discounts them, and conditions may ask about them.
    public var otherProducts: [OtherProduct]
    /// The signals that an `app` key may state.
    public var appSignals: [String]
    public var offers: [Offer]

    public init(
        bundleId: BundleId, subscriptionGroups: [SubscriptionGroup] = [], otherProducts: [OtherProduct] = [],
        appSignals: [String] = [],
        offers: [Offer] = []
    ) {
        self.bundleId = bundleId
        self.subscriptionGroups = subscriptionGroups
        self.otherProducts = otherProducts
        self.appSignals = appSignals
        self.offers = offers
    }

    public func offer(_ id: OfferId) -> Offer? {
        offers.first { $0.id == id }
    }

    /// The offer that has an id or had it.
    public func offer(everNamed id: OfferId) -> Offer? {
        offers.first { $0.has(id) }
    }

    /// The offer in this catalog that an offer of a later one was: of the same id, else of the newest of its former
    /// ids.
    public func predecessor(of offer: Offer) -> Offer? {
        self.offer(offer.id) ?? offer.formerly.reversed().lazy.compactMap { self.offer($0) }.first
    }

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
    public var id: SubscriptionGroupId
    public var products: [Product]

    public init(id: SubscriptionGroupId, products: [Product]) {
        self.id = id
        self.products = products
    }
}

public struct Product: Sendable, Hashable {
    /// The lengths that App Store Connect offers.
    public static let periods = ["P3D", "P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    public var productId: ProductId
    /// The level of service; 1 is the highest.
    public var level: Int
    public var period: Period
    public var price: Money
    /// How customers can pay for the period; empty if only up front.
    public var billingPlans: [BillingPlan]

    public init(
        productId: ProductId, level: Int, period: Period, price: Money, billingPlans: [BillingPlan] = []
    ) {
        self.productId = productId
        self.level = level
        self.period = period
        self.price = price
        self.billingPlans = billingPlans
    }
}

public struct OtherProduct: Sendable, Hashable {
    public var productId: ProductId
    public var type: OtherProductType

    public init(productId: ProductId, type: OtherProductType) {
        self.productId = productId
        self.type = type
    }
}

public enum OtherProductType: String, Sendable, Hashable, CaseIterable {
    case nonConsumable, consumable, nonRenewing

    /// `nil` for a subscription, and for a type that Apple added later.
    public init?(_ type: TransactionType) {
        guard let known = Self.allCases.first(where: { $0.transactionType == type }) else { return nil }
        self = known
    }

    public var transactionType: TransactionType {
        switch self {
        case .nonConsumable: .nonConsumable
        case .consumable: .consumable
        case .nonRenewing: .nonRenewingSubscription
        }
    }
}

/// An amount of one currency in milliunits (thousandths), as Apple counts prices.
public struct Money: Hashable, Sendable {
    /// Thousandths of the currency's unit: 9.99 is 9,990.
    public let milliunits: Int64
    /// ISO 4217 code in capitals.
    public let currency: String

    public init(milliunits: Int64, currency: String) {
        self.milliunits = milliunits
        self.currency = currency
    }

    /// Reads a decimal such as `9.99`: digits with at most three decimals, no sign, no grouping; `nil` for anything
    /// else.
    public static func milliunits(_ amount: some StringProtocol) -> Int64? {
        var scanner = DigitScanner(amount)
        guard let whole = scanner.number() else { return nil }
        var thousandths: Int64 = 0
        if scanner.skip(".") {
            guard let fraction = scanner.fractionInThousandths() else { return nil }
            thousandths = fraction
        }
        guard scanner.isAtEnd else { return nil }
        return whole * 1_000 + thousandths
    }

    /// Whether the text has the form of an ISO 4217 code: three capital letters.
    public static func isCurrencyCode(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }

    /// The amount as a decimal with two or, where needed, three decimals: `9.99`.
    public var amount: String {
        let fraction = (milliunits % 1_000).magnitude
        let digits = fraction % 10 == 0 ? fraction / 10 : fraction
        let width = fraction % 10 == 0 ? 2 : 3
        let text = String(digits)
        let sign = milliunits < 0 ? "-" : ""
        return "\(sign)\((milliunits / 1_000).magnitude).\(String(repeating: "0", count: width - text.count))\(text)"
    }
}

extension Money: CustomStringConvertible {
    public var description: String { "\(amount) \(currency)" }
}

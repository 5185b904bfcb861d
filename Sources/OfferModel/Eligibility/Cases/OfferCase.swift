/// A file of cases: requests, histories and expected decisions (`docs/cases.md`).
public struct CaseFile: Sendable, Hashable {
    public var bundleId: BundleId
    /// The catalog that the file names; absent where it states the offers itself.
    public var catalog: Catalog?
    /// The offers: those of the catalog, or the file's own by their ids.
    public var offers: [Offer]
    public var cases: [OfferCase]

    public init(bundleId: BundleId, catalog: Catalog? = nil, offers: [Offer], cases: [OfferCase]) {
        self.bundleId = bundleId
        self.catalog = catalog
        self.offers = offers
        self.cases = cases
    }

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
    public static let bundleId: BundleId = "com.example.pro"
    /// The product bought and discounted unless a case says otherwise: a month at 9.99 USD.
    public static let product = Product(
        productId: "com.example.pro.monthly", level: 1, period: Period(months: 1),
        price: Money(milliunits: 9_990, currency: "USD"))
    public static let otherProduct: ProductId = "com.example.basic.monthly"

    /// `21500002` for the product of the other group, else `21500001`.
    public static func group(of product: ProductId) -> SubscriptionGroupId {
        product == otherProduct ? "21500002" : "21500001"
    }
}

/// One case: a question about a customer at an instant, and the expected answer.
public struct OfferCase: Sendable, Hashable {
    public var name: String
    public var line: Int
    public var asOf: Instant
    /// The offer asked for; absent where only a state is expected.
    public var offer: OfferId?
    /// The product; the offer's first if absent.
    public var productId: ProductId?
    public var environment = AppStoreEnvironment.production
    public var history = CaseHistory()
    /// Signals of the backend, by the name after `signals.`.
    public var signals: [String: FactValue] = [:]
    /// Attributes that the app set for the customer, by the name after `customer.attributes.`.
    public var attributes: [String: FactValue] = [:]
    public var request = DeviceRequest()
    public var issuedOffers: [SuppliedOffer] = []
    /// What support has granted.
    public var grants: [Grant] = []
    /// The kill switch.
    public var pause = Pause.none
    /// When an offer with `availableFor` was first found open to the customer.
    public var openedAt: [OfferId: Instant] = [:]
    public var rolloutKey: String?
    public var firstStoredAt: Instant?
    /// The uses of the offers by all customers together; absent if unknown.
    public var counters: CaseCounters? = CaseCounters()
    /// When other Apple Accounts of the app account that the request names used the offer; absent if the request names
    /// none.
    public var accountUses: [Instant]?
    public var needsNewSigning = true
    /// Whether the history counts as signed by Apple, as in a "what if".
    public var takesHistoryAsProven = false
    /// The products of the group; the catalog's if absent.
    public var groupProducts: [ProductId]?
    /// Whether data signed or bought after `asOf` counts too: Apple charges up to a day early.
    public var isPresent = false
    public var expected: CaseExpectation

    public init(name: String, line: Int, asOf: Instant, offer: OfferId?, expected: CaseExpectation) {
        self.name = name
        self.line = line
        self.asOf = asOf
        self.offer = offer
        self.expected = expected
    }
}

public struct CaseHistory: Sendable, Hashable {
    public var transactions: [CaseRow<Transaction>] = []
    public var renewalInfos: [CaseRow<RenewalInfo>] = []
    public var appTransactions: [CaseRow<AppTransaction>] = []
    public var isComplete = false
    /// When it was complete; at the instant of the case if absent.
    public var completeAsOf: Instant?

    public init() {}
}

public struct CaseRow<Payload: Sendable & Hashable>: Sendable, Hashable {
    public var payload: Payload
    public var provenance: Provenance

    public init(_ payload: Payload, provenance: Provenance) {
        self.payload = payload
        self.provenance = provenance
    }
}

/// The uses by all customers together of the offer that a case asks for.
public struct CaseCounters: Sendable, Hashable {
    /// Places taken, the customer's own open ones included; only these if absent.
    public var used: Int?
    /// The amount spent of the budget; the currency decides which budget.
    public var spent: Money?
    /// When enough will have passed for a limit that is reached; never if absent.
    public var frees: Instant?
    /// When it was counted; at the instant of the case if absent.
    public var asOf: Instant?

    public init() {}
}

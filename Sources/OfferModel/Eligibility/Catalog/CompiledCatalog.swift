/// A catalog prepared for deciding, once per revision instead of with every decision.
public final class CompiledCatalog: Sendable {
    public let catalog: Catalog
    /// The subscription group of each of its offers, as far as it says.
    public let offerGroups: [OfferId: SubscriptionGroupId]
    /// In the order of the catalog. Offers that ask the same share the comparison, and at the same path the node.
    public let offers: [CompiledOffer]
    let matchers: [RedemptionMatcher]
    private let matcherPlaces: [OfferLook: [Int]]
    private let lengths: OfferLengths
    private let lengthsPreferring: [OfferLengths]
    /// By every id that an offer has or had.
    private let places: [OfferId: Int]
    private let groups: [ProductId: ProductGroup]

    public struct ProductGroup: Sendable {
        public let id: SubscriptionGroupId
        public let products: [Product]
        public let productIds: Set<ProductId>
    }

    public convenience init(_ catalog: Catalog) {
        self.init(catalog, offerGroups: catalog.offerGroups)
    }

    init(_ catalog: Catalog, offerGroups: [OfferId: SubscriptionGroupId]) {
        var nodes = CompiledNodes()
        self.catalog = catalog
        self.offerGroups = offerGroups
        let offers = catalog.offers.indices.map { CompiledOffer(catalog.offers[$0], place: $0, &nodes) }
        self.offers = offers
        let current = catalog.offers.enumerated().map { ($1.id, $0) }
        let former = catalog.offers.enumerated().flatMap { place, offer in offer.formerly.map { ($0, place) } }
        let places = Dictionary(current + former) { first, _ in first }
        self.places = places
        let matchers = catalog.offers.map { RedemptionMatcher($0, group: offerGroups[$0.id], place: places[$0.id]) }
        self.matchers = matchers
        matcherPlaces = Dictionary(grouping: matchers.indices) { matchers[$0].look }
        let lengths = OfferLengths(catalog.offers)
        self.lengths = lengths
        lengthsPreferring = catalog.offers.map { lengths.preferring($0) }
        var groups: [ProductId: ProductGroup] = [:]
        for group in catalog.subscriptionGroups {
            let known = ProductGroup(
                id: group.id, products: group.products, productIds: Set(group.products.map(\.productId)))
            for product in group.products where groups[product.productId] == nil { groups[product.productId] = known }
        }
        self.groups = groups
    }

    /// The group that the catalog has a product in; `nil` if it does not know the product.
    public func group(of product: ProductId) -> ProductGroup? { groups[product] }

    /// How long its offers last; of offers that look alike, the given one decides.
    func lengths(preferring offer: CompiledOffer) -> OfferLengths {
        ownPlace(offer).map { lengthsPreferring[$0] } ?? lengths.preferring(offer.offer)
    }

    /// Those of the offers that a redemption may be of.
    func matchers(matching key: RedemptionKey) -> [RedemptionMatcher] {
        (matcherPlaces[key.look] ?? []).map { matchers[$0] }.filter { $0.matches(key) }
    }

    func matcher(of offer: CompiledOffer, in group: SubscriptionGroupId?) -> RedemptionMatcher {
        if let place = ownPlace(offer), matchers[place].group == group { return matchers[place] }
        return RedemptionMatcher(offer.offer, group: group, place: place(of: offer.offer.id))
    }

    /// The index of an offer compiled with this catalog; `nil` for any other.
    private func ownPlace(_ offer: CompiledOffer) -> Int? {
        offer.place.flatMap { $0 < offers.count && offers[$0] === offer ? $0 : nil }
    }

    func place(of offer: OfferId) -> Int? { places[offer] }

    /// The offer as the catalog has it, by an id that it has or had; `nil` if there is none.
    public func compiledOffer(_ id: OfferId) -> CompiledOffer? { places[id].map { offers[$0] } }
}

extension CompiledCatalog: Hashable {
    public static func == (left: CompiledCatalog, right: CompiledCatalog) -> Bool {
        left === right || left.catalog == right.catalog && left.offerGroups == right.offerGroups
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(catalog.offers)
    }
}

public final class CompiledOffer: Sendable {
    public let offer: Offer
    let condition: CompiledNode?
    /// Its limits per customer without a window, and those with one.
    let customerLimits: [CustomerLimit]
    let windowLimits: [CustomerLimit]
    let accountLimits: [CustomerLimit]
    public let sharedLimits: [SharedLimit]
    let totals: [SharedLimit]
    let budgets: [SharedLimit]
    let holdoutSalt: String
    let status: [Evidence]
    let products: EvidenceValue
    /// Its index in the catalog it was compiled with; `nil` if it was compiled alone.
    let place: Int?
    private let environments: [(asked: AppStoreEnvironment, evidence: [Evidence])]

    public convenience init(_ offer: Offer) {
        var nodes = CompiledNodes()
        self.init(offer, place: nil, &nodes)
    }

    init(_ offer: Offer, place: Int?, _ nodes: inout CompiledNodes) {
        self.offer = offer
        self.place = place
        let limits = CustomerLimit.all(of: offer)
        customerLimits = limits.filter { !$0.isPerAccount && $0.window == nil }
        windowLimits = limits.filter { !$0.isPerAccount && $0.window != nil }
        accountLimits = limits.filter(\.isPerAccount)
        sharedLimits = SharedLimit.all(of: offer)
        totals = sharedLimits.filter { $0.unit == .places }
        budgets = sharedLimits.filter { $0.unit != .places }
        holdoutSalt = "holdout:\(offer.firstId)"
        status = [
            Evidence(
                field: "offer.status", observed: .text(offer.status.rawValue),
                required: .text(OfferStatus.active.rawValue))
        ]
        let own = AppStoreEnvironment.allCases.filter(offer.environments.contains).map { FactValue.text($0.rawValue) }
        environments = AppStoreEnvironment.allCases.map {
            ($0, [Evidence(field: "offer.environments", observed: .text($0.rawValue), required: .list(own))])
        }
        products = .list(offer.products.map { .text($0.rawValue) })
        condition = offer.eligibility.map { nodes.compiled($0) }
    }

    /// An environment beside the offer's own, as evidence.
    func evidence(of asked: AppStoreEnvironment) -> [Evidence] {
        environments.first { $0.asked == asked }?.evidence ?? []
    }
}

extension CompiledOffer: Hashable {
    public static func == (left: CompiledOffer, right: CompiledOffer) -> Bool {
        left === right || left.offer == right.offer
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(offer)
    }
}

/// The offers that a use without an issued offer may be of; by reference, because every limit reads those of a whole
/// catalog.
final class RedemptionMatcher: Sendable {
    /// Every id that its issued offers may have.
    let ids: [OfferId]
    let tags: [String]
    let look: OfferLook
    /// As far as the catalog says: Apple's name of an offer is unique in its group only.
    let group: SubscriptionGroupId?
    /// The index of the offer with that id in the catalog; `nil` if it is not there.
    let place: Int?

    init(_ offer: Offer, group: SubscriptionGroupId?, place: Int?) {
        ids = offer.ids
        tags = offer.tags
        look = offer.look
        self.group = group
        self.place = place
    }

    /// Whether a use is of it. Of an offer whose group is not known, the name decides.
    func matches(_ key: RedemptionKey) -> Bool { look == key.look && group.map { $0 == key.group } ?? true }
}

/// The offers of a catalog that each known use may be of.
final class CatalogUses: Sendable {
    /// By the places of the redemptions.
    let matches: [[RedemptionMatcher]]
    private let uses: KnownUses
    private let catalog: CompiledCatalog
    /// By the places of the matchers, those of the redemptions that may be of them.
    private let redemptions: [[Int]]

    init(_ catalog: CompiledCatalog, uses: KnownUses) {
        self.catalog = catalog
        self.uses = uses
        let matches = uses.keys.map(catalog.matchers(matching:))
        self.matches = matches
        var redemptions = Array(repeating: [Int](), count: catalog.matchers.count)
        for use in matches.indices {
            for matcher in matches[use] {
                if let place = matcher.place, catalog.matchers[place] === matcher { redemptions[place].append(use) }
            }
        }
        self.redemptions = redemptions
    }

    /// The places of the redemptions that look like uses of an offer, whether or not they used an issued offer.
    func redemptions(matching matcher: RedemptionMatcher) -> [Int] {
        if let place = matcher.place, catalog.matchers[place] === matcher { return redemptions[place] }
        return uses.keys.indices.filter { matcher.matches(uses.keys[$0]) }
    }
}

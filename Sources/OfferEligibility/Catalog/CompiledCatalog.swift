public import OfferModel

/// A catalog with what deciding about its offers takes made ready once for a revision, instead of with every decision
///.
public final class CompiledCatalog: Sendable {
    public let catalog: Catalog
    /// The subscription group of each of its offers, as far as it says.
    public let offerGroups: [OfferId: SubscriptionGroupId]
    /// Its offers, in the order of the catalog. Those that ask the same share the comparison, and the node where it stands at
    /// the same place.
    let offers: [CompiledOffer]
    let matchers: RedemptionMatchers
    private let lengths: OfferLengths
    private let lengthsPreferring: [OfferLengths]
    private let places: [OfferId: Int]
    private let groups: [ProductId: ProductGroup]

    /// The group of a product.
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
        let places = Dictionary(catalog.offers.enumerated().map { ($1.id, $0) }) { first, _ in first }
        self.places = places
        matchers = RedemptionMatchers(
            offers.map { RedemptionMatcher($0.matcher, group: offerGroups[$0.offer.id], place: places[$0.offer.id]) })
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

    /// How long its offers last, where an offer that looks like the given one lasts as long as that one.
    func lengths(preferring offer: CompiledOffer) -> OfferLengths {
        ownPlace(offer).map { lengthsPreferring[$0] } ?? lengths.preferring(offer.offer)
    }

    func matcher(of offer: CompiledOffer, in group: SubscriptionGroupId?) -> RedemptionMatcher {
        if let place = ownPlace(offer), matchers.all[place].group == group { return matchers.all[place] }
        return RedemptionMatcher(offer.matcher, group: group, place: place(of: offer.matcher.id))
    }

    /// The place of an offer that was made ready with this catalog; `nil` of any other.
    private func ownPlace(_ offer: CompiledOffer) -> Int? {
        offer.place.flatMap { $0 < offers.count && offers[$0] === offer ? $0 : nil }
    }

    func place(of offer: OfferId) -> Int? { places[offer] }

    /// The offer as it stands in the catalog, made ready; one that does not stand there is made ready by itself.
    public func compiled(_ offer: Offer) -> CompiledOffer {
        if let place = places[offer.id], offers[place].offer == offer { return offers[place] }
        return CompiledOffer(offer)
    }
}

extension CompiledCatalog: Hashable {
    public static func == (left: CompiledCatalog, right: CompiledCatalog) -> Bool {
        left === right || left.catalog == right.catalog && left.offerGroups == right.offerGroups
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(catalog.offers)
    }
}

/// An offer with what deciding about it takes made ready.
public final class CompiledOffer: Sendable {
    public let offer: Offer
    let condition: CompiledNode?
    let matcher: RedemptionMatcher
    /// Its limits per customer without a window, and those with one.
    let customerLimits: [CustomerLimit]
    let windowLimits: [CustomerLimit]
    /// Its limits of everyone together, and its budgets.
    let totals: [SharedLimit]
    let budgets: [SharedLimit]
    let holdoutSalt: String
    let status: [Evidence]
    let products: EvidenceValue
    /// Its place in the catalog that it was made ready with; `nil` if it was made ready by itself.
    let place: Int?
    private let environments: [(asked: AppStoreEnvironment, evidence: [Evidence])]

    public convenience init(_ offer: Offer) {
        var nodes = CompiledNodes()
        self.init(offer, place: nil, &nodes)
    }

    init(_ offer: Offer, place: Int?, _ nodes: inout CompiledNodes) {
        self.offer = offer
        self.place = place
        matcher = RedemptionMatcher(offer)
        customerLimits = CustomerLimit.all(of: offer, withWindow: false)
        windowLimits = CustomerLimit.all(of: offer, withWindow: true)
        let shared = SharedLimit.all(of: offer)
        totals = shared.filter { $0.unit == .places }
        budgets = shared.filter { $0.unit != .places }
        holdoutSalt = "holdout:\(offer.id)"
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

public import OfferModel

/// A catalog with what deciding about its offers takes made ready once for a revision, instead of with every decision
///.
public final class CompiledCatalog: Sendable {
    /// The catalog.
    public let catalog: Catalog
    /// The subscription group of each of its offers, as far as it says.
    public let offerGroups: [OfferId: SubscriptionGroupId]
    /// Its offers, in the order of the catalog. Those that ask the same share the comparison, and the node where it stands at
    /// the same place.
    let offers: [CompiledOffer]
    /// What a use without a slot shows of each offer.
    let marks: OfferMarks
    private let lengths: OfferLengths
    private let lengthsPreferring: [OfferLengths]
    private let places: [OfferId: Int]
    private let groups: [ProductId: ProductGroup]

    /// The group of a product.
    public struct ProductGroup: Sendable {
        /// Apple's identifier of the group.
        public let id: SubscriptionGroupId
        /// Its products, as the catalog has them.
        public let products: [Product]
        /// Their ids.
        public let productIds: Set<ProductId>
    }

    /// Makes a catalog ready.
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
        marks = OfferMarks(
            offers.map { OfferMark($0.mark, group: offerGroups[$0.offer.id], place: places[$0.offer.id]) })
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

    /// What a use without a slot shows of an offer in a group.
    func mark(of offer: CompiledOffer, in group: SubscriptionGroupId?) -> OfferMark {
        if let place = ownPlace(offer), marks.all[place].group == group { return marks.all[place] }
        return OfferMark(offer.mark, group: group, place: place(of: offer.mark.id))
    }

    /// The place of an offer that was made ready with this catalog; `nil` of any other.
    private func ownPlace(_ offer: CompiledOffer) -> Int? {
        offer.place.flatMap { $0 < offers.count && offers[$0] === offer ? $0 : nil }
    }

    /// The place of an offer; `nil` if the catalog does not have it.
    func place(of offer: OfferId) -> Int? { places[offer] }

    /// The offer as the catalog has it; `nil` if it has none of that id.
    public func compiledOffer(_ id: OfferId) -> CompiledOffer? { places[id].map { offers[$0] } }

    /// The offer as it stands in the catalog, made ready; one that does not stand there is made ready by itself.
    public func compiled(_ offer: Offer) -> CompiledOffer {
        if let place = places[offer.id], offers[place].offer == offer { return offers[place] }
        return CompiledOffer(offer)
    }
}

extension CompiledCatalog: Hashable {
    /// Equality of the catalogs.
    public static func == (left: CompiledCatalog, right: CompiledCatalog) -> Bool {
        left === right || left.catalog == right.catalog && left.offerGroups == right.offerGroups
    }

    /// Feeds the offers.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(catalog.offers)
    }
}

import OfferModel

/// What a use without an issued offer shows of an offer; by reference, because every limit reads those of a whole
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
        look = OfferLook(offer.delivery.redeemedAs, offer.offerIdentifier)
        self.group = group
        self.place = place
    }

    /// Whether a use is of it. Of an offer whose group is not known, the name decides.
    func matches(_ key: RedemptionKey) -> Bool { look == key.look && group.map { $0 == key.group } ?? true }
}

/// Which offers of a catalog each known use may be of.
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

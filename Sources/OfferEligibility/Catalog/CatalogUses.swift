import OfferModel

/// What a use without a slot shows of an offer; by reference, because every limit looks at those of a whole catalog.
final class RedemptionMatcher: Sendable {
    let id: OfferId
    let tags: [String]
    let offerType: TransactionOfferType
    let offerIdentifier: OfferIdentifier?
    /// As far as the catalog says: Apple's name of an offer is unique in its group only.
    let group: SubscriptionGroupId?
    /// The place in the catalog of the offer with that id; `nil` if it does not stand there.
    let place: Int?

    init(_ offer: Offer) {
        id = offer.id
        tags = offer.tags
        offerType = offer.delivery.redeemedAs
        offerIdentifier = offerType == .introductory ? nil : offer.offerIdentifier
        group = nil
        place = nil
    }

    init(_ matcher: RedemptionMatcher, group: SubscriptionGroupId?, place: Int?) {
        id = matcher.id
        tags = matcher.tags
        offerType = matcher.offerType
        offerIdentifier = matcher.offerIdentifier
        self.group = group
        self.place = place
    }

    /// Whether a use is of it. Of an offer whose group is not known, the name decides.
    func matches(_ key: RedemptionKey) -> Bool {
        offerType == key.offerType && offerIdentifier == key.offerIdentifier && group.map { $0 == key.group } ?? true
    }
}

/// The matchers of a catalog's offers by what Apple's data shows of them, the group left out.
struct RedemptionMatchers: Sendable {
    let all: [RedemptionMatcher]
    private let places: [Look: [Int]]

    private struct Look: Hashable {
        let offerType: TransactionOfferType
        let offerIdentifier: OfferIdentifier?
    }

    init(_ matchers: [RedemptionMatcher]) {
        all = matchers
        places = Dictionary(grouping: matchers.indices) {
            Look(offerType: matchers[$0].offerType, offerIdentifier: matchers[$0].offerIdentifier)
        }
    }

    func matching(_ key: RedemptionKey) -> [RedemptionMatcher] {
        let look = Look(offerType: key.offerType, offerIdentifier: key.offerIdentifier)
        return (places[look] ?? []).map { all[$0] }.filter { $0.matches(key) }
    }
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
        let matches = uses.keys.map(catalog.matchers.matching)
        self.matches = matches
        var redemptions = Array(repeating: [Int](), count: catalog.matchers.all.count)
        for use in matches.indices {
            for matcher in matches[use] {
                if let place = matcher.place, catalog.matchers.all[place] === matcher { redemptions[place].append(use) }
            }
        }
        self.redemptions = redemptions
    }

    /// The places of the redemptions that look like uses of an offer, whether or not they used a slot.
    func redemptions(matching matcher: RedemptionMatcher) -> [Int] {
        if let place = matcher.place, catalog.matchers.all[place] === matcher { return redemptions[place] }
        return uses.keys.indices.filter { matcher.matches(uses.keys[$0]) }
    }
}

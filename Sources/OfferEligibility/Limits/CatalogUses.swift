import OfferModel

/// What a use without a slot shows of an offer of the catalog.
struct OfferMark: Sendable {
    let id: OfferId
    let tags: [String]
    let offerType: TransactionOfferType
    let offerIdentifier: OfferIdentifier?
    /// As far as the catalog says: Apple's name of an offer is unique in its group only.
    let group: SubscriptionGroupId?

    init(_ offer: Offer, group: SubscriptionGroupId?) {
        id = offer.id
        tags = offer.tags
        offerType = offer.delivery.redeemedAs
        offerIdentifier = offerType == .introductory ? nil : offer.offerIdentifier
        self.group = group
    }

    /// The same in another group.
    init(_ mark: OfferMark, group: SubscriptionGroupId?) {
        id = mark.id
        tags = mark.tags
        offerType = mark.offerType
        offerIdentifier = mark.offerIdentifier
        self.group = group
    }

    /// Whether a use is of it. Of an offer whose group is not known, the name decides.
    func matches(_ key: RedemptionKey) -> Bool {
        offerType == key.offerType && offerIdentifier == key.offerIdentifier && group.map { $0 == key.group } ?? true
    }
}

/// The offers of a catalog, and which of them each known use may be of.
final class CatalogUses: Sendable {
    let marks: [OfferMark]
    /// The marks that each redemption matches, by their places.
    let matches: [[Int]]

    init(_ catalog: CompiledCatalog, uses: KnownUses) {
        let marks = catalog.marks
        self.marks = marks
        matches = uses.keys.map { key in marks.indices.filter { marks[$0].matches(key) } }
    }
}

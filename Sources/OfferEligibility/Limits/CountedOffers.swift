import OfferModel

/// The offers whose uses a limit counts.
struct CountedOffers {
    /// Those of the catalog in force; a use that we did not issue is recognised by Apple's name of the offer.
    private let offers: [Offer]
    private let groups: [OfferId: SubscriptionGroupId]
    /// Whether a slot is one of theirs; slots outlive the catalog they were issued from.
    private let isTheirs: @Sendable (Slot) -> Bool

    private init(_ question: Question, offers: [Offer], isTheirs: @escaping @Sendable (Slot) -> Bool) {
        self.offers = offers
        self.isTheirs = isTheirs
        var groups = question.offerGroups
        groups[question.offer.id] = question.subscriptionGroupIdentifier
        self.groups = groups
    }

    /// Those across which a limit of the offer asked for counts.
    init(_ across: Limit.Across, _ question: Question) {
        let offer = question.offer
        let all = [offer] + question.offers.filter { $0.id != offer.id }
        switch across {
        case .thisOffer: self.init(question, offers: [offer]) { $0.offerId == offer.id }
        case .all: self.init(question, offers: all) { _ in true }
        case .tag(let tag):
            self.init(question, offers: all.filter { $0.tags.contains(tag) }) { $0.tags.contains(tag) }
        }
    }

    /// One offer by its id, whether or not the catalog still has it.
    init(only id: OfferId, _ question: Question) {
        self.init(question, offers: question.offers.filter { $0.id == id }) { $0.offerId == id }
    }

    func holds(_ slot: Slot) -> Bool { isTheirs(slot) }

    /// Whether a redemption without a slot is of one of them. Of an offer whose group is not known, the name decides.
    func holds(_ redemption: Redemption) -> Bool {
        offers.contains { offer in
            let group = groups[offer.id] ?? redemption.subscriptionGroupIdentifier
            return RedemptionKey(offer.delivery.redeemedAs, offer.offerIdentifier, group) == redemption.key
        }
    }

    /// The same for a use of which the group is not certain.
    func mayHold(_ key: RedemptionKey) -> Bool {
        offers.contains { RedemptionKey($0.delivery.redeemedAs, $0.offerIdentifier, key.group) == key }
    }
}

public import OfferModel

/// What became of one customer with one offer, as their history shows it at an instant (docs/reports.md).
public struct OfferCourse: Sendable, Hashable {
    /// The uses of slots of the offer, from the earliest.
    public let redemptions: [Redemption]
    /// Uses of the offer that no slot led to.
    public let redemptionsWithoutSlot: Int
    /// How many of them are another customer's, with the account that the slot was signed for.
    public let redemptionsByAnother: Int
    /// Uses of a slot beyond its first.
    public let doubledRedemptions: Int
    /// Whether Apple refunded a period of a use, in full or in part.
    public let isRefunded: Bool
    /// Whether a use still runs, or waits for the next renewal.
    public let isInOffer: Bool
    /// Whether a period without any offer that began after a use was paid for, and not refunded in full: of the same
    /// group, so also after an upgrade.
    public let hasRenewedAtFullPrice: Bool
    /// Whether the customer's own subscription of the group gives access; absent if what is known does not tell.
    public let isActive: Bool?

    /// - Parameters:
    ///   - offer: the offer; its slots are those with its id.
    ///   - group: the group of its products; absent if nobody knows it.
    ///   - start: uses without a slot count from then on.
    ///   - now: what began or was refunded later does not count.
    public init(
        of offer: Offer, in group: SubscriptionGroupId?, _ facts: SubjectFacts, since start: Instant, at now: Instant,
        policy: Policy = .standard
    ) {
        let past = SubjectPast(facts)
        let uses = KnownUses(past, lengths: OfferLengths([offer]), takesHistoryAsProven: false)
        let slots = Set(facts.slots.lazy.filter { $0.offerId == offer.id }.map(\.id))
        let redemptions = uses.redemptions.filter { $0.slotId.map(slots.contains) ?? false }
        let key = group.map { RedemptionKey(offer.delivery.redeemedAs, offer.offerIdentifier, $0) }
        self.redemptions = redemptions
        redemptionsWithoutSlot = uses.redemptions.count {
            $0.slotId == nil && $0.key == key && $0.firstEvidence >= start
        }
        doubledRedemptions = redemptions.count - Set(redemptions.map(\.slotId)).count
        let own = redemptions.filter { !$0.isByAnother }
        redemptionsByAnother = redemptions.count - own.count
        let runs = own.map { RedeemedRun($0, in: past.groups[$0.subscriptionGroupIdentifier]?.rows ?? []) }
        isRefunded = runs.contains { $0.isRefunded(by: now) }
        hasRenewedAtFullPrice = runs.contains { $0.isFollowedAtFullPrice(by: now) }
        guard let group = group ?? redemptions.last?.subscriptionGroupIdentifier else {
            isActive = nil
            isInOffer = false
            return
        }
        let subject = Subject(
            past, at: now, coverage: facts.history.coverage, policy: policy, uses: uses, group: nil, groupProducts: [])
        let isActive = OwnSubscription(subject.view(of: group).candidates(at: now)).hasAccess
        self.isActive = isActive
        isInOffer = runs.contains { $0.isRunning(at: now, isActive: isActive == true) }
    }
}

import OfferModel

/// How much of an offer the subject has used.
struct OfferUse: Sendable {
    /// Redemptions of the offer, issued by us or not; they count for ever.
    let redemptions: [Redemption]
    /// Slots that count although nothing is known to have used them; the open one is not among them.
    let countingSlots: [Slot]
    /// The slot that asking again would use.
    let openSlot: Slot?
    /// Slots of the offer that nothing is known to have used.
    private let unusedSlots: [Slot]

    init(of offer: Offer, in group: SubscriptionGroupId?, subject: Subject, at now: Instant) {
        let own = subject.slots.filter { $0.offerId == offer.id }
        let ownIds = Set(own.map(\.id))
        let key = group.map { RedemptionKey(offer.delivery.redeemedAs, offer.offerIdentifier, $0) }
        redemptions = subject.redemptions.filter { redemption in
            redemption.slotId.map(ownIds.contains) ?? (redemption.key == key)
        }
        let redeemed = Set(redemptions.compactMap(\.slotId))
        let unused = own.filter { !redeemed.contains($0.id) }
        unusedSlots = unused
        let open = unused.open(at: now)
        openSlot = open
        countingSlots = unused.filter { slot in
            now < slot.countsUntil && !slot.isReleased && slot.id != open?.id
        }
    }

    /// The slot that asking again at another instant would use.
    func openSlot(at instant: Instant) -> Slot? { unusedSlots.open(at: instant) }

    /// Places taken by others than the open slot.
    var count: Int { redemptions.count + countingSlots.count }
}

extension [Slot] {
    /// Of several open slots, as a merge of customers can leave them, the oldest is the one that stays.
    func open(_ offerId: OfferId, redemptions: [Redemption], at now: Instant) -> Slot? {
        let redeemed = Set(redemptions.compactMap(\.slotId))
        return filter { $0.offerId == offerId && !redeemed.contains($0.id) }.open(at: now)
    }

    fileprivate func open(at now: Instant) -> Slot? {
        filter { $0.isOpen(at: now) }.min { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) }
    }
}

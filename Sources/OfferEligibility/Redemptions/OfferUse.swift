import OfferModel

/// How much of an offer the subject has used.
struct OfferUse {
    /// Redemptions of the offer, issued by us or not; they count for ever.
    let redemptions: [Redemption]
    /// Slots that count although nothing is known to have used them; the open one is not among them.
    let countingSlots: [Slot]
    /// The slot that asking again would use.
    let openSlot: Slot?

    init(of offer: Offer, in group: SubscriptionGroupId?, subject: Subject, at now: Instant) {
        let own = subject.slots.filter { $0.offerId == offer.id }
        let ownIds = Set(own.map(\.id))
        let key = group.map { RedemptionKey(offer.delivery.redeemedAs, offer.offerIdentifier, $0) }
        redemptions = subject.redemptions.filter { redemption in
            redemption.slotId.map(ownIds.contains) ?? (redemption.key == key)
        }
        let redeemed = Set(redemptions.compactMap(\.slotId))
        let open = subject.slots.open(offer.id, redemptions: redemptions, at: now)
        openSlot = open
        countingSlots = own.filter { slot in
            now < slot.countsUntil && !slot.isReleased && !redeemed.contains(slot.id) && slot.id != open?.id
        }
    }

    /// Places taken by others than the open slot.
    var count: Int { redemptions.count + countingSlots.count }
}

extension [Slot] {
    /// Of several open slots, as a merge of customers can leave them, the oldest is the one that stays.
    func open(_ offerId: OfferId, redemptions: [Redemption], at now: Instant) -> Slot? {
        let redeemed = Set(redemptions.compactMap(\.slotId))
        return filter { $0.offerId == offerId && $0.isOpen(at: now) && !redeemed.contains($0.id) }
            .min { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) }
    }
}

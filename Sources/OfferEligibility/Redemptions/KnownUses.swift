import OfferModel

/// The redemptions of a history with the slots that they used; the same at any instant.
final class KnownUses: Sendable {
    /// Every redemption, from the earliest.
    let redemptions: [Redemption]
    /// What makes each redemption one of an offer.
    let keys: [RedemptionKey]
    /// The slot of each redemption, if we issued one.
    let slots: [Slot?]
    /// The place that each redemption takes under a limit.
    let places: [Place]
    /// The slots that were redeemed.
    let redeemed: Set<LowercaseUUID>
    /// By offer, the places of its slots among the subject's, and of the redemptions that used one of them.
    private let slotsOfOffers: [OfferId: [Int]]
    private let redeemingSlotsOf: [OfferId: [Int]]

    /// - Parameter takesHistoryAsProven: whether the history was supplied for a "what if".
    init(_ past: SubjectPast, lengths: OfferLengths, takesHistoryAsProven: Bool) {
        let redemptions = RedemptionReader(
            past: past, lengths: lengths, takesHistoryAsProven: takesHistoryAsProven
        ).redemptions()
        self.redemptions = redemptions
        keys = redemptions.map(\.key)
        redeemed = Set(redemptions.compactMap(\.slotId))
        let byId =
            redeemed.isEmpty ? [:] : Dictionary(past.facts.slots.map { ($0.id, $0) }) { first, _ in first }
        let slots = redemptions.map { redemption in redemption.slotId.flatMap { byId[$0] } }
        self.slots = slots
        places = redemptions.indices.map { Place(redemptions[$0], slot: slots[$0]) }
        slotsOfOffers = Dictionary(grouping: past.facts.slots.indices) { past.facts.slots[$0].offerId }
        var redeeming: [OfferId: [Int]] = [:]
        for place in slots.indices {
            if let slot = slots[place] { redeeming[slot.offerId, default: []].append(place) }
        }
        redeemingSlotsOf = redeeming
    }

    /// The places among the subject's of the slots of an offer.
    func slots(of offer: OfferId) -> [Int] { slotsOfOffers[offer] ?? [] }

    /// The places of the redemptions of an offer: by the slot that they used, and without one by what they look like.
    ///
    /// - Parameter matching: those that look like uses of it.
    func redemptions(of mark: OfferMark, matching: [Int]) -> [Int] {
        let own = mark.group == nil ? [] : matching.filter { redemptions[$0].slotId == nil }
        guard let redeeming = redeemingSlotsOf[mark.id] else { return own }
        return (redeeming + own).sorted()
    }
}

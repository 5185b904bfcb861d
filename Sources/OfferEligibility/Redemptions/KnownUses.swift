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
    }
}

import OfferModel

/// The redemptions of a history with the slots that they used; the same at any instant.
final class KnownUses: Sendable {
    /// Every redemption, from the earliest.
    let redemptions: [Redemption]
    /// The slot of each redemption, if we issued one.
    let slots: [Slot?]
    /// The slots that were redeemed.
    let redeemed: Set<LowercaseUUID>

    /// - Parameter takesHistoryAsProven: whether the history was supplied for a "what if".
    init(_ past: SubjectPast, lengths: OfferLengths, takesHistoryAsProven: Bool) {
        let redemptions = RedemptionReader(
            past: past, lengths: lengths, takesHistoryAsProven: takesHistoryAsProven
        ).redemptions()
        self.redemptions = redemptions
        redeemed = Set(redemptions.compactMap(\.slotId))
        guard !redeemed.isEmpty else {
            slots = Array(repeating: nil, count: redemptions.count)
            return
        }
        let byId = Dictionary(past.facts.slots.map { ($0.id, $0) }) { first, _ in first }
        slots = redemptions.map { redemption in redemption.slotId.flatMap { byId[$0] } }
    }
}

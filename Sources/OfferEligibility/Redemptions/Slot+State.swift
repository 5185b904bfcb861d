public import OfferModel

extension Slot {
    /// Where it stands; a use known from the history settles it whatever else happened.
    ///
    /// - Parameter redemptions: those of the same subject, matched to its slots.
    public func state(at now: Instant, redemptions: [Redemption]) -> SlotState {
        if redemptions.contains(where: { $0.slotId == id }) { return .redeemed }
        if voidedAt != nil { return .voided }
        if now >= countsUntil { return .expired }
        // Settled before its end: its redemption was recorded, though the history no longer matches it.
        return settledAt == nil ? .open : .redeemed
    }
}

import OfferModel

/// One place taken under a limit: by a redemption, for ever, or by a slot as long as it counts (DESIGN §5.3).
struct Place {
    /// The date that counts in a window: when the slot was issued; of a redemption without a slot, and of a second use of
    /// one, its first evidence (docs/decisions/0017).
    let takenAt: Instant
    /// From when it no longer counts; `nil` for a redemption.
    let countsUntil: Instant?
    /// What took it.
    let evidence: Evidence

    init(_ redemption: Redemption, slot: Slot?) {
        takenAt = redemption.isDoubled ? redemption.firstEvidence : slot?.issuedAt ?? redemption.firstEvidence
        countsUntil = nil
        evidence = Evidence(
            field: "redemption", observed: .instant(redemption.firstEvidence), provenance: redemption.provenance,
            transactionId: redemption.transactionId ?? redemption.originalTransactionId)
    }

    init(_ slot: Slot) {
        takenAt = slot.issuedAt
        countsUntil = slot.countsUntil
        evidence = Evidence(field: "issuedOffer", observed: .text(slot.id.description))
    }

    /// The first moment at which it no longer counts, within the window if there is one; `nil` if it always will.
    func end(in window: Period?) -> Instant? {
        [countsUntil, window.map(takenAt.adding)].compactMap(\.self).min()
    }
}

extension RuleContext {
    /// The places that uses of those offers take at an instant not before the question's: redemptions from the earliest, then slots from the
    /// earliest. The slot of the offer asked for that is open then is not among them.
    func places(of counted: CountedOffers, in window: Period? = nil, at instant: Instant) -> [Place] {
        let redemptions = subject.redemptions.indices.compactMap { index -> Place? in
            let slot = subject.uses.slots[index]
            let isCounted = slot.map(counted.holds) ?? counted.holdsRedemption(at: index)
            return isCounted ? Place(subject.redemptions[index], slot: slot) : nil
        }
        let slots = subject.countingSlots.filter { instant < $0.countsUntil && counted.holds($0) }
        let open = slots.isEmpty ? nil : use.openSlot(at: instant)?.id
        let counting = slots.filter { $0.id != open }
            .sorted { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) }
        return (redemptions + counting.map { Place($0) })
            .filter { place in place.end(in: window).map { instant < $0 } ?? true }
    }
}

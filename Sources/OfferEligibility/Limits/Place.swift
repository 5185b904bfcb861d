import OfferModel

/// One place taken under a limit: by a redemption, for ever, or by a slot as long as it counts (DESIGN §5.3).
struct Place {
    /// The date that counts in a window: when the slot was issued, or of a redemption without a slot its first evidence.
    let takenAt: Instant
    /// From when it no longer counts; `nil` for a redemption.
    let countsUntil: Instant?
    /// What took it.
    let evidence: Evidence

    init(_ redemption: Redemption, slot: Slot?) {
        takenAt = slot?.issuedAt ?? redemption.firstEvidence
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
    /// The places that uses of those offers take at an instant: redemptions from the earliest, then slots from the
    /// earliest. The slot of the offer asked for that is open then is not among them.
    func places(of counted: CountedOffers, in window: Period? = nil, at instant: Instant) -> [Place] {
        let use = OfferUse(of: offer, in: question.subscriptionGroupIdentifier, subject: subject, at: instant)
        let open = use.openSlot?.id
        let slots = Dictionary(subject.slots.map { ($0.id, $0) }) { first, _ in first }
        let redeemed = Set(subject.redemptions.compactMap(\.slotId))
        let redemptions = subject.redemptions.compactMap { redemption -> Place? in
            let slot = redemption.slotId.flatMap { slots[$0] }
            let isCounted = slot.map(counted.holds) ?? counted.holds(redemption)
            return isCounted ? Place(redemption, slot: slot) : nil
        }
        let counting = subject.slots
            .filter { slot in
                counted.holds(slot) && instant < slot.countsUntil && !slot.isReleased && !redeemed.contains(slot.id)
                    && slot.id != open
            }
            .sorted { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) }
        return (redemptions + counting.map { Place($0) })
            .filter { place in place.end(in: window).map { instant < $0 } ?? true }
    }

    /// Whether a purchase of which the group is not certain shows one of those offers.
    func mayHaveUsedElsewhere(_ counted: CountedOffers) -> Bool {
        guard let group = question.subscriptionGroupIdentifier else { return false }
        return subject.outsiders(of: group).contains { row in
            guard row.payload.isOwned != false, let type = row.payload.offerType else { return false }
            return counted.mayHold(RedemptionKey(type, row.payload.offerIdentifier, group))
        }
    }
}

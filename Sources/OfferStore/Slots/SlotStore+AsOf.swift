public import OfferEligibility
public import OfferModel

extension SlotStore {
    /// The slots issued to these customers by an earlier instant, with the signings and the ends they had then, the
    /// earliest first. A void or an end recorded later is still on them, with its date.
    ///
    /// - Throws: ``StoreError``.
    public func slots(of customers: [CustomerNumber], asOf instant: Instant) throws -> [Slot] {
        try slots(of: customers).filter { $0.issuedAt <= instant }.map { try withSignings(of: $0, by: instant) }
    }

    /// The row holds the newest end only; each earlier one was as long after its own signing.
    private func withSignings(of slot: Slot, by instant: Instant) throws -> Slot {
        guard slot.signings > 1 else { return slot }
        let later: [Instant] = try transaction.rows(
            Statement(
                """
                SELECT s.decided_at FROM issued_offer o JOIN signing s ON s.issued_offer = o.sequence
                WHERE o.id = ?1 ORDER BY s.signing
                """, slot.id)
        ).map { try $0.value(0) }
        let dates = [slot.issuedAt] + later
        let known = dates.filter { $0 <= instant }
        guard known.count < dates.count, let newest = known.last, let last = dates.last else { return slot }
        var earlier = slot
        let shortened = newest.milliseconds(since: last)
        earlier.signings = known.count
        earlier.expiresAt = slot.expiresAt.adding(milliseconds: shortened)
        earlier.countsUntil = slot.countsUntil.adding(milliseconds: shortened)
        return earlier
    }
}

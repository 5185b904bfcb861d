public import OfferModel

extension SubjectFacts {
    /// What was known at an earlier instant: evidence signed or bought after it is dropped (docs/design.md#history-and-state).
    ///
    /// A completeness fetched or stated later is dropped too, because it may rest on rows that are. Slots issued later
    /// go; of the others a later void or end is undone, while ends and signings stay as they are given, and so do
    /// attributes.
    public func known(asOf instant: Instant) -> SubjectFacts {
        var known = self
        known.history.transactions.removeAll {
            $0.payload.signedDate > instant || $0.payload.purchaseDate > instant
        }
        known.history.renewalInfos.removeAll { $0.payload.signedDate > instant }
        known.history.appTransactions.removeAll { $0.payload.receiptCreationDate > instant }
        if let statedAt = history.coverage.asOf, statedAt > instant {
            let isEmpty = known.history.transactions.isEmpty && known.history.appTransactions.isEmpty
            known.history.coverage = Coverage(level: isEmpty ? .none : .partial)
        }
        known.slots.removeAll { $0.issuedAt > instant }
        known.keptEvidence.removeAll { $0.at > instant }
        if let firstStoredAt, firstStoredAt > instant { known.firstStoredAt = nil }
        known.openedAt = openedAt.filter { $0.value <= instant }
        for index in known.slots.indices {
            if let voidedAt = known.slots[index].voidedAt, voidedAt > instant {
                known.slots[index].voidedAt = nil
                known.slots[index].isReleased = false
            }
            if let settledAt = known.slots[index].settledAt, settledAt > instant {
                known.slots[index].settledAt = nil
            }
        }
        return known
    }
}

import OfferEligibility
import OfferModel
import OfferStore

extension DecisionRecord {
    /// What was known when it was decided: the rows stored by then, the slots as they were seen, the rest as recorded.
    ///
    /// - Throws: ``StoreError``.
    func facts(in number: ScopeNumber, _ transaction: any StoreTransaction) throws -> SubjectFacts {
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: identifiers, upTo: historySequence, in: number),
            slots: try slots.map { try slot($0, in: number, transaction) }, attributes: attributes,
            firstStoredAt: firstStoredAt, rolloutKey: rolloutKey,
            openedAt: Dictionary(openedAt.map { (OfferId($0), $1) }) { first, _ in first })
        facts.isUnited = customers.count > 1
        facts.keptEvidence = keptEvidence ?? []
        facts.history.coverage = Coverage(
            level: Coverage.Level(rawValue: coverage) ?? .none, asOf: coverageAsOf, provenance: coverageProvenance)
        return facts
    }

    /// The slot as it was seen: its row has gone on changing.
    private func slot(
        _ seen: SeenSlot, in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> Slot {
        guard var slot = try SlotStore(transaction).issuedOffer(seen.id, in: number)?.slot else {
            throw StoreError.corrupt("the issued offer `\(seen.id)` that a decision has seen is missing")
        }
        slot.signings = seen.signings
        slot.expiresAt = seen.expiresAt
        slot.countsUntil = seen.countsUntil
        slot.voidedAt = seen.voidedAt
        slot.isReleased = seen.isReleased
        slot.settledAt = seen.settledAt
        return slot
    }
}

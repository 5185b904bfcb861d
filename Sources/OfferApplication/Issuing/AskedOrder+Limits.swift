import OfferEligibility
import OfferModel
import OfferStore

extension Issuance {
    /// What the committing transaction says of the limits that everyone shares (docs/design.md#issuing).
    enum SharedLimits {
        /// There is a place; the counters may show so much at most afterwards.
        case fit([CounterStore.Cap])
        /// There is none any more: what the counters show now.
        case reached(OfferCounters)
    }

    /// Reads the counters anew and judges them by the rules' own code.
    ///
    /// - Throws: ``StoreError``.
    func sharedLimits(in scope: ScopeNumber, _ transaction: any StoreTransaction) throws -> SharedLimits {
        let limits = SharedLimit.all(of: question.offer)
        guard !limits.isEmpty, let seen = snapshot.facts.counters[question.offer.id] else { return .fit([]) }
        let slots = snapshot.facts.slots.filter { slot in seen.open.contains { $0.id == slot.id } }
        let counters = try OfferCounters.read(
            question, open: slots, own: open?.slot.id, at: snapshot.now, in: scope, transaction)
        let uses = limits.compactMap { $0.use(question, counters: counters, open: open?.slot.id, at: snapshot.now) }
        guard uses.count == limits.count, uses.allSatisfy({ $0.shortfall <= 0 }) else { return .reached(counters) }
        return .fit(
            uses.map {
                CounterStore.Cap(unit: $0.limit.unit, most: $0.limit.allowed.saturatingSubtracting($0.unmatched))
            })
    }

    /// The same order decided again with other counters.
    func decided(with counters: OfferCounters, policy: Policy) -> Issuance {
        var again = self
        again.snapshot.facts.counters[question.offer.id] = counters
        again.decision = decide(question, facts: again.snapshot.facts, policy: policy)
        return again
    }
}

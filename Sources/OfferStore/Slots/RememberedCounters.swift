import OfferModel

/// What a durable transaction knows of the counters of one offer. Every slot changes them: those that share a commit read them
/// once and write them once.
struct RememberedCounters {
    /// An offer in an app and environment.
    struct Place: Hashable {
        let scope: ScopeNumber
        let offer: OfferId
    }

    /// What each counter shows, by the name of its unit; one that is not there shows 0.
    var amounts: [String: Int64]
    /// Those that have yet to be written.
    var changed: Set<String> = []
    /// The first instant at which one of the offer's slots stops counting: until then none has passed. Absent if it is not
    /// known.
    var firstEnd: Instant?
}

/// A counter of redemptions without an issued offer, all products of a group.
struct UnmatchedPlace: Hashable {
    let scope: ScopeNumber
    let type: TransactionOfferType
    let identifier: String
    let group: SubscriptionGroupId
}

extension WriteMemory {
    /// Notes that slots have changed: any of them may stop counting at another time now.
    func forgetEnds() {
        for place in contents.counters.keys { contents.counters[place]?.firstEnd = nil }
    }

    /// Notes that an offer has one more slot.
    func note(slotOf place: RememberedCounters.Place, countsUntil end: Instant) {
        guard let known = contents.counters[place]?.firstEnd, end < known else { return }
        contents.counters[place]?.firstEnd = end
    }

    /// Writes the counters that were only remembered, for statements that read the table.
    func writeCounters(to transaction: any StoreTransaction) throws {
        for (place, known) in contents.counters where !known.changed.isEmpty {
            for unit in known.changed.sorted() {
                try CounterStore(transaction).write(known.amounts[unit] ?? 0, unit, of: place.offer, in: place.scope)
            }
            contents.counters[place]?.changed = []
        }
    }
}

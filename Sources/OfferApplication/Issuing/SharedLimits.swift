import OfferModel
import OfferStore

// Limits that everyone shares (docs/design.md#issued-offers-and-limits): read with the snapshot for the rules to judge,
// and read and judged again by the same rules in the transaction that takes a place.

extension Issuance {
    /// The committing transaction's verdict on the limits that all customers share.
    enum SharedLimits {
        /// There is a place: what it takes of each limit, and how much the counters may show at most afterwards.
        case fit([SharedUse], [CounterStore.Cap])
        /// There is none any more: what the counters show now.
        case reached(OfferCounters)
    }

    /// Reads the counters again and judges them by the rules' own code.
    func sharedLimits(in number: ScopeNumber, _ transaction: any StoreTransaction) throws -> SharedLimits {
        // What a grant gives takes no place and no money.
        guard (grant?.id ?? open?.issuedOffer.grantId) == nil else { return .fit([], []) }
        let limits = question.compiledOffer.sharedLimits
        guard !limits.isEmpty, let seen = snapshot.facts.counters[question.offer.id] else { return .fit([], []) }
        let issuedOffers = snapshot.facts.issuedOffers.filter { issuedOffer in
            seen.open.contains { $0.id == issuedOffer.id }
        }
        let counters = try OfferCounters.read(
            question, open: issuedOffers, own: open?.issuedOffer.id, at: snapshot.now, in: number,
            CounterStore(transaction))
        let uses = limits.compactMap {
            $0.use(question, counters: counters, open: open?.issuedOffer.id, at: snapshot.now)
        }
        guard uses.count == limits.count, uses.allSatisfy({ $0.shortfall <= 0 }) else { return .reached(counters) }
        // A counter is of one id; what is used under the offer's other ids is not in it.
        let counted = open?.issuedOffer.offerId ?? question.offer.id
        let others = try question.offer.ids.filter { $0 != counted }.map {
            try CounterStore(transaction).used(of: $0, at: snapshot.now, in: number)
        }
        return .fit(
            uses,
            uses.map { use in
                let elsewhere = others.map { $0[use.limit.unit] ?? 0 }.saturatingSum()
                let most = use.limit.allowed.saturatingSubtracting(use.unmatched).saturatingSubtracting(elsewhere)
                return CounterStore.Cap(unit: use.limit.unit, most: most)
            })
    }
}

extension Snapshot {
    /// Reads what others have used of offers whose limits count that; to be called where everything else is supposed.
    mutating func readUses(of questions: [Question], policy: Policy, _ transaction: any StoreTransaction) throws {
        try readCounters(of: questions, transaction)
        try readAccountUses(of: questions, policy: policy, transaction)
    }

    /// The counters of a few offers are read faster one by one.
    private static let mostReadOneByOne = 10

    /// Asks what reading the counters of a few offers asks first, to ask ahead.
    static func askBeforeReadingCounters(
        of ids: [OfferId], of catalog: CompiledCatalog, in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws {
        let offers = ids.compactMap(catalog.compiledOffer).filter { !$0.sharedLimits.isEmpty }.map(\.offer)
        guard offers.count <= mostReadOneByOne else { return }
        for offer in offers {
            try CounterStore(transaction).askBeforeReading(
                offer, in: catalog.offerGroups[offer.id], scope: number)
        }
    }

    /// Reads what everyone has used.
    ///
    /// At a supposed instant in the past these are the counters of the present: what they showed then is not kept. At
    /// one to come they lack what will have passed.
    private mutating func readCounters(of questions: [Question], _ transaction: any StoreTransaction) throws {
        // By index, because a copy of a question is expensive.
        let limited = questions.indices.filter { !questions[$0].compiledOffer.sharedLimits.isEmpty }
        guard !limited.isEmpty else { return }
        let isSupposed = takesHistoryAsProven || now != present
        let instant = max(now, present)
        let issuedOffers =
            try isSupposed ? IssuedOfferStore(transaction).issuedOffers(of: subject.customers) : facts.issuedOffers
        guard let number else {
            for index in limited { facts.counters[questions[index].offer.id] = OfferCounters(asOf: instant) }
            return
        }
        let store = CounterStore(transaction)
        if limited.count > Self.mostReadOneByOne { try store.readAll(in: number) }
        try transaction.expect { [compiledCatalog] in
            let ids = limited.map { questions[$0].offer.id }
            try Self.askBeforeReadingCounters(of: ids, of: compiledCatalog, in: number, $0)
        }
        facts.counters.reserveCapacity(limited.count)
        for index in limited {
            let offer = questions[index].offer
            let open = issuedOffers.filter { offer.has($0.offerId) && $0.isOpen(at: instant) && $0.grantId == nil }
            let own =
                open.isEmpty
                ? nil : facts.openIssuedOffer(of: offer, at: now, takesHistoryAsProven: takesHistoryAsProven)
            facts.counters[offer.id] = try OfferCounters.read(
                questions[index], open: open, own: own?.id, at: instant, in: number, store)
        }
    }
}

extension OfferCounters {
    /// The uses of an offer by all customers, with the ends that its limits wait for.
    ///
    /// - Parameters:
    ///   - open: the subject's open issued offers of the offer.
    ///   - own: the one that asking again would use.
    static func read(
        _ question: Question, open: [IssuedOffer], own: LowercaseUUID?, at now: Instant, in scope: ScopeNumber,
        _ store: CounterStore
    ) throws -> OfferCounters {
        var counters = try store.counters(
            of: question.offer, in: question.subscriptionGroupIdentifier, open: open, at: now, in: scope)
        // Each of several open issued offers is the subject's own in turn, so the last of them never counts.
        let last = open.max { ($0.countsUntil, $0.id) < ($1.countsUntil, $1.id) }
        for limit in question.compiledOffer.sharedLimits {
            guard let use = limit.use(question, counters: counters, open: own, at: now), use.shortfall > 0 else {
                continue
            }
            let end = try store.ending(
                of: use.shortfall, limit.unit, offer: question.offer.ids, without: own == nil ? nil : last?.id,
                after: now, in: scope)
            counters.endings.append(Ending(unit: limit.unit, amount: use.shortfall, at: end))
        }
        return counters
    }
}

/// Everything the rules read of a subject at the instant of a question.
final class Subject: Sendable {
    let past: SubscriptionHistory
    let now: Instant
    let policy: Policy
    /// Whether an absence is proven: the history is complete and was so recently enough.
    let isComplete: Bool
    /// The subscriptions of each group at the instant of the question.
    let subscriptions: [SubscriptionGroupId: [Subscription]]
    let uses: KnownUses
    /// Issued offers that count and were not redeemed, at the instant of the question; not those that a grant gave.
    let countingIssuedOffers: [IssuedOffer]
    /// Every product that the catalog has in the group asked about.
    let groupProducts: Set<ProductId>
    /// The group asked about, and its state from the instant of the question on.
    let requested: GroupView?
    /// The same group's states; perhaps from an earlier instant on, at which the same was known of it.
    let timeline: StateTimeline?

    /// - Parameter earlier: the same subject at an earlier instant, with the same group, products and completeness: what it
    ///   found of the group's states holds.
    init(
        _ past: SubscriptionHistory, at now: Instant, coverage: Coverage, policy: Policy, uses: KnownUses,
        group: SubscriptionGroupId?, groupProducts: Set<ProductId>, earlier: Subject? = nil
    ) {
        self.past = past
        self.now = now
        self.policy = policy
        self.uses = uses
        self.groupProducts = groupProducts
        isComplete = coverage.isProof(at: now, life: policy.coverageLife)
        countingIssuedOffers = past.facts.issuedOffers.filter {
            now < $0.countsUntil && !$0.isReleased && $0.grantId == nil && !uses.redeemed.contains($0.id)
        }
        subscriptions = past.groups.mapValues { $0.subscriptions(at: now) }
        guard let group else {
            requested = nil
            timeline = nil
            return
        }
        let view = GroupView(
            group: group, subscriptions: subscriptions[group] ?? [],
            ungrouped: past.ungrouped(of: group, products: groupProducts), isComplete: isComplete, policy: policy)
        requested = view
        timeline = earlier?.timeline ?? StateTimeline(view, from: now)
    }

    /// For what asks about no offer.
    convenience init(_ facts: SubjectFacts, at now: Instant, policy: Policy) {
        let past = SubscriptionHistory(facts)
        self.init(
            past, at: now, coverage: facts.history.coverage, policy: policy,
            uses: KnownUses(past, lengths: OfferLengths([]), takesHistoryAsProven: false), group: nil, groupProducts: []
        )
    }

    var history: CurrentHistory { past.history }
    var issuedOffers: [IssuedOffer] { past.facts.issuedOffers }
    var redemptions: [Redemption] { uses.redemptions }
    var purchases: OwnPurchases { past.purchases }
    var firstSeen: FirstSeen? { past.firstSeen }
    var attributes: [String: FactValue] { past.facts.attributes }

    /// Every transaction of a subscription in the group, by purchase date.
    func transactions(of group: SubscriptionGroupId) -> [Recorded<Transaction>] { past.groups[group]?.rows ?? [] }

    /// Purchases that may belong to the group although they name another one or none: as long as there are any, nothing
    /// that the group lacks is proven (invariant 3).
    func ungrouped(of group: SubscriptionGroupId) -> [Recorded<Transaction>] { view(of: group).ungrouped }

    /// Whether the catalog has the product in the group, as far as the question says.
    func isProduct(_ product: ProductId, of group: SubscriptionGroupId) -> Bool {
        group == requested?.group && groupProducts.contains(product)
    }

    /// Why what is not known is not proven to be absent; `nil` if it is.
    var incompleteness: ReasonCode? { isComplete ? nil : .historyIncomplete }

    func doubt(about group: SubscriptionGroupId) -> ReasonCode? { view(of: group).doubt }

    func paidTime(of group: SubscriptionGroupId) -> PaidTime { past.groups[group]?.paid ?? PaidTime([]) }

    /// The group at any instant. The question names only its own group's products.
    func view(of group: SubscriptionGroupId) -> GroupView {
        if let requested, requested.group == group { return requested }
        return GroupView(
            group: group, subscriptions: subscriptions[group] ?? [], ungrouped: past.withoutGroup,
            isComplete: isComplete, policy: policy)
    }

    func state(of group: SubscriptionGroupId, at instant: Instant) -> SubscriptionState {
        if let timeline, group == requested?.group, let state = timeline.state(at: instant) { return state }
        return view(of: group).state(at: instant)
    }

    /// The state of the group asked about; `nil` if the catalog does not know the group.
    func requestedState(at instant: Instant) -> SubscriptionState? {
        timeline?.state(at: instant) ?? requested?.state(at: instant)
    }

    func candidates(of group: SubscriptionGroupId, at instant: Instant) -> [Candidate] {
        if let timeline, instant == timeline.start, group == requested?.group { return timeline.candidates }
        return view(of: group).candidates(at: instant)
    }

    func governing(of group: SubscriptionGroupId, at instant: Instant) -> Candidate? {
        if let timeline, instant == timeline.start, group == requested?.group { return timeline.governing }
        return GroupSweep(view(of: group), from: instant).governing
    }

    func lastEnded(of group: SubscriptionGroupId, at instant: Instant) -> GroupView.Ended? {
        if let timeline, group == requested?.group, timeline.hasBegun(at: instant) {
            return timeline.lastEnded(at: instant)
        }
        return view(of: group).lastEnded(at: instant)
    }

    /// The instants at which the state of the group can change without an event, earliest first.
    func transitions(of group: SubscriptionGroupId, after now: Instant) -> [Instant] {
        view(of: group).transitions.filter { $0 > now }
    }

    /// The first later instant at which the group's state is as wanted, if nothing else happens.
    func firstInstant(
        of group: SubscriptionGroupId, after now: Instant, where isWanted: (SubscriptionState) -> Bool
    ) -> Instant? {
        transitions(of: group, after: now).first { isWanted(state(of: group, at: $0)) }
    }
}

extension SubscriptionHistory {
    /// Purchases that may belong to the group although they name another one or none, by purchase date.
    ///
    /// - Parameter products: those that the catalog has in the group.
    fileprivate func ungrouped(
        of group: SubscriptionGroupId, products: Set<ProductId>
    ) -> [Recorded<Transaction>] {
        guard !withoutGroup.isEmpty || groups.contains(where: { $0 != group && $1.holds(products) }) else { return [] }
        return subscriptionRows.filter { row in
            guard let named = row.payload.subscriptionGroupIdentifier else { return true }
            return named != group && products.contains(row.payload.productId)
        }
    }
}

extension GroupHistory {
    /// Whether one of the products was bought. Rows of the same product follow each other, and one is asked about once.
    fileprivate func holds(_ products: Set<ProductId>) -> Bool {
        var last: ProductId?
        return rows.contains { row in
            guard row.payload.productId != last else { return false }
            last = row.payload.productId
            return products.contains(row.payload.productId)
        }
    }
}

extension Coverage {
    /// Whether it proves an absence at `now` (docs/design.md#history-and-state: it serves for so long after it was
    /// fetched or stated).
    func isProof(at now: Instant, life: Int64) -> Bool {
        guard level == .complete, let asOf else { return false }
        return now < asOf.adding(milliseconds: life)
    }
}

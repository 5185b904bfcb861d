import OfferModel

/// Everything the rules read of a subject, derived once per question.
struct Subject: Sendable {
    let history: CurrentHistory
    /// The subscriptions of each group, by the latest bought.
    let subscriptions: [SubscriptionGroupId: [Subscription]]
    let slots: [Slot]
    let redemptions: [Redemption]
    /// Whether an absence is proven: the history is complete and was so recently enough.
    let isComplete: Bool
    let policy: Policy

    /// - Parameter offer: the offer asked for; its length helps where Apple's data does not state one.
    init(_ facts: SubjectFacts, at now: Instant, policy: Policy, offer: Offer? = nil) {
        history = CurrentHistory(facts.history)
        subscriptions = Self.subscriptions(of: history)
        slots = facts.slots
        redemptions = RedemptionReader(facts: facts, subscriptions: subscriptions, offer: offer).redemptions()
        isComplete = facts.history.coverage.isProof(at: now, life: policy.coverageLife)
        self.policy = policy
    }

    static func subscriptions(of history: CurrentHistory) -> [SubscriptionGroupId: [Subscription]] {
        var groups: [SubscriptionGroupId: [TransactionId: [Recorded<Transaction>]]] = [:]
        for row in history.transactions where row.payload.isSubscription {
            guard let group = row.payload.subscriptionGroupIdentifier else { continue }
            groups[group, default: [:]][row.payload.originalTransactionId, default: []].append(row)
        }
        return groups.mapValues { originals in
            originals
                .compactMap { Subscription($0.value, renewalInfo: history.renewalInfos[$0.key]) }
                .sorted { $0.newest.payload.purchaseOrder > $1.newest.payload.purchaseOrder }
        }
    }

    /// Every transaction of a subscription in the group, by purchase date.
    func transactions(of group: SubscriptionGroupId) -> [Recorded<Transaction>] {
        history.transactions.filter { $0.payload.isSubscription && $0.payload.subscriptionGroupIdentifier == group }
    }

    /// The instants at which the state of the group can change by itself, from the earliest.
    func transitions(of group: SubscriptionGroupId, after now: Instant) -> [Instant] {
        Set((subscriptions[group] ?? []).flatMap { $0.transitions(policy) }).filter { $0 > now }.sorted()
    }

    /// The first later instant at which the group's state is as wanted, if nothing else happens.
    func firstInstant(
        of group: SubscriptionGroupId, after now: Instant, where isWanted: (SubscriptionState) -> Bool
    ) -> Instant? {
        transitions(of: group, after: now).first { isWanted(state(of: group, at: $0)) }
    }
}

extension Transaction {
    /// Old data may lack the type, but only subscriptions have a group.
    var isSubscription: Bool {
        subscriptionGroupIdentifier != nil && (type == nil || type == .autoRenewableSubscription)
    }
}

extension Coverage {
    /// Whether it proves an absence at `now` (DESIGN §5.1: it serves for so long after it was fetched or stated).
    func isProof(at now: Instant, life: Int64) -> Bool {
        guard level == .complete, let asOf else { return false }
        return now < asOf.adding(milliseconds: life)
    }
}

import OfferModel

/// Everything the rules read of a subject, derived once per question.
struct Subject: Sendable {
    let history: CurrentHistory
    /// The subscriptions of each group, as they stand at the instant of the question.
    let subscriptions: [SubscriptionGroupId: [Subscription]]
    let slots: [Slot]
    let redemptions: [Redemption]
    /// What the customer's own purchases say together.
    let purchases: OwnPurchases
    /// When the customer was first seen; `nil` for somebody of whom nothing is known.
    let firstSeen: FirstSeen?
    /// What the backend keeps about the customer, by the name after `customer.attributes.`.
    let attributes: [String: FactValue]
    /// Whether an absence is proven: the history is complete and was so recently enough.
    let isComplete: Bool
    let policy: Policy
    private let askedGroup: SubscriptionGroupId?
    private let groupProducts: Set<ProductId>
    /// Found once for the group that is asked about, because most rules ask.
    private let askedOutsiders: [Recorded<Transaction>]

    /// - Parameter question: what is asked; its offers' lengths help where Apple's data does not state one.
    init(_ facts: SubjectFacts, at now: Instant, policy: Policy, question: Question? = nil) {
        let history = CurrentHistory(facts.history)
        self.history = history
        subscriptions = Self.subscriptions(of: history, at: now)
        let groupProducts = question?.groupProducts ?? []
        askedGroup = question?.subscriptionGroupIdentifier
        self.groupProducts = groupProducts
        askedOutsiders =
            question?.subscriptionGroupIdentifier.map { group in
                history.transactions.filter { $0.payload.isOutside(group, products: groupProducts) }
            } ?? []
        slots = facts.slots
        redemptions = RedemptionReader(
            facts: facts, subscriptions: subscriptions, offers: question.map { [$0.offer] + $0.offers } ?? [],
            takesHistoryAsProven: question?.takesHistoryAsProven ?? false
        ).redemptions()
        purchases = OwnPurchases(history.transactions)
        firstSeen = FirstSeen(history, purchases: purchases, firstStoredAt: facts.firstStoredAt)
        attributes = facts.attributes
        isComplete = facts.history.coverage.isProof(at: now, life: policy.coverageLife)
        self.policy = policy
    }

    /// Those without a group are in none of them; `outsiders` has them.
    static func subscriptions(
        of history: CurrentHistory, at now: Instant
    ) -> [SubscriptionGroupId: [Subscription]] {
        var groups: [SubscriptionGroupId: [TransactionId: [Recorded<Transaction>]]] = [:]
        for row in history.transactions where row.payload.isSubscription {
            guard let group = row.payload.subscriptionGroupIdentifier else { continue }
            groups[group, default: [:]][row.payload.originalTransactionId, default: []].append(row)
        }
        return groups.mapValues { originals in
            originals
                .compactMap { Subscription($0.value, latestInfo: history.renewalInfos[$0.key], at: now) }
                .sorted { $0.current.payload.purchaseOrder > $1.current.payload.purchaseOrder }
        }
    }

    /// Every transaction of a subscription in the group, by purchase date.
    func transactions(of group: SubscriptionGroupId) -> [Recorded<Transaction>] {
        history.transactions.filter { $0.payload.isSubscription && $0.payload.subscriptionGroupIdentifier == group }
    }

    /// Purchases that may belong to the group although they name another one or none: as long as there are any, nothing
    /// that the group lacks is proven (invariant 3).
    func outsiders(of group: SubscriptionGroupId) -> [Recorded<Transaction>] {
        group == askedGroup
            ? askedOutsiders : history.transactions.filter { $0.payload.isOutside(group, products: []) }
    }

    /// Whether the catalog has the product in the group, as far as the question says.
    func isProduct(_ product: ProductId, of group: SubscriptionGroupId) -> Bool {
        group == askedGroup && groupProducts.contains(product)
    }

    /// Why what is not known of the group is not proven to be absent; `nil` if it is.
    func doubt(about group: SubscriptionGroupId) -> ReasonCode? {
        if !outsiders(of: group).isEmpty { return .groupMismatch }
        return isComplete ? nil : .historyIncomplete
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
    /// Whether it may belong to the group, whose products these are, although it names another one or none.
    fileprivate func isOutside(_ group: SubscriptionGroupId, products: Set<ProductId>) -> Bool {
        guard isSubscription else { return false }
        guard let named = subscriptionGroupIdentifier else { return true }
        return named != group && products.contains(productId)
    }

    /// Old data may lack the type or the group, but only subscriptions have a group or an expiry.
    var isSubscription: Bool {
        guard let type else { return subscriptionGroupIdentifier != nil || expiresDate != nil }
        return type == .autoRenewableSubscription
    }
}

extension Coverage {
    /// Whether it proves an absence at `now` (DESIGN §5.1: it serves for so long after it was fetched or stated).
    func isProof(at now: Instant, life: Int64) -> Bool {
        guard level == .complete, let asOf else { return false }
        return now < asOf.adding(milliseconds: life)
    }
}

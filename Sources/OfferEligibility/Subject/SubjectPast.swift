import OfferModel

/// What a subject's facts say at any instant, whatever is asked: derived once for many questions.
final class SubjectPast: Sendable {
    let facts: SubjectFacts
    let history: CurrentHistory
    /// What the customer's own purchases say together.
    let purchases: OwnPurchases
    /// When the customer was first seen; `nil` for somebody of whom nothing is known.
    let firstSeen: FirstSeen?
    /// The subscriptions of each group.
    let groups: [SubscriptionGroupId: GroupPast]
    /// Every transaction of a subscription, by purchase date.
    let subscriptionRows: [Recorded<Transaction>]
    /// Of these, those that name no group.
    let ungrouped: [Recorded<Transaction>]
    /// Whether something Apple signed stands behind the subject.
    let isProven: Bool

    init(_ facts: SubjectFacts) {
        self.facts = facts
        let history = CurrentHistory(facts.history)
        self.history = history
        purchases = OwnPurchases(history.transactions)
        firstSeen = FirstSeen(history, purchases: purchases, firstStoredAt: facts.firstStoredAt)
        subscriptionRows = history.transactions.filter(\.isSubscription)
        ungrouped = subscriptionRows.filter { $0.payload.subscriptionGroupIdentifier == nil }
        groups = GroupPast.all(subscriptionRows, history.renewalInfos)
        isProven =
            history.transactions.contains { $0.provenance.isProven }
            || history.appTransactions.contains { $0.provenance.isProven && $0.payload.appTransactionId != nil }
    }
}

/// The purchases of one subscription group.
struct GroupPast: Sendable {
    /// Every transaction, by purchase date.
    fileprivate(set) var rows: [Recorded<Transaction>] = []
    /// The same by subscription.
    fileprivate(set) var subscriptions: [SubscriptionPast] = []
    /// How long the customer has paid for them.
    fileprivate(set) var paid = PaidTime([])
    private var originals = Places<TransactionId>()

    /// - Parameter rows: transactions of subscriptions; those without a group are in none.
    fileprivate static func all(
        _ rows: [Recorded<Transaction>], _ renewalInfos: [TransactionId: Recorded<RenewalInfo>]
    ) -> [SubscriptionGroupId: GroupPast] {
        var ids = Places<SubscriptionGroupId>()
        var groups: [GroupPast] = []
        for row in rows {
            guard let id = row.payload.subscriptionGroupIdentifier else { continue }
            let place = ids.place(of: id)
            if place == groups.count { groups.append(GroupPast()) }
            groups[place].add(row, renewalInfos)
        }
        for place in groups.indices { groups[place].paid = PaidTime(groups[place].rows) }
        return Dictionary(zip(ids.keys, groups)) { first, _ in first }
    }

    private mutating func add(
        _ row: Recorded<Transaction>, _ renewalInfos: [TransactionId: Recorded<RenewalInfo>]
    ) {
        let place = originals.place(of: row.payload.originalTransactionId)
        if place == subscriptions.count {
            let latest = renewalInfos[row.payload.originalTransactionId]
            subscriptions.append(SubscriptionPast(transactions: [], latestInfo: latest))
        }
        rows.append(row)
        subscriptions[place].transactions.append(row)
    }
}

/// The transactions that share an `originalTransactionId`, by purchase date, and the current renewal info.
struct SubscriptionPast: Sendable {
    fileprivate(set) var transactions: [Recorded<Transaction>]
    let latestInfo: Recorded<RenewalInfo>?
}

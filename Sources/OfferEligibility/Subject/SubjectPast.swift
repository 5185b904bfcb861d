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

    /// - Parameter rows: transactions of subscriptions; those without a group are in none.
    fileprivate static func all(
        _ rows: [Recorded<Transaction>], _ renewalInfos: [TransactionId: Recorded<RenewalInfo>]
    ) -> [SubscriptionGroupId: GroupPast] {
        let grouped = rows.filter { $0.payload.subscriptionGroupIdentifier != nil }
        return Dictionary(grouping: grouped) { $0.payload.subscriptionGroupIdentifier ?? "" }.mapValues { rows in
            var group = GroupPast()
            group.rows = rows
            group.subscriptions = Dictionary(grouping: rows) { $0.payload.originalTransactionId }.map {
                original, rows in
                SubscriptionPast(transactions: rows, latestInfo: renewalInfos[original])
            }
            group.paid = PaidTime(group.subscriptions)
            return group
        }
    }
}

/// The transactions that share an `originalTransactionId`, by purchase date, and the current renewal info.
struct SubscriptionPast: Sendable {
    let transactions: [Recorded<Transaction>]
    let latestInfo: Recorded<RenewalInfo>?
}

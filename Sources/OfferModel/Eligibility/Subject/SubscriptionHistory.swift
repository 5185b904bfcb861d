/// The meaning of a subject's facts at any instant, derived once for many questions.
final class SubscriptionHistory: Sendable {
    let facts: SubjectFacts
    let history: CurrentHistory
    let purchases: OwnPurchases
    /// `nil` for an unknown customer.
    let firstSeen: FirstSeen?
    let groups: [SubscriptionGroupId: GroupHistory]
    /// Every transaction of a subscription, by purchase date.
    let subscriptionRows: [Recorded<Transaction>]
    /// Of these, those that name no group.
    let withoutGroup: [Recorded<Transaction>]
    /// The places in the history of what was bought outside subscriptions, by product and then by purchase date.
    let otherPurchases: [ProductId: [Int]]
    /// Whether anything of the subject's history was signed by Apple.
    let isProven: Bool

    /// - Parameter countsPaidTime: whether ``GroupHistory/paid`` will be asked for.
    init(_ facts: SubjectFacts, countsPaidTime: Bool = true) {
        self.facts = facts
        let history = CurrentHistory(facts.history)
        self.history = history
        let walk = PurchaseWalk(history, countsPaidTime: countsPaidTime)
        purchases = walk.purchases
        firstSeen = FirstSeen(history, purchases: purchases, firstStoredAt: facts.firstStoredAt)
        let isAllSubscriptions = history.transactions.count == walk.subscriptionCount
        subscriptionRows = isAllSubscriptions ? history.transactions : history.transactions.filter(\.isSubscription)
        withoutGroup = walk.withoutGroup
        otherPurchases = walk.otherPurchases
        groups = walk.groups
        isProven = facts.history.isProven
    }
}

struct GroupHistory: Sendable {
    /// Every transaction, by purchase date.
    fileprivate(set) var rows: [Recorded<Transaction>] = []
    fileprivate(set) var subscriptions: [SubscriptionRows] = []
    /// Whether the customer bought one.
    fileprivate(set) var subscribed = OwnPurchases.Subscribed()
    fileprivate(set) var paid = PaidTime([])
    private var originals = IndexMap<TransactionId>()

    /// Its subscriptions at an instant, by the latest bought.
    func subscriptions(at instant: Instant) -> [Subscription] {
        subscriptions.compactMap { Subscription($0, at: instant) }.sorted { $1.current.wasBought(before: $0.current) }
    }

    fileprivate mutating func add(
        _ row: Recorded<Transaction>, _ history: CurrentHistory
    ) {
        let place = originals.place(of: row.payload.originalTransactionId)
        if place == subscriptions.count {
            let original = row.payload.originalTransactionId
            subscriptions.append(
                SubscriptionRows(
                    transactions: [], latestInfo: history.renewalInfos[original],
                    notified: history.notified.isEmpty ? nil : history.notified[original]))
        }
        rows.append(row)
        subscriptions[place].transactions.append(row)
    }
}

/// The transactions that share an `originalTransactionId`, by purchase date, and the current renewal info.
struct SubscriptionRows: Sendable {
    fileprivate(set) var transactions: [Recorded<Transaction>]
    let latestInfo: Recorded<RenewalInfo>?
    /// The newest that a notification has told the status of.
    let notified: Recorded<RenewalInfo>?
}

/// One pass over the transactions of a history for all that they say.
private struct PurchaseWalk {
    private(set) var purchases = OwnPurchases()
    /// Transactions of subscriptions that name no group.
    private(set) var withoutGroup: [Recorded<Transaction>] = []
    private(set) var otherPurchases: [ProductId: [Int]] = [:]
    private(set) var subscriptionCount = 0
    private var ids = IndexMap<SubscriptionGroupId>()
    private var found: [GroupHistory] = []

    init(_ history: CurrentHistory, countsPaidTime: Bool) {
        for place in history.transactions.indices { add(history.transactions[place], at: place, history) }
        guard countsPaidTime else { return }
        for place in found.indices { found[place].paid = PaidTime(found[place].rows) }
    }

    var groups: [SubscriptionGroupId: GroupHistory] { Dictionary(zip(ids.keys, found)) { first, _ in first } }

    private mutating func add(
        _ row: Recorded<Transaction>, at place: Int, _ history: CurrentHistory
    ) {
        let (isOwned, isSubscription) = (row.isOwned, row.isSubscription)
        if isOwned != false {
            purchases.add(row, at: place, isOwn: isOwned == true)
            if isSubscription { purchases.addSubscription(row, at: place, isOwn: isOwned == true) }
        }
        guard isSubscription else {
            otherPurchases[row.payload.productId, default: []].append(place)
            return
        }
        subscriptionCount += 1
        guard let id = row.payload.subscriptionGroupIdentifier else {
            withoutGroup.append(row)
            return
        }
        let group = ids.place(of: id)
        if group == found.count { found.append(GroupHistory()) }
        found[group].add(row, history)
        if isOwned != false { found[group].subscribed.add(place, isOwn: isOwned == true) }
    }
}

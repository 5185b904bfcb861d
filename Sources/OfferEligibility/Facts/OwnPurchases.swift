import OfferModel

/// What all purchases of a customer say together, found in one pass over the history.
///
/// What came through Family Sharing is not the customer's own and says nothing here. A row of an ownership that Apple
/// added later might be: it leaves open what the others do not show.
struct OwnPurchases: Sendable {
    /// A date with the place of the row that shows it.
    struct Dated: Sendable {
        let date: Instant
        let row: Int
    }

    /// Subscriptions, of one group or of all.
    struct Subscribed: Sendable {
        /// The first row of one that was bought.
        fileprivate(set) var own: Int?
        /// Whether one might have been bought.
        fileprivate(set) var isUncertain = false
    }

    /// The earliest purchase that a row proves; a renewal's row also tells when its subscription was first bought.
    private(set) var first: Dated?
    /// Whether an earlier one may have been the customer's own.
    private(set) var isFirstUncertain = false
    /// The newest purchase that names its storefront.
    private(set) var storefront: (code: String, row: Int)?
    /// Refunds by purchase; what the family's owner lost is none.
    private(set) var refunds: [Dated] = []
    /// Whether there may be more of them.
    private(set) var areRefundsUncertain = false
    /// Subscriptions of any group.
    private(set) var anySubscription = Subscribed()
    /// Subscriptions with a row of unknown ownership.
    private(set) var uncertain: Set<TransactionId> = []
    /// Whether a subscription names no group, so that its offers are in none.
    private(set) var hasUngrouped = false
    private var groups = Places<SubscriptionGroupId>()
    private var inGroups: [Subscribed] = []

    /// - Parameter transactions: by purchase date.
    init(_ transactions: [Recorded<Transaction>]) {
        var uncertainFirst: Instant?
        for row in transactions.indices {
            let isOwned = transactions[row].isOwned
            guard isOwned != false else { continue }
            let isOwn = isOwned == true
            let date = transactions[row].firstBought
            if !isOwn {
                uncertainFirst = min(uncertainFirst ?? date, date)
            } else if first.map({ date < $0.date }) ?? true {
                first = Dated(date: date, row: row)
            }
            if isOwn, let code = transactions[row].payload.storefront { storefront = (code, row) }
            if let revoked = transactions[row].payload.revocationDate, let isRefund = transactions[row].isRefund {
                if isRefund, isOwn { refunds.append(Dated(date: revoked, row: row)) }
                if isRefund, !isOwn { areRefundsUncertain = true }
            } else if transactions[row].payload.revocationDate != nil {
                areRefundsUncertain = true
            }
            if transactions[row].isSubscription { addSubscription(transactions, row, isOwn: isOwn) }
        }
        if let uncertainFirst { isFirstUncertain = first.map { uncertainFirst < $0.date } ?? true }
    }

    private mutating func addSubscription(_ transactions: [Recorded<Transaction>], _ row: Int, isOwn: Bool) {
        anySubscription.add(row, isOwn: isOwn)
        if !isOwn { uncertain.insert(transactions[row].payload.originalTransactionId) }
        guard let group = transactions[row].payload.subscriptionGroupIdentifier else {
            hasUngrouped = true
            return
        }
        let place = groups.place(of: group)
        if place == inGroups.count { inGroups.append(Subscribed()) }
        inGroups[place].add(row, isOwn: isOwn)
    }

    /// Subscriptions of one group; `nil` if none is known.
    func subscribed(in group: SubscriptionGroupId) -> Subscribed? {
        groups.keys.firstIndex(of: group).map { inGroups[$0] }
    }
}

extension OwnPurchases.Subscribed {
    fileprivate mutating func add(_ row: Int, isOwn: Bool) {
        if !isOwn {
            isUncertain = true
        } else if own == nil {
            own = row
        }
    }
}

extension Recorded<Transaction> {
    fileprivate var firstBought: Instant {
        payload.originalPurchaseDate.map { min($0, payload.purchaseDate) } ?? payload.purchaseDate
    }

    /// Whether what took it back was a refund: not where a share or an assignment ended. `nil` for a kind that Apple
    /// added later; before there were kinds, every one was a refund.
    var isRefund: Bool? {
        guard let kind = payload.revocationType else { return true }
        if kind == .familyRevoke || kind == .assignmentRevoke { return false }
        return kind == .refundFull || kind == .refundProrated ? true : nil
    }
}

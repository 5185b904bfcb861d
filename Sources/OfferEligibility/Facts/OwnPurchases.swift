import OfferModel

/// What all purchases of a customer say together.
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
    /// The newest purchase that names its storefront.
    private(set) var storefront: Int?
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
    /// The earliest purchase that may have been the customer's own.
    private var firstUncertain: Instant?

    /// Whether an earlier one than the first may have been the customer's own.
    var isFirstUncertain: Bool {
        firstUncertain.map { uncertain in first.map { uncertain < $0.date } ?? true } ?? false
    }

    /// Adds a row that is not shared, the rows by purchase date.
    mutating func add(_ row: Recorded<Transaction>, at place: Int, isOwn: Bool) {
        let date = row.firstBought
        if !isOwn {
            firstUncertain = min(firstUncertain ?? date, date)
        } else if first.map({ date < $0.date }) ?? true {
            first = Dated(date: date, row: place)
        }
        if isOwn, row.payload.storefront != nil { storefront = place }
        if let revoked = row.payload.revocationDate { addRevocation(of: row, at: place, revoked, isOwn: isOwn) }
    }

    /// Adds what such a row of a subscription says besides.
    mutating func addSubscription(_ row: Recorded<Transaction>, at place: Int, isOwn: Bool) {
        anySubscription.add(place, isOwn: isOwn)
        if !isOwn { uncertain.insert(row.payload.originalTransactionId) }
        if row.payload.subscriptionGroupIdentifier == nil { hasUngrouped = true }
    }

    private mutating func addRevocation(
        of row: Recorded<Transaction>, at place: Int, _ revoked: Instant, isOwn: Bool
    ) {
        guard let isRefund = row.isRefund else {
            areRefundsUncertain = true
            return
        }
        if isRefund, isOwn { refunds.append(Dated(date: revoked, row: place)) }
        if isRefund, !isOwn { areRefundsUncertain = true }
    }
}

extension OwnPurchases.Subscribed {
    mutating func add(_ row: Int, isOwn: Bool) {
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

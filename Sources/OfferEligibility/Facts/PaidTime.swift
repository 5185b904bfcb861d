import OfferModel

/// How long the customer has paid for subscriptions of a group.
///
/// Apple does not publish its arithmetic; ours: every period bought by the customer counts that was neither free nor
/// refunded in full, in full also while it runs; one cut short by an upgrade or a prorated refund counts until then.
/// Each period counts its whole calendar months, and 30 days of what remains of all periods make another month.
struct PaidTime {
    /// Periods paid for.
    private(set) var periods = 0
    /// Whether there are periods of which it is not known whether they were paid for: then there may be more.
    private(set) var isPartial = false
    private var wholeMonths = 0
    private var remainder: Int64 = 0

    private static let daysOfAMonth: Int64 = 30

    init(_ subscriptions: [Subscription]) {
        for subscription in subscriptions {
            let transactions = subscription.transactions.map(\.payload)
            for (index, transaction) in transactions.enumerated() {
                let following = index + 1 < transactions.count ? transactions[index + 1].purchaseDate : nil
                add(transaction, before: following)
            }
        }
    }

    /// Whole months paid for.
    var months: Int { wholeMonths + Int(remainder / (Self.daysOfAMonth * Instant.Duration.day)) }

    private mutating func add(_ transaction: Transaction, before following: Instant?) {
        guard transaction.isOwned != false, transaction.isFree != true, transaction.price != 0 else { return }
        if transaction.revocationDate != nil, transaction.revocationType != .refundProrated { return }
        guard var end = transaction.expiresDate else { return }
        if let revoked = transaction.revocationDate { end = min(end, revoked) }
        if transaction.isUpgraded, let following { end = min(end, following) }
        guard end > transaction.purchaseDate else { return }
        if transaction.isOwned == nil || transaction.offerType != nil && transaction.isFree == nil {
            isPartial = true
            return
        }
        periods += 1
        let whole = end.months(since: transaction.purchaseDate)
        wholeMonths += whole
        remainder += end.milliseconds(since: transaction.purchaseDate.adding(months: whole))
    }
}

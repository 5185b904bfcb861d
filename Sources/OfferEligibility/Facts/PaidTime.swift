import OfferModel

/// How long the customer has paid for subscriptions of a group.
///
/// Apple does not publish its arithmetic; ours: every period bought by the customer counts that was neither free nor
/// refunded in full, in full also while it runs; one cut short by an upgrade or a prorated refund counts until then.
/// Each period counts its whole calendar months, and 30 days of what remains of all periods make another month.
struct PaidTime: Sendable {
    /// Periods paid for.
    private(set) var periods = 0
    /// Whether there are periods of which it is not known whether they were paid for: then there may be more.
    private(set) var isPartial = false
    private var wholeMonths = 0
    private var remainder: Int64 = 0

    private static let daysOfAMonth: Int64 = 30

    init(_ subscriptions: [SubscriptionPast]) {
        for subscription in subscriptions {
            let rows = subscription.transactions
            for index in rows.indices {
                add(rows[index], before: index + 1 < rows.count ? rows[index + 1].payload.purchaseDate : nil)
            }
        }
    }

    /// Whole months paid for.
    var months: Int { wholeMonths + Int(remainder / (Self.daysOfAMonth * Instant.Duration.day)) }

    private mutating func add(_ row: Recorded<Transaction>, before following: Instant?) {
        let (isOwned, isFree) = (row.isOwned, row.isFree)
        guard isOwned != false, isFree != true, row.payload.price != 0 else { return }
        if row.payload.revocationDate != nil, row.payload.revocationType != .refundProrated { return }
        guard var end = row.payload.expiresDate else { return }
        if let revoked = row.payload.revocationDate { end = min(end, revoked) }
        if row.payload.isUpgraded, let following { end = min(end, following) }
        let start = row.payload.purchaseDate
        guard end > start else { return }
        if isOwned == nil || row.payload.offerType != nil && isFree == nil {
            isPartial = true
            return
        }
        periods += 1
        let whole = end.months(since: start)
        wholeMonths += whole
        remainder += end.milliseconds(since: start.adding(months: whole))
    }
}

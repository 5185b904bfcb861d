import OfferModel

/// How long the customer has paid for subscriptions of a group.
///
/// Apple does not publish its arithmetic; ours: every period bought by the customer counts that was neither free nor
/// refunded in full, in full also while it runs; one cut short by an upgrade or a prorated refund counts until then. What
/// an upgrade that is not known has replaced, a period without an end, and one taken back in a way that is not known here
/// may count, and nobody knows how much.
/// Each period counts its whole calendar months, and 30 days of what remains of all periods make another month.
struct PaidTime: Sendable {
    /// Periods paid for.
    private(set) var periods = 0
    /// Whether there are periods of which it is not known whether they were paid for: then there may be more.
    private(set) var isPartial = false
    private var wholeMonths = 0
    private var remainder: Int64 = 0

    private static let daysOfAMonth: Int64 = 30

    /// - Parameter rows: of the whole group, because an upgrade may begin a subscription of its own.
    init(_ rows: [Recorded<Transaction>]) {
        for row in rows {
            add(row, before: row.payload.isUpgraded ? Self.purchase(after: row, in: rows) : nil)
        }
    }

    /// Whole months paid for.
    var months: Int {
        wholeMonths.saturatingAdding(Int(remainder / (Self.daysOfAMonth * Instant.Duration.day)))
    }

    private static func purchase(after row: Recorded<Transaction>, in rows: [Recorded<Transaction>]) -> Instant? {
        rows.lazy.filter { $0.isOwned != false && $0.payload.purchaseDate > row.payload.purchaseDate }
            .map(\.payload.purchaseDate).min()
    }

    private mutating func add(_ row: Recorded<Transaction>, before following: Instant?) {
        let (isOwned, isFree) = (row.isOwned, row.isFree)
        guard isOwned != false, isFree != true, row.payload.price != 0 else { return }
        if row.payload.revocationDate != nil, row.payload.revocationType != .refundProrated {
            if row.isRefund == nil { isPartial = true }
            return
        }
        guard var end = row.payload.expiresDate, !row.payload.isUpgraded || following != nil else {
            isPartial = true
            return
        }
        if let revoked = row.payload.revocationDate { end = min(end, revoked) }
        if row.payload.isUpgraded, let following { end = min(end, following) }
        let start = row.payload.purchaseDate
        guard end > start else { return }
        if isOwned == nil || row.payload.offerType != nil && isFree == nil {
            isPartial = true
            return
        }
        periods += 1
        let (months, rest) = end.monthsAndRest(since: start)
        wholeMonths = wholeMonths.saturatingAdding(months)
        remainder = remainder.saturatingAdding(rest)
    }
}

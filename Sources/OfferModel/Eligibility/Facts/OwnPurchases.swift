/// The facts of all purchases of a customer together.
///
/// A purchase through Family Sharing is not the customer's own and does not count here. A row of an ownership that
/// Apple added later might be: it leaves open what the others do not show.
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
    private(set) var areRefundsUncertain = false
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
}

/// How long the customer has paid for subscriptions of a group.
///
/// Apple does not publish its arithmetic. Ours: every period bought by the customer counts in full, while it runs too,
/// unless it was free or refunded in full; one that an upgrade replaced or a prorated refund cut short counts until then.
/// Periods replaced at an unknown time, without an end, or taken back in an unknown way may count, by an unknown length.
/// Each period counts its whole calendar months, and 30 days of what remains of all periods make another month.
struct PaidTime: Sendable {
    private(set) var periods = 0
    /// Whether there are periods of which it is not known whether they were paid for: then there may be more.
    private(set) var isPartial = false
    private var wholeMonths = 0
    private var remainder: Int64 = 0

    private static let daysOfAMonth: Int64 = 30

    /// - Parameter rows: of the whole group, because an upgrade may begin a subscription of its own.
    init(_ rows: [Recorded<Transaction>]) {
        for (place, row) in rows.enumerated() where !Self.isCounted(place, in: rows) {
            add(row, before: row.payload.isUpgraded ? Self.upgrade(after: place, in: rows) : nil)
        }
    }

    /// Whether an earlier transaction of the same period, as of a plan with more seats, counts already.
    private static func isCounted(_ place: Int, in rows: [Recorded<Transaction>]) -> Bool {
        let original = rows[place].payload.originalTransactionId
        for earlier in (0..<place).reversed() where rows[earlier].payload.originalTransactionId == original {
            guard rows[earlier].isOfSamePeriod(as: rows[place]) else { return false }
            if mayCount(rows[earlier]), !isTakenBack(rows[earlier]) { return true }
        }
        return false
    }

    private static func mayCount(_ row: Recorded<Transaction>) -> Bool {
        row.isOwned != false && row.isFree != true && row.payload.price != 0
    }

    private static func isTakenBack(_ row: Recorded<Transaction>) -> Bool {
        row.payload.revocationDate != nil && row.payload.revocationType != .refundProrated
    }

    var months: Int {
        wholeMonths.saturatingAdding(Int(remainder / (Self.daysOfAMonth * Instant.Duration.day)))
    }

    /// When a period was replaced: by the purchase that comes next. Before a renewal comes a purchase that is not known.
    ///
    /// It is one of the same subscription, or where none follows, of another one that the upgrade began.
    private static func upgrade(after place: Int, in rows: [Recorded<Transaction>]) -> Instant? {
        let later = rows[(place + 1)...].lazy.filter { $0.isOwned != false && !$0.isOfSamePeriod(as: rows[place]) }
        let own = later.first {
            $0.payload.originalTransactionId == rows[place].payload.originalTransactionId
        }
        let next = own ?? later.first
        return next?.payload.transactionReason == .renewal ? nil : next?.payload.purchaseDate
    }

    private mutating func add(_ row: Recorded<Transaction>, before following: Instant?) {
        let (isOwned, isFree) = (row.isOwned, row.isFree)
        guard Self.mayCount(row) else { return }
        if Self.isTakenBack(row) {
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

/// The periods that an upgrade ended although Apple's data does not say so.
///
/// Apple marks such a period only when it signs it again: notifications of the upgrade do not, and receipts and exports
/// often have no mark at all (docs/eligibility.md#purchases-and-copies).
struct ReplacedPeriods {
    /// By purchase date.
    private(set) var rows: [Recorded<Transaction>]

    /// Marks each period as upgraded that another one replaced.
    ///
    /// - Parameter purchases: one row a purchase, by purchase date.
    init(in purchases: [Recorded<Transaction>]) {
        rows = purchases
        takeCancellationsAsUpgrades()
        markWhatRanOn()
        rows.sort { $0.wasBought(before: $1) }
    }

    /// A legacy receipt and many exports call the end by an upgrade a cancellation, with its refund. Only the time tells:
    /// another product of the group was bought within a minute.
    private mutating func takeCancellationsAsUpgrades() {
        for place in rows.indices {
            guard let cancelled = rows[place].uncertainCancellation else { continue }
            let earliest = cancelled.adding(milliseconds: -Instant.Duration.minute)
            let first = rows.firstPlace { $0.payload.purchaseDate >= earliest }
            let near = rows[first...].prefix {
                $0.payload.purchaseDate <= cancelled.adding(milliseconds: Instant.Duration.minute)
            }
            if near.contains(where: { $0.isOtherProduct(boughtDuring: rows[place]) }) {
                rows[place] = rows[place].asUpgraded(keepingRevocation: false)
            }
        }
    }

    private mutating func markWhatRanOn() {
        var subscriptions = IndexMap<TransactionId>()
        // By subscription, the periods that run, each with the places of its transactions: added seats have their own.
        var running: [[[Int]]] = []
        for place in rows.indices where rows[place].payload.expiresDate != nil {
            let subscription = subscriptions.place(of: rows[place].payload.originalTransactionId)
            if subscription == running.count { running.append([]) }
            for period in running[subscription] {
                if rows[place].replaces(rows[period[0]]) {
                    for earlier in period { mark(earlier) }
                } else if rows[period[0]].replaces(rows[place]) {
                    mark(place)
                }
            }
            running[subscription].removeAll { period in
                rows[period[0]].payload.isUpgraded
                    || !period.contains { rows[$0].runs(at: rows[place].payload.purchaseDate) }
            }
            guard !rows[place].payload.isUpgraded else { continue }
            let own = running[subscription].firstIndex { rows[place].isOfSamePeriod(as: rows[$0[0]]) }
            if let own {
                running[subscription][own].append(place)
            } else {
                running[subscription].append([place])
                if running[subscription].count > Self.mostRunning { running[subscription].removeFirst() }
            }
        }
    }

    private mutating func mark(_ place: Int) { rows[place] = rows[place].asUpgraded(keepingRevocation: true) }

    /// The most periods of one subscription that run at the same time and replace none; Apple's histories have fewer.
    private static let mostRunning = 16
}

extension Recorded<Transaction> {
    /// When it was cancelled, if that may have been by an upgrade: not where it was refunded for an issue in the app.
    fileprivate var uncertainCancellation: Instant? {
        guard !provenance.isProven, !payload.isUpgraded, payload.revocationType == nil, payload.revocationReason != 1
        else { return nil }
        return payload.revocationDate
    }

    fileprivate func isOtherProduct(boughtDuring period: Recorded) -> Bool {
        payload.productId != period.payload.productId && isInGroup(of: period)
            && payload.purchaseDate >= period.payload.purchaseDate
            && period.payload.expiresDate.map { payload.purchaseDate < $0 } ?? false
    }

    private func isInGroup(of other: Recorded) -> Bool {
        guard let own = payload.subscriptionGroupIdentifier, let theirs = other.payload.subscriptionGroupIdentifier
        else { return payload.originalTransactionId == other.payload.originalTransactionId }
        return own == theirs
    }

    fileprivate func runs(at instant: Instant) -> Bool { payload.ends.map { instant < $0 } ?? false }

    /// Whether it is what replaced an earlier period of its subscription. What begins in a period before a renewal of it
    /// can is not a renewal. Of two periods that begin together, the one with the later id replaced the other.
    fileprivate func replaces(_ earlier: Recorded) -> Bool {
        guard !earlier.payload.isUpgraded, earlier.runs(at: payload.purchaseDate), isInGroup(of: earlier),
            provenance.isProven || !earlier.provenance.isProven, !isOfSamePeriod(as: earlier)
        else { return false }
        let begins = payload.purchaseDate
        if begins <= earlier.payload.purchaseDate {
            guard begins == earlier.payload.purchaseDate,
                earlier.payload.transactionId.wasGiven(before: payload.transactionId)
            else { return false }
        }
        let isOther = payload.productId != earlier.payload.productId
        switch payload.transactionReason {
        case .purchase? where isOther: return true
        case .renewal? where !isOther: return false
        default: return earlier.payload.earliestRenewal.map { begins < $0 } ?? false
        }
    }

    fileprivate func asUpgraded(keepingRevocation isRevoked: Bool) -> Recorded {
        var changed = payload
        changed.isUpgraded = true
        if !isRevoked { (changed.revocationDate, changed.revocationReason) = (nil, nil) }
        return with(changed)
    }
}

extension Transaction {
    /// When the period ends, or was taken back.
    var ends: Instant? { [expiresDate, revocationDate].compactMap(\.self).min() }

    /// When its renewal may be charged: up to a day before the end. In Sandbox periods are minutes, so of a short period
    /// the last quarter.
    var earliestRenewal: Instant? {
        expiresDate.map { expires in
            let length = expires.milliseconds(since: purchaseDate)
            return expires.adding(milliseconds: -min(Instant.Duration.day, length / 4))
        }
    }
}

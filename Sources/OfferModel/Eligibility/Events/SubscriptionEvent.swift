/// An event of one subscription or another purchase, past or about to happen (docs/events.md).
public struct SubscriptionEvent: Sendable, Hashable {
    public var type: EventType
    /// Identifies it among the events of this type and subscription: a transaction, or the date it is about.
    public var cause: String
    /// The instant that the type names: when the trial or grace ends, access ended, or Apple dates the change.
    public var at: Instant
    /// The period that it is about.
    public var transaction: Transaction
    public var previousProductId: ProductId?
    public var willAutoRenew: Bool?
    /// The end of access after a failed payment.
    public var graceEnds: Instant?
    /// The state of the subscription group once access is lost.
    public var state: SubscriptionStateName?

    /// Of how long ago a change is still news when it becomes known, in milliseconds.
    public static let newsLife = 3 * Instant.Duration.day
}

extension SubscriptionEvent {
    /// The events that new data of one subscription shows, compared with the data before it.
    ///
    /// Only what Apple has signed counts, and only what is recent: the history of a customer who is seen for the first
    /// time is not news. Data without anything new yields nothing, so repeats yield nothing.
    ///
    /// - Parameters:
    ///   - before: everything that was known of the subscription; `after` with the new data.
    public static func changes(from before: History, to after: History, at now: Instant) -> [SubscriptionEvent] {
        let change = SubscriptionChange(
            before: CurrentHistory(before), after: CurrentHistory(after), since: now.adding(milliseconds: -newsLife))
        return (change.periods + change.refunds + change.renewals + change.failedPayments + change.otherPurchases)
            .sorted { $0.at < $1.at }
    }
}

private struct SubscriptionChange {
    let before: CurrentHistory
    let after: CurrentHistory
    let since: Instant

    /// Periods that follow the newest one that was known. Of a subscription that was unknown only the newest may be
    /// news.
    var periods: [SubscriptionEvent] {
        let rows = after.transactions.filter(\.isSubscription)
        let known = before.transactions.last(where: \.isSubscription)
        let newest = known.flatMap { after.purchases.purchase($0.payload.transactionId) }
        return rows.indices.flatMap { place -> [SubscriptionEvent] in
            let row = rows[place]
            let isNew =
                newest.map { $0.wasBought(before: row) && !row.isOfSamePeriod(as: $0) } ?? (place == rows.count - 1)
            guard isNew, row.provenance.isProven, row.payload.purchaseDate >= since else { return [] }
            let earlier = rows[..<place].filter { !$0.isOfSamePeriod(as: row) }
            var begun = row.starts(after: earlier) ? [event(.started, of: row)] : []
            begun += events(of: row, after: earlier.last?.payload)
            return begun
        }
    }

    private func event(_ type: EventType, of row: Recorded<Transaction>, at instant: Instant? = nil)
        -> SubscriptionEvent
    {
        SubscriptionEvent(
            type: type, cause: row.payload.transactionId.rawValue, at: instant ?? row.payload.purchaseDate,
            transaction: row.payload, willAutoRenew: info(of: row.payload, after)?.payload.renews)
    }

    private func events(of row: Recorded<Transaction>, after previous: Transaction?) -> [SubscriptionEvent] {
        let (renewed, period) = (event(.renewed, of: row), row.payload)
        guard let previous else { return period.transactionReason == .renewal ? [renewed] : [] }
        guard previous.productId != period.productId else { return [renewed] }
        var changed = renewed
        changed.type = .productChanged
        changed.previousProductId = previous.productId
        // An upgrade ends the period before it and renews nothing.
        return previous.isUpgraded ? [changed] : [renewed, changed]
    }

    var refunds: [SubscriptionEvent] {
        let known = Set(before.transactions.filter { !$0.isKept }.flatMap(before.purchases.ids))
        return after.transactions.compactMap { row in
            guard let refundedAt = row.payload.revocationDate, refundedAt >= since, row.isSubscription,
                row.isRefund == true, row.provenance.isProven, known.isDisjoint(with: after.purchases.ids(of: row))
            else { return nil }
            return SubscriptionEvent(
                type: .refunded, cause: row.payload.transactionId.rawValue, at: refundedAt, transaction: row.payload)
        }
    }

    /// Auto-renewal that was turned off or on again, by the newest renewal info.
    var renewals: [SubscriptionEvent] {
        guard let newest = after.transactions.last(where: \.isSubscription)?.payload,
            let told = info(of: newest, after), told.provenance.isProven, told.payload.signedDate >= since,
            let known = info(of: newest, before), known.payload.signedDate < told.payload.signedDate,
            let isOn = told.payload.renews, let wasOn = known.payload.renews, isOn != wasOn
        else { return [] }
        // Apple turns it off too when a payment has finally failed or the product is gone.
        let reason = told.payload.expirationIntent ?? .customerCancelled
        guard isOn || reason == .customerCancelled else { return [] }
        let date = told.payload.signedDate
        return [
            SubscriptionEvent(
                type: isOn ? .resumed : .cancelled, cause: "\(date.milliseconds)", at: date, transaction: newest,
                willAutoRenew: isOn)
        ]
    }

    /// A renewal that could not be charged, once for each period that it should have followed.
    var failedPayments: [SubscriptionEvent] {
        guard let period = after.transactions.last(where: \.isSubscription), let expires = period.payload.expiresDate,
            let told = info(of: period.payload, after), told.provenance.isProven, told.payload.signedDate >= since,
            told.payload.isInBillingRetryPeriod == true,
            told.payload.signedDate > period.payload.earliestRenewal ?? expires,
            before.transactions.contains(where: \.isSubscription)
        else { return [] }
        let known = info(of: period.payload, before)?.payload
        if known?.isInBillingRetryPeriod == true, known?.renewalDate == told.payload.renewalDate { return [] }
        // Apple leaves the date of grace that is over.
        let graceEnds = told.payload.gracePeriodExpiresDate.flatMap { $0 > told.payload.signedDate ? $0 : nil }
        return [
            SubscriptionEvent(
                type: .paymentFailed, cause: "\(expires.milliseconds)", at: told.payload.signedDate,
                transaction: period.payload, willAutoRenew: told.payload.renews, graceEnds: graceEnds)
        ]
    }

    /// The events of products outside subscription groups.
    var otherPurchases: [SubscriptionEvent] {
        let known = Dictionary(
            before.transactions.filter { !$0.isSubscription }.flatMap { row in
                before.purchases.ids(of: row).map { ($0, row) }
            }
        ) { first, _ in first }
        return after.transactions.filter { !$0.isSubscription && $0.provenance.isProven }
            .flatMap { row -> [SubscriptionEvent] in
                let before = after.purchases.ids(of: row).lazy.compactMap { known[$0] }.first
                var events: [SubscriptionEvent] = []
                // A restored purchase has a new date.
                let bought = min(row.payload.purchaseDate, row.payload.originalPurchaseDate ?? row.payload.purchaseDate)
                if before == nil, row.isOwned != false, bought >= since {
                    events.append(event(.purchaseMade, of: row))
                }
                if before?.isKept != false, let revoked = row.payload.revocationDate, revoked >= since {
                    events.append(
                        event(row.isRefund == true ? .purchaseRefunded : .purchaseRevoked, of: row, at: revoked))
                }
                return events
            }
    }

    private func info(of transaction: Transaction, _ history: CurrentHistory) -> Recorded<RenewalInfo>? {
        history.renewalInfos[transaction.originalTransactionId]
    }
}

extension Recorded<Transaction> {
    /// Whether a subscription begins with it: the customer's first period that was paid for, or one bought after a lapse.
    ///
    /// - Parameter earlier: the periods before it, by purchase date. Without any, a renewal shows that some are not known.
    fileprivate func starts(after earlier: [Recorded]) -> Bool {
        guard isOwned == true else { return false }
        let isRenewal = payload.transactionReason == .renewal
        guard let previous = earlier.last else { return !isRenewal && isPaid }
        if !isRenewal, let ended = previous.payload.ends, ended < payload.purchaseDate { return true }
        return isPaid && earlier.allSatisfy { $0.isFree == true }
    }

    /// As far as the offer and the price tell; a period without either was paid for.
    var isPaid: Bool { isFree.map { !$0 } ?? (payload.offerType == nil) }
}

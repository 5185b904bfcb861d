/// One subscription of a group: the transactions that share an `originalTransactionId`, and its renewal info.
struct Subscription: Sendable {
    /// By purchase date.
    let transactions: [Recorded<Transaction>]
    /// The transaction of the period that had begun last, replaced by no upgrade. Apple charges up to a day before a
    /// period begins, so there may be later ones: they only say that the subscription goes on. Of several transactions
    /// of that period, the one that is not revoked, or was so last.
    let current: Recorded<Transaction>
    /// Whether the period that had begun last was replaced by an upgrade that is not among these.
    let isSuperseded: Bool
    /// The current renewal info, if it is not older than the current transaction.
    let renewalInfo: Recorded<RenewalInfo>?
    /// The current renewal info, however old.
    let latestInfo: Recorded<RenewalInfo>?
    private let rows: SubscriptionRows

    /// `nil` without transactions.
    init?(_ rows: SubscriptionRows, at instant: Instant) {
        let (transactions, latestInfo) = (rows.transactions, rows.latestInfo)
        self.rows = rows
        let begun = transactions.lastIndex { $0.payload.purchaseDate <= instant } ?? 0
        guard let last = transactions.dropFirst(begun).first else { return nil }
        self.transactions = transactions
        self.latestInfo = latestInfo
        let chosen = transactions[begun...].firstIndex { !$0.payload.isUpgraded }
        isSuperseded = chosen == nil
        current = chosen.map { transactions.lastRevoked(inPeriodOf: $0) } ?? last
        // Apple charges up to a day before the period begins, so renewal info may be signed before the purchase date.
        let known = min(current.payload.purchaseDate, current.payload.signedDate)
        renewalInfo = latestInfo.flatMap { $0.payload.signedDate >= known ? $0 : nil }
    }

    /// The same at another instant.
    func seen(at instant: Instant) -> Subscription {
        Subscription(rows, at: instant) ?? self
    }

    /// When it was first bought, as far as is known.
    var startedAt: Instant {
        transactions.reduce(current.payload.purchaseDate) { earliest, row in
            min(earliest, row.payload.purchaseDate, row.payload.originalPurchaseDate ?? earliest)
        }
    }

    /// Whether the first purchase cannot turn out to be earlier: Apple says when it was, or it is among those known.
    var isStartKnown: Bool {
        transactions.contains {
            $0.payload.originalPurchaseDate != nil || $0.payload.transactionId == $0.payload.originalTransactionId
        }
    }

    /// The periods that were charged and begin after the current one's.
    var upcoming: ArraySlice<Recorded<Transaction>> {
        let past = transactions.lastIndex {
            $0.payload.purchaseDate <= current.payload.purchaseDate || $0.isOfSamePeriod(as: current)
        }
        return transactions[(past.map { $0 + 1 } ?? transactions.startIndex)...]
    }

    /// Whether it will renew; `nil` if unknown.
    var willAutoRenew: Bool? {
        renewalInfo?.payload.renews
    }

    /// Whether another billing period follows the one that ends at `end`: within a commitment the periods go on
    /// although the commitment itself was cancelled.
    func continues(after end: Instant) -> Bool? {
        if !upcoming.isEmpty { return true }
        guard let info = renewalInfo?.payload else { return nil }
        if let commitmentEnds, end < commitmentEnds { return info.autoRenewStatus?.isOn }
        return willAutoRenew
    }

    /// When the 12-month commitment ends, if there is one.
    var commitmentEnds: Instant? {
        current.payload.commitmentInfo?.commitmentExpiresDate
            ?? renewalInfo?.payload.commitmentInfo?.commitmentRenewalDate
    }

    var pendingProductId: ProductId? {
        guard let info = renewalInfo?.payload, willAutoRenew != false else { return nil }
        let next = info.commitmentInfo?.commitmentAutoRenewProductId ?? info.autoRenewProductId
        return next == current.payload.productId ? nil : next
    }

    var renewalPrice: Money? {
        guard let info = renewalInfo?.payload, let price = info.renewalPrice, let currency = info.currency else {
            return nil
        }
        return Money(milliunits: price, currency: currency)
    }
}

extension Recorded<Transaction> {
    /// Whether both are transactions of one period. A customer who adds seats to a multiseat plan gets another
    /// transaction with the same end, which replaces none (Apple: `additionalTransactionReason`).
    public func isOfSamePeriod(as other: Recorded) -> Bool {
        payload.expiresDate == other.payload.expiresDate && payload.expiresDate != nil
            && payload.isUpgraded == other.payload.isUpgraded && payload.productId == other.payload.productId
            && payload.originalTransactionId == other.payload.originalTransactionId
    }
}

extension [Recorded<Transaction>] {
    /// Of the transactions of a period, given by the place of its last one, the first that is not revoked, else the
    /// last to be so: a period is revoked only when each of them is (Apple: `revokedSeatQuantity`).
    fileprivate func lastRevoked(inPeriodOf place: Int) -> Recorded<Transaction> {
        self[..<place].reversed().prefix { $0.isOfSamePeriod(as: self[place]) }.reduce(self[place]) { held, earlier in
            let (own, other) = (held.payload.revocationDate, earlier.payload.revocationDate)
            return (other ?? .distantFuture) >= (own ?? .distantFuture) ? earlier : held
        }
    }
}

extension AutoRenewStatus {
    /// `nil` for a value Apple added later.
    fileprivate var isOn: Bool? {
        switch self {
        case .on: true
        case .off: false
        default: nil
        }
    }
}

extension Subscription {
    /// When access ends: the later of expiry and grace, or a revocation before it. `nil` if the transaction has no
    /// expiry and was not revoked.
    var accessEnds: Instant? {
        let revoked = current.payload.revocationDate
        guard let expires = current.payload.expiresDate else { return revoked }
        let ends = max(expires, graceEnds ?? expires)
        return revoked.map { min($0, ends) } ?? ends
    }

    /// The instants at which the state can change without an event, those of periods charged early included.
    func transitions(_ policy: Policy) -> [Instant] {
        let upcoming = upcoming.map(\.payload.purchaseDate)
        return upcoming + ([self] + upcoming.map(seen)).flatMap { $0.ownTransitions(policy) }
    }

    private func ownTransitions(_ policy: Policy) -> [Instant] {
        [
            current.payload.expiresDate, current.payload.revocationDate, accessEnds, graceEnds,
            current.payload.expiresDate?.adding(milliseconds: billingRetryLife(policy)), endOfOpenGrace(policy),
        ].compactMap(\.self)
    }

    /// When grace ends, if renewal info signed after the expiry says so: what was signed before it is about an earlier
    /// failure (docs/design.md#history-and-state, freshness).
    var graceEnds: Instant? {
        guard let info = renewalInfo?.payload, let expires = current.payload.expiresDate, info.signedDate > expires
        else { return nil }
        return info.gracePeriodExpiresDate
    }

    /// Until when a grace period may run of which Apple signed that it does (`status` 4) and not how long: developers
    /// report notifications without `gracePeriodExpiresDate`.
    private func endOfOpenGrace(_ policy: Policy) -> Instant? {
        guard let told = rows.notified?.payload, told.notifiedStatus == .billingGracePeriod,
            let expires = current.payload.expiresDate, told.signedDate > expires,
            renewalInfo?.payload.gracePeriodExpiresDate == nil
        else { return nil }
        return expires.adding(milliseconds: isWeekly ? policy.longestWeeklyGrace : policy.longestGrace)
    }

    /// Whether periods of the current product last a week: none is longer. Those with an offer do not tell: a free week may
    /// begin a monthly subscription.
    private var isWeekly: Bool {
        let lengths = transactions.compactMap { row -> Int64? in
            guard row.payload.productId == current.payload.productId, row.payload.offerType == nil,
                !row.payload.isUpgraded, let expires = row.payload.expiresDate
            else { return nil }
            return expires.milliseconds(since: row.payload.purchaseDate)
        }
        return lengths.max().map { $0 <= 8 * Instant.Duration.day } ?? false
    }

    /// The state of this subscription alone (docs/design.md#history-and-state, freshness and access).
    func resolution(at instant: Instant, policy: Policy) -> StateResolution {
        if isSuperseded { return .undetermined(.historyStale) }
        if let revoked = current.payload.revocationDate, revoked <= instant { return .determined(.revoked) }
        guard let expires = current.payload.expiresDate else { return .undetermined(.expiryUnknown) }
        if instant < expires {
            return .determined(current.payload.offerType == .introductory ? .introductoryOffer : .subscribed)
        }
        guard let info = renewalInfo?.payload else { return .undetermined(.historyStale) }
        if let grace = graceEnds, instant < grace { return .determined(.inGracePeriod) }
        if info.signedDate > expires, info.isInBillingRetryPeriod == true {
            if let end = endOfOpenGrace(policy), instant < end { return .undetermined(.expiryUnknown) }
            // Later Apple has either charged or given up, and it is not known which.
            let isStillTrying = instant < expires.adding(milliseconds: billingRetryLife(policy))
            return isStillTrying ? .determined(.inBillingRetryPeriod) : .undetermined(.historyStale)
        }
        if info.saysEnded(after: expires) { return .determined(.expired) }
        return continues(after: expires) == false ? .determined(.expired) : .undetermined(.historyStale)
    }

    private func billingRetryLife(_ policy: Policy) -> Int64 {
        current.payload.commitmentInfo == nil ? policy.billingRetryLife : policy.commitmentBillingRetryLife
    }
}

extension RenewalInfo {
    /// Whether the subscription will renew. A commitment's status decides where there is one, because a cancelled
    /// commitment keeps the other on (Apple, "Monthly subscriptions with a 12-month commitment"). `nil` if unknown.
    var renews: Bool? {
        (commitmentInfo?.commitmentAutoRenewStatus ?? autoRenewStatus)?.isOn
    }

    /// Whether Apple gives a reason for the end, which it does only of what has ended, whatever auto-renewal says
    /// (decision 0013). A failed payment is such a reason already while Apple keeps trying.
    fileprivate func saysEnded(after expires: Instant) -> Bool {
        guard signedDate > expires, let expirationIntent else { return false }
        return isInBillingRetryPeriod == false || isInBillingRetryPeriod == nil && expirationIntent != .billingError
    }
}

extension Subscription {
    /// The last moment to cancel without being charged, which may have passed: Apple charges up to 24 hours before a
    /// period begins.
    ///
    /// `nil` where cancelling avoids no charge that is known: nothing is running or owned, it does not renew or that is
    /// not known, the next renewal is free, or the period is so short, as in Sandbox, that it began too late for it.
    /// Within a 12-month commitment every period is charged, so it is the commitment's renewal that can be avoided.
    func lastMomentToCancel(_ resolution: StateResolution, policy: Policy) -> Instant? {
        switch resolution.name {
        case .subscribed, .introductoryOffer: break
        default: return nil
        }
        guard current.isOwned == true, current.payload.revocationDate == nil, willAutoRenew == true,
            renewalInfo?.payload.isFree == false
        else { return nil }
        // A period that was charged early has been paid for: the one after it can still be avoided.
        let paid = transactions.last { $0.payload.revocationDate == nil } ?? current
        guard let ends = [paid.payload.expiresDate, commitmentEnds].compactMap(\.self).max() else { return nil }
        let moment = ends.adding(milliseconds: -policy.renewalNotice)
        return moment < paid.payload.purchaseDate ? nil : moment
    }
}

extension RenewalInfo {
    fileprivate var isFree: Bool { offerDiscountType == .freeTrial || renewalPrice == 0 }
}

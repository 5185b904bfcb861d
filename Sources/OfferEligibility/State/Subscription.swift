import OfferModel

/// One subscription of a group: the transactions that share an `originalTransactionId`, and its renewal info.
struct Subscription: Sendable {
    /// By purchase date.
    let transactions: [Recorded<Transaction>]
    /// The transaction of the period that had begun last, replaced by no upgrade. Apple charges up to a day before a
    /// period begins, so there may be later ones: they only say that the subscription goes on.
    let current: Recorded<Transaction>
    /// Whether the period that had begun last was replaced by an upgrade that is not among these.
    let isSuperseded: Bool
    /// The current renewal info, if it is not older than the current transaction.
    let renewalInfo: Recorded<RenewalInfo>?
    /// The current renewal info, however old.
    let latestInfo: Recorded<RenewalInfo>?

    /// `nil` without transactions.
    init?(_ transactions: [Recorded<Transaction>], latestInfo: Recorded<RenewalInfo>?, at instant: Instant) {
        let begun = transactions.lastIndex { $0.payload.purchaseDate <= instant } ?? 0
        guard let last = transactions.dropFirst(begun).first else { return nil }
        self.transactions = transactions
        self.latestInfo = latestInfo
        let chosen = transactions[begun...].first { !$0.payload.isUpgraded }
        isSuperseded = chosen == nil
        current = chosen ?? last
        // Apple charges up to a day before the period begins, so renewal info may be signed before the purchase date.
        let known = min(current.payload.purchaseDate, current.payload.signedDate)
        renewalInfo = latestInfo.flatMap { $0.payload.signedDate >= known ? $0 : nil }
    }

    /// The same as it stands at another instant.
    func seen(at instant: Instant) -> Subscription {
        Subscription(transactions, latestInfo: latestInfo, at: instant) ?? self
    }

    /// The periods that were charged and begin after the current one's.
    var upcoming: ArraySlice<Recorded<Transaction>> {
        let past = transactions.lastIndex { $0.payload.purchaseDate <= current.payload.purchaseDate }
        return transactions[(past.map { $0 + 1 } ?? transactions.startIndex)...]
    }

    /// Whether it will renew; where a commitment has a status of its own, that one decides, because a cancelled
    /// commitment keeps the other on (Apple, "Monthly subscriptions with a 12-month commitment"). `nil` if unknown.
    var willAutoRenew: Bool? {
        guard let info = renewalInfo?.payload else { return nil }
        return (info.commitmentInfo?.commitmentAutoRenewStatus ?? info.autoRenewStatus)?.isOn
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

    /// The product of the next renewal, if it is another one.
    var pendingProductId: ProductId? {
        guard let info = renewalInfo?.payload, willAutoRenew != false else { return nil }
        let next = info.commitmentInfo?.commitmentAutoRenewProductId ?? info.autoRenewProductId
        return next == current.payload.productId ? nil : next
    }

    /// The price of the next renewal.
    var renewalPrice: Money? {
        guard let info = renewalInfo?.payload, let price = info.renewalPrice, let currency = info.currency else {
            return nil
        }
        return Money(milliunits: price, currency: currency)
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

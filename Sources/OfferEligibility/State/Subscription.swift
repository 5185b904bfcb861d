import OfferModel

/// One subscription of a group: the transactions that share an `originalTransactionId`, and its renewal info.
struct Subscription: Sendable {
    /// By purchase date.
    let transactions: [Recorded<Transaction>]
    /// The transaction bought last that no upgrade replaced.
    let newest: Recorded<Transaction>
    /// Whether the transaction bought last was replaced by an upgrade that is not among these.
    let isSuperseded: Bool
    /// The current renewal info, if it is not older than the newest transaction.
    let renewalInfo: Recorded<RenewalInfo>?

    /// `nil` without transactions.
    init?(_ transactions: [Recorded<Transaction>], renewalInfo: Recorded<RenewalInfo>?) {
        guard let last = transactions.last else { return nil }
        self.transactions = transactions
        isSuperseded = last.payload.isUpgraded
        newest = isSuperseded ? last : transactions.last { !$0.payload.isUpgraded } ?? last
        // Apple charges up to a day before the period begins, so renewal info may be signed before the purchase date.
        let known = min(newest.payload.purchaseDate, newest.payload.signedDate)
        self.renewalInfo = renewalInfo.flatMap { $0.payload.signedDate >= known ? $0 : nil }
    }

    /// Whether it will renew; where a commitment has a status of its own, that one decides, because a cancelled
    /// commitment keeps the other on (facts §4.4). `nil` if unknown.
    var willAutoRenew: Bool? {
        guard let info = renewalInfo?.payload else { return nil }
        return (info.commitmentInfo?.commitmentAutoRenewStatus ?? info.autoRenewStatus)?.isOn
    }

    /// Whether another billing period follows the one that ends at `end`: within a commitment the periods go on
    /// although the commitment itself was cancelled.
    func continues(after end: Instant) -> Bool? {
        guard let info = renewalInfo?.payload else { return nil }
        let commitmentEnds =
            newest.payload.commitmentInfo?.commitmentExpiresDate ?? info.commitmentInfo?.commitmentRenewalDate
        if let commitmentEnds, end < commitmentEnds { return info.autoRenewStatus?.isOn }
        return willAutoRenew
    }

    /// The product of the next renewal, if it is another one.
    var pendingProductId: ProductId? {
        guard let info = renewalInfo?.payload, willAutoRenew != false else { return nil }
        let next = info.commitmentInfo?.commitmentAutoRenewProductId ?? info.autoRenewProductId
        return next == newest.payload.productId ? nil : next
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

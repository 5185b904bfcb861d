import OfferModel

/// The subscription of one group while a scenario is played.
struct PlayedSubscription {
    let originalTransactionId: TransactionId
    let originalPurchaseDate: Instant
    let group: SubscriptionGroupId
    var product: ProductId
    /// When the current period began.
    var periodStart: Instant
    var expiresDate: Instant
    /// How long a renewal lasts and what it costs, once known.
    var period: Period?
    var price: Money?
    var autoRenews = true
    /// Why it ended; `nil` until it did.
    var endedBecause: ExpirationIntent?
    var hasUsedTrial: Bool
    /// The start of the series without a gap of 60 days.
    var recentStart: Instant

    /// Whether nothing is left of it: it was ended, or it was cancelled and its period is over.
    func isOver(at instant: Instant) -> Bool {
        endedBecause != nil || (!autoRenews && instant >= expiresDate)
    }

    /// What the App Store says about its next renewal at `signedAt`.
    func renewalInfo(of scenario: Scenario, signedAt: Instant) -> RenewalInfo {
        var info = RenewalInfo(
            originalTransactionId: originalTransactionId, productId: product, signedDate: signedAt)
        info.autoRenewProductId = product
        info.autoRenewStatus = autoRenews ? .on : .off
        info.expirationIntent = endedBecause ?? (isOver(at: signedAt) ? .customerCancelled : nil)
        info.isInBillingRetryPeriod = false
        info.renewalDate = expiresDate
        info.recentSubscriptionStartDate = recentStart
        if autoRenews, let price {
            info.renewalPrice = price.milliunits
            info.currency = price.currency
        }
        info.appAccountToken = scenario.customer.appAccountToken
        info.appTransactionId = scenario.customer.appTransactionId
        info.environment = scenario.environment.rawValue
        return info
    }
}

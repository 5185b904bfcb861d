import OfferModel

/// Which dates a purchase can have. Exports often have other units than Apple's milliseconds.
struct ImportedDates {
    /// The wall clock.
    let now: Instant

    func check(_ transaction: Transaction) throws(ImportRefusal) {
        // Apple charges for a renewal up to a day before it begins.
        try check(transaction.purchaseDate, "purchaseDate", latest: now.adding(milliseconds: 2 * Instant.Duration.day))
        try check(transaction.originalPurchaseDate, "originalPurchaseDate", latest: happened)
        try check(transaction.expiresDate, "expiresDate", latest: horizon)
        try check(transaction.revocationDate, "revocationDate", latest: happened)
        try check(transaction.signedDate, "signedDate", latest: happened)
    }

    func check(_ info: RenewalInfo) throws(ImportRefusal) {
        try check(info.renewalDate, "renewalDate", latest: horizon)
        try check(info.gracePeriodExpiresDate, "gracePeriodExpiresDate", latest: horizon)
        try check(info.recentSubscriptionStartDate, "recentSubscriptionStartDate", latest: horizon)
        try check(info.signedDate, "signedDate", latest: happened)
    }

    func check(_ transaction: AppTransaction) throws(ImportRefusal) {
        try check(transaction.originalPurchaseDate, "originalPurchaseDate", latest: happened)
        try check(transaction.receiptCreationDate, "receiptCreationDate", latest: happened)
    }

    /// What has happened is not ahead of the clock, as far as two clocks agree.
    private var happened: Instant { now.adding(milliseconds: RequestClock.tolerance) }

    /// No subscription is bought for longer than ten years.
    private var horizon: Instant { now.adding(milliseconds: 3_660 * Instant.Duration.day) }

    /// The App Store opened on 10 July 2008.
    private static let earliest = Instant(milliseconds: 1_215_648_000_000)

    private func check(_ date: Instant?, _ name: String, latest: Instant) throws(ImportRefusal) {
        guard let date else { return }
        if date < Self.earliest {
            let looksLikeSeconds =
                date.milliseconds >= Self.earliest.seconds && date.milliseconds <= horizon.seconds
            throw ImportRefusal(
                .implausibleDate,
                "`\(name)` is `\(date.milliseconds)`, which is \(date), before the App Store"
                    + (looksLikeSeconds ? "; it looks like seconds and must be milliseconds" : ""))
        }
        guard date <= latest else {
            throw ImportRefusal(
                .implausibleDate, "`\(name)` is `\(date.milliseconds)`, which is \(date), too far ahead of the clock")
        }
    }
}

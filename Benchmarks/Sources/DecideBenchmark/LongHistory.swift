import OfferModel

/// A customer of many years: 200 transactions of four subscriptions in two groups, with renewal info and a few issued
/// offers.
enum LongHistory {
    static let now = instant("2026-11-21T09:00:00Z")

    static func facts() -> SubjectFacts {
        var history = History()
        append(
            &history, original: 1_000, group: "21500001", product: "monthly", from: "2012-01-31T08:00:00Z", count: 90)
        append(
            &history, original: 2_000, group: "21500001", product: "monthly", from: "2020-02-29T08:00:00Z", count: 60)
        append(&history, original: 3_000, group: "21500002", product: "extra", from: "2021-06-15T08:00:00Z", count: 40)
        append(&history, original: 4_000, group: "21500001", product: "yearly", from: "2025-12-10T08:00:00Z", count: 10)
        var app = AppTransaction(bundleId: "com.example.pro", receiptCreationDate: now)
        app.appTransactionId = "704000000000000001"
        history.appTransactions = [
            Recorded(payload: app, payloadBytes: [1], provenance: .client, sequence: 500)
        ]
        history.coverage = Coverage(level: .complete, asOf: now, provenance: .caller)
        return SubjectFacts(
            history: history, issuedOffers: issuedOffers(), attributes: ["plan": .text("team"), "seats": .number(12)],
            firstStoredAt: now, rolloutKey: "704000000000000001")
    }

    private static func append(
        _ history: inout History, original: Int, group: SubscriptionGroupId, product: ProductId, from start: String,
        count: Int
    ) {
        let first = instant(start)
        for period in 0..<count {
            let purchased = first.adding(months: period)
            var transaction = Transaction(
                transactionId: TransactionId(String(original + period)),
                originalTransactionId: TransactionId(String(original)), bundleId: "com.example.pro", productId: product,
                purchaseDate: purchased, signedDate: purchased.adding(milliseconds: 1_000))
            transaction.subscriptionGroupIdentifier = group
            transaction.expiresDate = first.adding(months: period + 1)
            transaction.type = .autoRenewableSubscription
            transaction.inAppOwnershipType = .purchased
            transaction.price = 9_990
            transaction.currency = "USD"
            transaction.storefront = "USA"
            if period == 0 {
                transaction.offerType = .introductory
                transaction.offerDiscountType = .freeTrial
                transaction.price = 0
            }
            if period % 25 == 20 {
                transaction.offerType = .promotional
                transaction.offerIdentifier = OfferIdentifier("promotional\(period)")
                transaction.offerDiscountType = .payAsYouGo
            }
            history.transactions.append(
                Recorded(
                    payload: transaction, payloadBytes: [UInt8(period % 256)], provenance: .notification,
                    sequence: Int64(history.transactions.count)))
        }
        let end = first.adding(months: count)
        var info = RenewalInfo(
            originalTransactionId: TransactionId(String(original)), productId: product,
            signedDate: end.adding(milliseconds: 60_000))
        info.autoRenewStatus = .off
        info.expirationIntent = .customerCancelled
        history.renewalInfos.append(
            Recorded(payload: info, payloadBytes: [2], provenance: .notification, sequence: Int64(1_000 + original)))
    }

    private static func issuedOffers() -> [IssuedOffer] {
        (0..<10).map { number in
            let issued = now.adding(milliseconds: -Int64(number + 2) * 20 * Instant.Duration.day)
            let expires = issued.adding(milliseconds: Instant.Duration.day)
            return IssuedOffer(
                id: LowercaseUUID(version4From: [UInt8](repeating: UInt8(number), count: 16)),
                offerId: OfferId("offer\(number)"), offerIdentifier: OfferIdentifier("promotional\(number)"),
                offerType: .promotional, delivery: .signature, productId: "monthly",
                subscriptionGroupIdentifier: "21500001", tags: ["season"], issuedAt: issued, expiresAt: expires,
                countsUntil: expires.adding(milliseconds: Instant.Duration.hour), signings: 1)
        }
    }

    /// Dates here are written by hand; one that is wrong should be seen at once.
    static func instant(_ text: String) -> Instant {
        guard let instant = Instant(iso8601: text) else { fatalError("`\(text)` is not a time") }
        return instant
    }
}

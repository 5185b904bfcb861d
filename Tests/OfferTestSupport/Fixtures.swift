public import OfferModel

extension Transaction {
    /// A one-month subscription bought at `purchased`, signed a second later; set what the test is about.
    public static func fixture(
        _ id: TransactionId, original: TransactionId? = nil, product: ProductId = "com.example.pro.monthly",
        group: SubscriptionGroupId = "21500001", purchased: Instant, expires: Instant? = nil, signed: Instant? = nil,
        _ change: (inout Transaction) -> Void = { _ in }
    ) -> Transaction {
        var transaction = Transaction(
            transactionId: id, originalTransactionId: original ?? id, bundleId: "com.example.pro", productId: product,
            purchaseDate: purchased, signedDate: signed ?? purchased.adding(milliseconds: 1_000))
        transaction.subscriptionGroupIdentifier = group
        transaction.webOrderLineItemId = "9\(id)"
        transaction.originalPurchaseDate = purchased
        transaction.expiresDate = expires ?? purchased.adding(months: 1)
        transaction.type = .autoRenewableSubscription
        transaction.inAppOwnershipType = .purchased
        transaction.price = 9_990
        transaction.currency = "USD"
        transaction.transactionReason = .purchase
        transaction.environment = "LocalTesting"
        change(&transaction)
        return transaction
    }
}

extension RenewalInfo {
    /// Renewal info of a subscription that renews, signed at `signed`; set what the test is about.
    public static func fixture(
        _ original: TransactionId, product: ProductId = "com.example.pro.monthly", signed: Instant,
        _ change: (inout RenewalInfo) -> Void = { _ in }
    ) -> RenewalInfo {
        var info = RenewalInfo(originalTransactionId: original, productId: product, signedDate: signed)
        info.autoRenewProductId = product
        info.autoRenewStatus = .on
        info.isInBillingRetryPeriod = false
        info.environment = "LocalTesting"
        change(&info)
        return info
    }
}

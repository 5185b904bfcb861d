import OfferModel

extension Transaction: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_transaction",
        columns: ["transaction_id", "original_transaction_id", "signed_date", "purchase_date", "expires_date"],
        viewKey: "transaction_id", viewDate: "signed_date",
        owner: ("original_transaction_id", "originalTransactionId"))

    static var empty: Transaction {
        Transaction(
            transactionId: "", originalTransactionId: "", bundleId: "", productId: "",
            purchaseDate: Instant(milliseconds: 0),
            signedDate: Instant(milliseconds: 0))
    }

    var viewKey: String? { transactionId.rawValue }
    var owner: ProvenIdentifier? { .originalTransactionId(originalTransactionId) }
    var viewDate: Instant {
        get { signedDate }
        set { signedDate = newValue }
    }

    var columnValues: [StoredValue] {
        [
            transactionId.storedValue, originalTransactionId.storedValue, signedDate.storedValue,
            purchaseDate.storedValue, expiresDate.storedValue,
        ]
    }

    mutating func code(with coder: inout some FactsCoder) throws {
        try coder.field(&transactionId)
        try coder.field(&webOrderLineItemId)
        try coder.field(&purchaseDate)
        try coder.field(&expiresDate)
        try coder.field(&transactionReason)
        try coder.field(&price)
        try coder.field(&offerType)
        try coder.field(&offerIdentifier)
        try coder.field(&offerDiscountType)
        try coder.field(&offerPeriod)
        try coder.field(&productId)
        try coder.field(&isUpgraded)
        try coder.field(&revocationDate)
        try coder.field(&revocationReason)
        try coder.field(&revocationType)
        try coder.field(&revocationPercentage)
        try coder.field(&appAccountToken)
        try coder.field(&originalTransactionId)
        try coder.field(&bundleId)
        try coder.field(&subscriptionGroupIdentifier)
        try coder.field(&originalPurchaseDate)
        try coder.field(&type)
        try coder.field(&quantity)
        try coder.field(&inAppOwnershipType)
        try coder.field(&appTransactionId)
        try coder.field(&currency)
        try coder.field(&storefront)
        try coder.field(&storefrontId)
        try coder.field(&billingPlanType)
        try coder.field(&environment)
        var isCommitted = commitmentInfo != nil
        var commitment = commitmentInfo ?? TransactionCommitmentInfo()
        try coder.field(&isCommitted)
        try coder.field(&commitment.billingPeriodNumber)
        try coder.field(&commitment.totalBillingPeriods)
        try coder.field(&commitment.commitmentExpiresDate)
        try coder.field(&commitment.commitmentPrice)
        commitmentInfo = isCommitted ? commitment : nil
    }
}

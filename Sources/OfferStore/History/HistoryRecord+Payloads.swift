import OfferModel

extension Transaction: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_transaction",
        columns: ["transaction_id", "original_transaction_id", "signed_date", "purchase_date", "expires_date"],
        viewKey: "transaction_id", viewDate: "signed_date", otherDates: ["purchase_date"],
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

    mutating func codeFirst(with coder: inout some FactsCoder) throws {
        try coder.field(&transactionId)
        try coder.field(&webOrderLineItemId)
        try coder.field(&purchaseDate)
        try coder.field(&expiresDate)
        try coder.field(&transactionReason)
        try coder.field(&additionalTransactionReason)
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
        var isMultiSeat = multiSeatInfo != nil
        var seats = multiSeatInfo ?? TransactionMultiSeatInfo()
        try coder.field(&isMultiSeat)
        try coder.field(&seats.revokedSeatQuantity)
        multiSeatInfo = isMultiSeat ? seats : nil
    }
}

extension RenewalInfo: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_renewal_info",
        columns: ["original_transaction_id", "signed_date", "app_transaction_id", "app_account_token"],
        viewKey: "original_transaction_id", viewDate: "signed_date",
        owner: ("original_transaction_id", "originalTransactionId"), needsProvenOwner: true)

    static var empty: RenewalInfo {
        RenewalInfo(originalTransactionId: "", productId: "", signedDate: Instant(milliseconds: 0))
    }

    var viewKey: String? { originalTransactionId.rawValue }
    var owner: ProvenIdentifier? { .originalTransactionId(originalTransactionId) }
    var viewDate: Instant {
        get { signedDate }
        set { signedDate = newValue }
    }

    var columnValues: [StoredValue] {
        [
            originalTransactionId.storedValue, signedDate.storedValue, appTransactionId.storedValue,
            appAccountToken.storedValue,
        ]
    }

    /// When an offer was first shown as the next one is evidence for its redemption; what a notification said of grace
    /// holds until another one says otherwise.
    var isEvidence: Bool { offerType != nil || notifiedStatus != nil }

    mutating func codeFirst(with coder: inout some FactsCoder) throws {
        try coder.field(&autoRenewStatus)
        try coder.field(&renewalDate)
        try coder.field(&expirationIntent)
        try coder.field(&isInBillingRetryPeriod)
        try coder.field(&gracePeriodExpiresDate)
        try coder.field(&originalTransactionId)
        try coder.field(&productId)
        try coder.field(&autoRenewProductId)
        try coder.field(&priceIncreaseStatus)
        try coder.field(&offerType)
        try coder.field(&offerIdentifier)
        try coder.field(&offerDiscountType)
        try coder.field(&offerPeriod)
        try coder.field(&renewalPrice)
        try coder.field(&renewalQuantity)
        try coder.field(&currency)
        try coder.field(&recentSubscriptionStartDate)
        try coder.field(&appAccountToken)
        try coder.field(&appTransactionId)
        try coder.field(&renewalBillingPlanType)
        try coder.field(&environment)
        var winBackOfferIds = eligibleWinBackOfferIds.map { StoredTextList($0.map(\.rawValue)) }
        try coder.field(&winBackOfferIds)
        eligibleWinBackOfferIds = winBackOfferIds?.texts.map(OfferIdentifier.init(rawValue:))
        var isCommitted = commitmentInfo != nil
        var commitment = commitmentInfo ?? RenewalCommitmentInfo()
        try coder.field(&isCommitted)
        try coder.field(&commitment.commitmentAutoRenewProductId)
        try coder.field(&commitment.commitmentAutoRenewStatus)
        try coder.field(&commitment.commitmentRenewalBillingPlanType)
        try coder.field(&commitment.commitmentRenewalDate)
        try coder.field(&commitment.commitmentRenewalPrice)
        commitmentInfo = isCommitted ? commitment : nil
    }

    mutating func codeAdded(with coder: inout some FactsCoder) throws {
        try coder.field(&notifiedStatus)
    }
}

extension AppTransaction: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_app_transaction", columns: ["app_transaction_id", "receipt_creation_date"],
        viewKey: "app_transaction_id", viewDate: "receipt_creation_date",
        owner: ("app_transaction_id", "appTransactionId"))

    static var empty: AppTransaction { AppTransaction(bundleId: "", receiptCreationDate: Instant(milliseconds: 0)) }

    var viewKey: String? { appTransactionId?.rawValue }
    var owner: ProvenIdentifier? { appTransactionId.map { .appTransactionId($0) } }
    var viewDate: Instant {
        get { receiptCreationDate }
        set { receiptCreationDate = newValue }
    }

    var columnValues: [StoredValue] { [appTransactionId.storedValue, receiptCreationDate.storedValue] }

    mutating func codeFirst(with coder: inout some FactsCoder) throws {
        try coder.field(&bundleId)
        try coder.field(&appAppleId)
        try coder.field(&appTransactionId)
        try coder.field(&originalPurchaseDate)
        try coder.field(&originalApplicationVersion)
        try coder.field(&applicationVersion)
        try coder.field(&receiptType)
    }
}

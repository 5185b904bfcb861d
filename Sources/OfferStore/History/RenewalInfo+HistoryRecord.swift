import OfferModel

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

    /// When an offer was first shown as the next one is evidence for its redemption.
    var isEvidence: Bool { offerType != nil }

    mutating func code(with coder: inout some FactsCoder) throws {
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
}

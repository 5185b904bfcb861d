import OfferModel

extension RenewalInfo: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_renewal_info",
        columns: [
            "original_transaction_id", "product_id", "auto_renew_product_id", "auto_renew_status",
            "expiration_intent", "is_in_billing_retry_period", "grace_period_expires_date", "price_increase_status",
            "offer_type", "offer_identifier", "offer_discount_type", "offer_period", "renewal_date", "renewal_price",
            "currency", "recent_subscription_start_date", "eligible_win_back_offer_ids", "app_account_token",
            "app_transaction_id", "renewal_billing_plan_type", "has_commitment_info",
            "commitment_auto_renew_product_id", "commitment_auto_renew_status",
            "commitment_renewal_billing_plan_type", "commitment_renewal_date", "commitment_renewal_price",
            "signed_date", "environment",
        ],
        viewKey: "original_transaction_id", viewDate: "signed_date",
        owner: ("original_transaction_id", "originalTransactionId"), needsProvenOwner: true,
        // When an offer was first shown as the next one is evidence for its redemption.
        keeping: "h.offer_type IS NOT NULL")

    var viewKey: String? { originalTransactionId.rawValue }
    var viewDate: Instant { signedDate }

    var columnValues: [StoredValue] {
        let winBackOfferIds = eligibleWinBackOfferIds.map { StoredTextList($0.map(\.rawValue)) }
        return [
            originalTransactionId.storedValue, productId.storedValue, autoRenewProductId.storedValue,
            autoRenewStatus.storedValue, expirationIntent.storedValue, isInBillingRetryPeriod.storedValue,
            gracePeriodExpiresDate.storedValue, priceIncreaseStatus.storedValue, offerType.storedValue,
            offerIdentifier.storedValue, offerDiscountType.storedValue, offerPeriod.storedValue,
            renewalDate.storedValue, renewalPrice.storedValue, currency.storedValue,
            recentSubscriptionStartDate.storedValue, winBackOfferIds.storedValue, appAccountToken.storedValue,
            appTransactionId.storedValue, renewalBillingPlanType.storedValue, (commitmentInfo != nil).storedValue,
            commitmentInfo?.commitmentAutoRenewProductId.storedValue ?? .null,
            commitmentInfo?.commitmentAutoRenewStatus.storedValue ?? .null,
            commitmentInfo?.commitmentRenewalBillingPlanType.storedValue ?? .null,
            commitmentInfo?.commitmentRenewalDate.storedValue ?? .null,
            commitmentInfo?.commitmentRenewalPrice.storedValue ?? .null, signedDate.storedValue,
            environment.storedValue,
        ]
    }

    init(reading row: inout RowReader) throws {
        let originalTransactionId: TransactionId = try row.next()
        // The date of signing stands further back, so it is set last.
        self.init(
            originalTransactionId: originalTransactionId, productId: try row.next(), signedDate: .distantPast)
        autoRenewProductId = try row.next()
        autoRenewStatus = try row.next()
        expirationIntent = try row.next()
        isInBillingRetryPeriod = try row.next()
        gracePeriodExpiresDate = try row.next()
        priceIncreaseStatus = try row.next()
        offerType = try row.next()
        offerIdentifier = try row.next()
        offerDiscountType = try row.next()
        offerPeriod = try row.next()
        renewalDate = try row.next()
        renewalPrice = try row.next()
        currency = try row.next()
        recentSubscriptionStartDate = try row.next()
        eligibleWinBackOfferIds = try row.next(StoredTextList?.self)?.texts.map(OfferIdentifier.init(rawValue:))
        appAccountToken = try row.next()
        appTransactionId = try row.next()
        renewalBillingPlanType = try row.next()
        let hasCommitmentInfo: Bool = try row.next()
        let commitment = RenewalCommitmentInfo(
            commitmentAutoRenewProductId: try row.next(), commitmentAutoRenewStatus: try row.next(),
            commitmentRenewalBillingPlanType: try row.next(), commitmentRenewalDate: try row.next(),
            commitmentRenewalPrice: try row.next())
        commitmentInfo = hasCommitmentInfo ? commitment : nil
        signedDate = try row.next()
        environment = try row.next()
    }
}

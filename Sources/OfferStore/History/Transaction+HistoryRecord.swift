import OfferModel

extension Transaction: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_transaction",
        columns: [
            "transaction_id", "original_transaction_id", "web_order_line_item_id", "bundle_id", "product_id",
            "subscription_group_identifier", "purchase_date", "original_purchase_date", "expires_date", "signed_date",
            "revocation_date", "revocation_reason", "revocation_type", "revocation_percentage", "type", "quantity",
            "in_app_ownership_type", "app_account_token", "app_transaction_id", "is_upgraded", "offer_type",
            "offer_identifier", "offer_discount_type", "offer_period", "price", "currency", "transaction_reason",
            "storefront", "storefront_id", "billing_plan_type", "has_commitment_info", "billing_period_number",
            "total_billing_periods", "commitment_expires_date", "commitment_price", "environment",
        ],
        viewKey: "transaction_id", viewDate: "signed_date",
        owner: ("original_transaction_id", "originalTransactionId"))

    var viewKey: String? { transactionId.rawValue }
    var viewDate: Instant { signedDate }

    var columnValues: [StoredValue] {
        [
            transactionId.storedValue, originalTransactionId.storedValue, webOrderLineItemId.storedValue,
            bundleId.storedValue, productId.storedValue, subscriptionGroupIdentifier.storedValue,
            purchaseDate.storedValue, originalPurchaseDate.storedValue, expiresDate.storedValue,
            signedDate.storedValue, revocationDate.storedValue, revocationReason.storedValue,
            revocationType.storedValue, revocationPercentage.storedValue, type.storedValue, quantity.storedValue,
            inAppOwnershipType.storedValue, appAccountToken.storedValue, appTransactionId.storedValue,
            isUpgraded.storedValue, offerType.storedValue, offerIdentifier.storedValue, offerDiscountType.storedValue,
            offerPeriod.storedValue, price.storedValue, currency.storedValue, transactionReason.storedValue,
            storefront.storedValue, storefrontId.storedValue, billingPlanType.storedValue,
            (commitmentInfo != nil).storedValue, commitmentInfo?.billingPeriodNumber.storedValue ?? .null,
            commitmentInfo?.totalBillingPeriods.storedValue ?? .null,
            commitmentInfo?.commitmentExpiresDate.storedValue ?? .null,
            commitmentInfo?.commitmentPrice.storedValue ?? .null, environment.storedValue,
        ]
    }

    init(reading row: inout RowReader) throws {
        let transactionId: TransactionId = try row.next()
        let originalTransactionId: TransactionId = try row.next()
        let webOrderLineItemId: String? = try row.next()
        let bundleId: BundleId = try row.next()
        let productId: ProductId = try row.next()
        let group: SubscriptionGroupId? = try row.next()
        let purchaseDate: Instant = try row.next()
        let originalPurchaseDate: Instant? = try row.next()
        let expiresDate: Instant? = try row.next()
        self.init(
            transactionId: transactionId, originalTransactionId: originalTransactionId, bundleId: bundleId,
            productId: productId, purchaseDate: purchaseDate, signedDate: try row.next())
        self.webOrderLineItemId = webOrderLineItemId
        subscriptionGroupIdentifier = group
        self.originalPurchaseDate = originalPurchaseDate
        self.expiresDate = expiresDate
        revocationDate = try row.next()
        revocationReason = try row.next()
        revocationType = try row.next()
        revocationPercentage = try row.next()
        type = try row.next()
        quantity = try row.next()
        inAppOwnershipType = try row.next()
        appAccountToken = try row.next()
        appTransactionId = try row.next()
        isUpgraded = try row.next()
        offerType = try row.next()
        offerIdentifier = try row.next()
        offerDiscountType = try row.next()
        offerPeriod = try row.next()
        price = try row.next()
        currency = try row.next()
        transactionReason = try row.next()
        storefront = try row.next()
        storefrontId = try row.next()
        billingPlanType = try row.next()
        let hasCommitmentInfo: Bool = try row.next()
        let commitment = TransactionCommitmentInfo(
            billingPeriodNumber: try row.next(), totalBillingPeriods: try row.next(),
            commitmentExpiresDate: try row.next(), commitmentPrice: try row.next())
        commitmentInfo = hasCommitmentInfo ? commitment : nil
        environment = try row.next()
    }
}

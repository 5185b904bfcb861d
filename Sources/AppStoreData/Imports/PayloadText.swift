public import OfferModel
import OfferSigning

// Data that nobody has signed has no bytes of Apple's. These are its bytes: one text for what it says, whatever it was
// read from, so that the same purchase from a CSV file and from JSON Lines is the same row (invariant 7).

extension Transaction {
    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value.
    public var payloadText: [UInt8] {
        var json = JSONObjectWriter()
        json.add("appAccountToken", appAccountToken?.description)
        json.add("appTransactionId", appTransactionId)
        json.add("billingPlanType", billingPlanType?.rawValue)
        json.add("bundleId", bundleId.rawValue)
        if let commitmentInfo { json.add("commitmentInfo", object: commitmentInfo.payloadText) }
        json.add("currency", currency)
        json.add("environment", environment)
        json.add("expiresDate", expiresDate)
        json.add("inAppOwnershipType", inAppOwnershipType?.rawValue)
        if isUpgraded { json.add("isUpgraded", true) }
        json.add("offerDiscountType", offerDiscountType?.rawValue)
        json.add("offerIdentifier", offerIdentifier)
        json.add("offerPeriod", offerPeriod)
        json.add("offerType", offerType?.rawValue)
        json.add("originalPurchaseDate", originalPurchaseDate)
        json.add("originalTransactionId", originalTransactionId.rawValue)
        json.add("price", price)
        json.add("productId", productId.rawValue)
        json.add("purchaseDate", purchaseDate.milliseconds)
        json.add("quantity", quantity)
        json.add("revocationDate", revocationDate)
        json.add("revocationPercentage", revocationPercentage)
        json.add("revocationReason", revocationReason)
        json.add("revocationType", revocationType?.rawValue)
        json.add("signedDate", signedDate.milliseconds)
        json.add("storefront", storefront)
        json.add("storefrontId", storefrontId)
        json.add("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        json.add("transactionId", transactionId.rawValue)
        json.add("transactionReason", transactionReason?.rawValue)
        json.add("type", type?.rawValue)
        json.add("webOrderLineItemId", webOrderLineItemId)
        return json.finish()
    }
}

extension TransactionCommitmentInfo {
    fileprivate var payloadText: [UInt8] {
        var json = JSONObjectWriter()
        json.add("billingPeriodNumber", billingPeriodNumber)
        json.add("commitmentExpiresDate", commitmentExpiresDate)
        json.add("commitmentPrice", commitmentPrice)
        json.add("totalBillingPeriods", totalBillingPeriods)
        return json.finish()
    }
}

extension RenewalInfo {
    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value if it
    /// has an `autoRenewStatus` or an `autoRenewProductId`, by which renewal info is told from other payloads.
    public var payloadText: [UInt8] {
        var json = JSONObjectWriter()
        json.add("appAccountToken", appAccountToken?.description)
        json.add("appTransactionId", appTransactionId)
        json.add("autoRenewProductId", autoRenewProductId)
        json.add("autoRenewStatus", autoRenewStatus?.rawValue)
        if let commitmentInfo { json.add("commitmentInfo", object: commitmentInfo.payloadText) }
        json.add("currency", currency)
        if let eligibleWinBackOfferIds {
            json.add("eligibleWinBackOfferIds", eligibleWinBackOfferIds.map(\.rawValue))
        }
        json.add("environment", environment)
        json.add("expirationIntent", expirationIntent?.rawValue)
        json.add("gracePeriodExpiresDate", gracePeriodExpiresDate)
        json.add("isInBillingRetryPeriod", isInBillingRetryPeriod)
        json.add("offerDiscountType", offerDiscountType?.rawValue)
        json.add("offerIdentifier", offerIdentifier)
        json.add("offerPeriod", offerPeriod)
        json.add("offerType", offerType?.rawValue)
        json.add("originalTransactionId", originalTransactionId.rawValue)
        json.add("priceIncreaseStatus", priceIncreaseStatus?.rawValue)
        json.add("productId", productId.rawValue)
        json.add("recentSubscriptionStartDate", recentSubscriptionStartDate)
        json.add("renewalBillingPlanType", renewalBillingPlanType?.rawValue)
        json.add("renewalDate", renewalDate)
        json.add("renewalPrice", renewalPrice)
        json.add("signedDate", signedDate.milliseconds)
        return json.finish()
    }
}

extension RenewalCommitmentInfo {
    fileprivate var payloadText: [UInt8] {
        var json = JSONObjectWriter()
        json.add("commitmentAutoRenewProductId", commitmentAutoRenewProductId)
        json.add("commitmentAutoRenewStatus", commitmentAutoRenewStatus?.rawValue)
        json.add("commitmentRenewalBillingPlanType", commitmentRenewalBillingPlanType?.rawValue)
        json.add("commitmentRenewalDate", commitmentRenewalDate)
        json.add("commitmentRenewalPrice", commitmentRenewalPrice)
        return json.finish()
    }
}

extension AppTransaction {
    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value.
    public var payloadText: [UInt8] {
        var json = JSONObjectWriter()
        json.add("appAppleId", appAppleId)
        json.add("appTransactionId", appTransactionId)
        json.add("applicationVersion", applicationVersion)
        json.add("bundleId", bundleId.rawValue)
        json.add("originalApplicationVersion", originalApplicationVersion)
        json.add("originalPurchaseDate", originalPurchaseDate)
        json.add("receiptCreationDate", receiptCreationDate.milliseconds)
        json.add("receiptType", receiptType)
        return json.finish()
    }
}

extension JSONObjectWriter {
    fileprivate mutating func add(_ name: StaticString, _ value: String?) {
        if let value { add(name, value) }
    }

    fileprivate mutating func add<Kind>(_ name: StaticString, _ value: Identifier<Kind>?) {
        if let value { add(name, value.rawValue) }
    }

    fileprivate mutating func add(_ name: StaticString, _ value: Instant?) {
        if let value { add(name, value.milliseconds) }
    }

    fileprivate mutating func add(_ name: StaticString, _ value: Int?) {
        if let value { add(name, Int64(value)) }
    }

    fileprivate mutating func add(_ name: StaticString, _ value: Int64?) {
        if let value { add(name, value) }
    }

    fileprivate mutating func add(_ name: StaticString, _ value: Bool?) {
        if let value { add(name, value) }
    }
}

import JSON
public import OfferModel
import OfferSigning

// Data that nobody has signed has no bytes of Apple's. These are its bytes: one text for what it says, whatever it was
// read from, so that the same purchase from a CSV file and from JSON Lines is the same row (invariant 7).

extension Transaction {
    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value.
    public var payloadText: [UInt8] {
        var json = JSONWriter.beginObject(.hexadecimal)
        json.member("appAccountToken", appAccountToken?.description)
        json.member("appTransactionId", appTransactionId)
        json.member("billingPlanType", billingPlanType?.rawValue)
        json.member("bundleId", bundleId.rawValue)
        if let commitmentInfo { json.member("commitmentInfo", object: commitmentInfo.payloadText) }
        json.member("currency", currency)
        json.member("environment", environment)
        json.member("expiresDate", expiresDate)
        json.member("inAppOwnershipType", inAppOwnershipType?.rawValue)
        if isUpgraded { json.member("isUpgraded", true) }
        json.member("offerDiscountType", offerDiscountType?.rawValue)
        json.member("offerIdentifier", offerIdentifier)
        json.member("offerPeriod", offerPeriod)
        json.member("offerType", offerType?.rawValue)
        json.member("originalPurchaseDate", originalPurchaseDate)
        json.member("originalTransactionId", originalTransactionId.rawValue)
        json.member("price", price)
        json.member("productId", productId.rawValue)
        json.member("purchaseDate", purchaseDate.milliseconds)
        json.member("quantity", quantity)
        json.member("revocationDate", revocationDate)
        json.member("revocationPercentage", revocationPercentage)
        json.member("revocationReason", revocationReason)
        json.member("revocationType", revocationType?.rawValue)
        json.member("signedDate", signedDate.milliseconds)
        json.member("storefront", storefront)
        json.member("storefrontId", storefrontId)
        json.member("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        json.member("transactionId", transactionId.rawValue)
        json.member("transactionReason", transactionReason?.rawValue)
        json.member("type", type?.rawValue)
        json.member("webOrderLineItemId", webOrderLineItemId)
        return json.endObject()
    }
}

extension TransactionCommitmentInfo {
    fileprivate var payloadText: [UInt8] {
        var json = JSONWriter.beginObject(.hexadecimal)
        json.member("billingPeriodNumber", billingPeriodNumber)
        json.member("commitmentExpiresDate", commitmentExpiresDate)
        json.member("commitmentPrice", commitmentPrice)
        json.member("totalBillingPeriods", totalBillingPeriods)
        return json.endObject()
    }
}

extension RenewalInfo {
    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value if it
    /// has an `autoRenewStatus` or an `autoRenewProductId`, by which renewal info is told from other payloads.
    public var payloadText: [UInt8] {
        var json = JSONWriter.beginObject(.hexadecimal)
        json.member("appAccountToken", appAccountToken?.description)
        json.member("appTransactionId", appTransactionId)
        json.member("autoRenewProductId", autoRenewProductId)
        json.member("autoRenewStatus", autoRenewStatus?.rawValue)
        if let commitmentInfo { json.member("commitmentInfo", object: commitmentInfo.payloadText) }
        json.member("currency", currency)
        if let eligibleWinBackOfferIds {
            json.member("eligibleWinBackOfferIds", eligibleWinBackOfferIds.map(\.rawValue))
        }
        json.member("environment", environment)
        json.member("expirationIntent", expirationIntent?.rawValue)
        json.member("gracePeriodExpiresDate", gracePeriodExpiresDate)
        json.member("isInBillingRetryPeriod", isInBillingRetryPeriod)
        json.member("offerDiscountType", offerDiscountType?.rawValue)
        json.member("offerIdentifier", offerIdentifier)
        json.member("offerPeriod", offerPeriod)
        json.member("offerType", offerType?.rawValue)
        json.member("originalTransactionId", originalTransactionId.rawValue)
        json.member("priceIncreaseStatus", priceIncreaseStatus?.rawValue)
        json.member("productId", productId.rawValue)
        json.member("recentSubscriptionStartDate", recentSubscriptionStartDate)
        json.member("renewalBillingPlanType", renewalBillingPlanType?.rawValue)
        json.member("renewalDate", renewalDate)
        json.member("renewalPrice", renewalPrice)
        json.member("signedDate", signedDate.milliseconds)
        return json.endObject()
    }
}

extension RenewalCommitmentInfo {
    fileprivate var payloadText: [UInt8] {
        var json = JSONWriter.beginObject(.hexadecimal)
        json.member("commitmentAutoRenewProductId", commitmentAutoRenewProductId)
        json.member("commitmentAutoRenewStatus", commitmentAutoRenewStatus?.rawValue)
        json.member("commitmentRenewalBillingPlanType", commitmentRenewalBillingPlanType?.rawValue)
        json.member("commitmentRenewalDate", commitmentRenewalDate)
        json.member("commitmentRenewalPrice", commitmentRenewalPrice)
        return json.endObject()
    }
}

extension AppTransaction {
    /// Compact JSON with sorted members in Apple's spelling, which ``init(payload:)`` reads back to the same value.
    public var payloadText: [UInt8] {
        var json = JSONWriter.beginObject(.hexadecimal)
        json.member("appAppleId", appAppleId)
        json.member("appTransactionId", appTransactionId)
        json.member("applicationVersion", applicationVersion)
        json.member("bundleId", bundleId.rawValue)
        json.member("originalApplicationVersion", originalApplicationVersion)
        json.member("originalPurchaseDate", originalPurchaseDate)
        json.member("receiptCreationDate", receiptCreationDate.milliseconds)
        json.member("receiptType", receiptType)
        return json.endObject()
    }
}

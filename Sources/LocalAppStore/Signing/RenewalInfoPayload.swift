import OfferModel

/// Renewal info spelled as Apple's `JWSRenewalInfoDecodedPayload`: the fields a local subscription has.
struct RenewalInfoPayload: Encodable {
    let originalTransactionId: TransactionId
    let productId: ProductId
    let autoRenewProductId: ProductId?
    let autoRenewStatus: AutoRenewStatus?
    let expirationIntent: ExpirationIntent?
    let isInBillingRetryPeriod: Bool?
    let gracePeriodExpiresDate: Instant?
    let priceIncreaseStatus: PriceIncreaseStatus?
    let offerType: TransactionOfferType?
    let offerIdentifier: OfferIdentifier?
    let offerDiscountType: OfferDiscountType?
    let offerPeriod: String?
    let renewalDate: Instant?
    let renewalPrice: Int64?
    let currency: String?
    let recentSubscriptionStartDate: Instant?
    let appAccountToken: AppAccountToken?
    let appTransactionId: AppTransactionId?
    let signedDate: Instant
    let environment: String?

    init(_ info: RenewalInfo) {
        originalTransactionId = info.originalTransactionId
        productId = info.productId
        autoRenewProductId = info.autoRenewProductId
        autoRenewStatus = info.autoRenewStatus
        expirationIntent = info.expirationIntent
        isInBillingRetryPeriod = info.isInBillingRetryPeriod
        gracePeriodExpiresDate = info.gracePeriodExpiresDate
        priceIncreaseStatus = info.priceIncreaseStatus
        offerType = info.offerType
        offerIdentifier = info.offerIdentifier
        offerDiscountType = info.offerDiscountType
        offerPeriod = info.offerPeriod
        renewalDate = info.renewalDate
        renewalPrice = info.renewalPrice
        currency = info.currency
        recentSubscriptionStartDate = info.recentSubscriptionStartDate
        appAccountToken = info.appAccountToken
        appTransactionId = info.appTransactionId
        signedDate = info.signedDate
        environment = info.environment
    }
}

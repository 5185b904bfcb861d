import OfferModel

/// Renewal info spelled as Apple's `JWSRenewalInfoDecodedPayload`: the fields a local subscription has.
struct RenewalInfoPayload: Encodable {
    let originalTransactionId: TransactionId
    let productId: ProductId
    let autoRenewProductId: ProductId?
    let autoRenewStatus: AutoRenewStatus?
    let expirationIntent: ExpirationIntent?
    let isInBillingRetryPeriod: Bool?
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

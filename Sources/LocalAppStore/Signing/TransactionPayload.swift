import OfferModel

/// A transaction spelled as Apple's `JWSTransactionDecodedPayload`: the fields a local purchase has.
struct TransactionPayload: Encodable {
    let transactionId: TransactionId
    let originalTransactionId: TransactionId
    let bundleId: BundleId
    let productId: ProductId
    let subscriptionGroupIdentifier: SubscriptionGroupId?
    let purchaseDate: Instant
    let originalPurchaseDate: Instant?
    let expiresDate: Instant?
    let quantity: Int?
    let type: TransactionType?
    let appAccountToken: AppAccountToken?
    let appTransactionId: AppTransactionId?
    let inAppOwnershipType: InAppOwnershipType?
    let signedDate: Instant
    let revocationDate: Instant?
    let revocationReason: Int?
    let revocationType: RevocationType?
    let revocationPercentage: Int64?
    /// Apple writes it only where it is true.
    let isUpgraded: Bool?
    let offerType: TransactionOfferType?
    let offerIdentifier: OfferIdentifier?
    let offerDiscountType: OfferDiscountType?
    let offerPeriod: String?
    let price: Int64?
    let currency: String?
    let transactionReason: TransactionReason?
    let storefront: String?
    let environment: String?

    init(_ transaction: Transaction) {
        transactionId = transaction.transactionId
        originalTransactionId = transaction.originalTransactionId
        bundleId = transaction.bundleId
        productId = transaction.productId
        subscriptionGroupIdentifier = transaction.subscriptionGroupIdentifier
        purchaseDate = transaction.purchaseDate
        originalPurchaseDate = transaction.originalPurchaseDate
        expiresDate = transaction.expiresDate
        quantity = transaction.quantity
        type = transaction.type
        appAccountToken = transaction.appAccountToken
        appTransactionId = transaction.appTransactionId
        inAppOwnershipType = transaction.inAppOwnershipType
        signedDate = transaction.signedDate
        revocationDate = transaction.revocationDate
        revocationReason = transaction.revocationReason
        revocationType = transaction.revocationType
        revocationPercentage = transaction.revocationPercentage
        isUpgraded = transaction.isUpgraded ? true : nil
        offerType = transaction.offerType
        offerIdentifier = transaction.offerIdentifier
        offerDiscountType = transaction.offerDiscountType
        offerPeriod = transaction.offerPeriod
        price = transaction.price
        currency = transaction.currency
        transactionReason = transaction.transactionReason
        storefront = transaction.storefront
        environment = transaction.environment
    }
}

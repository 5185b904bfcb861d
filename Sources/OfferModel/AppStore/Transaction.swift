/// Apple's `JWSTransactionDecodedPayload`: every field that matters for subscription state or offers.
public struct Transaction: Sendable, Hashable {
    public var transactionId: TransactionId
    /// The first transaction of the subscription, which identifies it.
    public var originalTransactionId: TransactionId
    /// The subscription event across devices.
    public var webOrderLineItemId: String?
    public var bundleId: BundleId
    public var productId: ProductId
    /// The group of the product; absent for anything but subscriptions.
    public var subscriptionGroupIdentifier: SubscriptionGroupId?
    /// When it was charged or began.
    public var purchaseDate: Instant
    public var originalPurchaseDate: Instant?
    public var expiresDate: Instant?
    /// When Apple signed this view of the transaction.
    public var signedDate: Instant
    /// When Apple refunded it or family access ended.
    public var revocationDate: Instant?
    public var revocationReason: Int?
    public var revocationType: RevocationType?
    /// The refunded part in thousandths of a percent: 50,000 is half.
    public var revocationPercentage: Int64?
    public var type: TransactionType?
    /// How many were bought; of a multiseat plan, the seats of this transaction.
    public var quantity: Int?
    public var multiSeatInfo: TransactionMultiSeatInfo?
    /// Bought, or received through Family Sharing; absent data counts as bought.
    public var inAppOwnershipType: InAppOwnershipType?
    public var appAccountToken: AppAccountToken?
    public var appTransactionId: AppTransactionId?
    /// Whether an upgrade replaced it.
    public var isUpgraded: Bool
    public var offerType: TransactionOfferType?
    /// The offer applied; absent for introductory offers.
    public var offerIdentifier: OfferIdentifier?
    public var offerDiscountType: OfferDiscountType?
    /// The whole length of the applied offer, as Apple spelled it.
    public var offerPeriod: String?
    /// The amount charged, in milliunits of `currency`.
    public var price: Int64?
    public var currency: String?
    public var transactionReason: TransactionReason?
    public var additionalTransactionReason: AdditionalTransactionReason?
    /// Three-letter country code of the storefront.
    public var storefront: String?
    public var storefrontId: String?
    public var billingPlanType: BillingPlanType?
    public var commitmentInfo: TransactionCommitmentInfo?
    /// The environment named inside the signed payload; checked, never chosen from.
    public var environment: String?

    public init(
        transactionId: TransactionId, originalTransactionId: TransactionId, bundleId: BundleId, productId: ProductId,
        purchaseDate: Instant, signedDate: Instant
    ) {
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        self.bundleId = bundleId
        self.productId = productId
        self.purchaseDate = purchaseDate
        self.signedDate = signedDate
        isUpgraded = false
    }

    public var isOwned: Bool? {
        inAppOwnershipType.isOwned
    }
}

// Apple: App Store Server API, JWSTransactionDecodedPayload.
extension Transaction: PayloadObject {
    public init() {
        self.init(
            transactionId: "", originalTransactionId: "", bundleId: "", productId: "",
            purchaseDate: Instant(milliseconds: 0), signedDate: Instant(milliseconds: 0))
    }

    @inlinable
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.required("transactionId", &transactionId)
        try fields.required("originalTransactionId", &originalTransactionId)
        try fields.required("bundleId", &bundleId)
        try fields.required("productId", &productId)
        try fields.required("purchaseDate", &purchaseDate)
        try fields.signingDate("signedDate", &signedDate)
        try fields.optional("webOrderLineItemId", &webOrderLineItemId)
        try fields.optional("expiresDate", &expiresDate)
        try fields.optional("transactionReason", &transactionReason)
        try fields.optional("additionalTransactionReason", &additionalTransactionReason)
        try fields.optional("price", &price)
        try fields.optional("offerType", &offerType)
        try fields.optional("offerIdentifier", &offerIdentifier)
        try fields.optional("offerDiscountType", &offerDiscountType)
        try fields.optional("offerPeriod", &offerPeriod)
        try fields.flag("isUpgraded", &isUpgraded)
        try fields.optional("revocationDate", &revocationDate)
        try fields.optional("revocationReason", &revocationReason)
        try fields.optional("revocationType", &revocationType)
        try fields.optional("revocationPercentage", &revocationPercentage)
        try fields.optional("appAccountToken", &appAccountToken)
        try fields.optional("subscriptionGroupIdentifier", &subscriptionGroupIdentifier)
        try fields.optional("originalPurchaseDate", &originalPurchaseDate)
        try fields.optional("type", &type)
        try fields.optional("quantity", &quantity)
        try fields.optional("inAppOwnershipType", &inAppOwnershipType)
        try fields.optional("appTransactionId", &appTransactionId)
        try fields.optional("currency", &currency)
        try fields.optional("storefront", &storefront)
        try fields.optional("storefrontId", &storefrontId)
        try fields.optional("billingPlanType", &billingPlanType)
        try fields.optional("environment", &environment)
        try fields.object("commitmentInfo", &commitmentInfo)
        try fields.object("multiSeatInfo", &multiSeatInfo)
    }
}

/// The seats of a multiseat plan that a transaction paid for.
public struct TransactionMultiSeatInfo: Sendable, Hashable {
    /// How many of them Apple has refunded; the transaction stays valid until all are.
    public var revokedSeatQuantity: Int?

    public init() {}
}

extension TransactionMultiSeatInfo: PayloadObject {
    @inlinable
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("revokedSeatQuantity", &revokedSeatQuantity)
    }
}

/// The 12-month commitment that a monthly billed transaction is part of.
public struct TransactionCommitmentInfo: Sendable, Hashable {
    /// The number of the billing period, from 1.
    public var billingPeriodNumber: Int?
    public var totalBillingPeriods: Int?
    public var commitmentExpiresDate: Instant?
    public var commitmentPrice: Int64?

    public init() {}
}

extension TransactionCommitmentInfo: PayloadObject {
    @inlinable
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("billingPeriodNumber", &billingPeriodNumber)
        try fields.optional("totalBillingPeriods", &totalBillingPeriods)
        try fields.optional("commitmentExpiresDate", &commitmentExpiresDate)
        try fields.optional("commitmentPrice", &commitmentPrice)
    }
}

/// Apple's signed app transaction: proof that an Apple Account has the app, even without a purchase.
public struct AppTransaction: Sendable, Hashable {
    public var bundleId: BundleId
    /// Apple's number of the app; absent outside Production.
    public var appAppleId: Int64?
    public var appTransactionId: AppTransactionId?
    public var originalPurchaseDate: Instant?
    public var originalApplicationVersion: String?
    public var applicationVersion: String?
    /// When Apple made it; the payload's signing date.
    public var receiptCreationDate: Instant
    /// The environment named inside the signed payload (Apple's `receiptType`); checked, never chosen from.
    public var receiptType: String?

    public init(bundleId: BundleId, receiptCreationDate: Instant) {
        self.bundleId = bundleId
        self.receiptCreationDate = receiptCreationDate
    }

    /// Whether its `originalPurchaseDate` says nothing: in Sandbox, and so in TestFlight, it is always 2013-08-01,
    /// midnight in California (Apple: `AppTransaction.originalPurchaseDate`).
    public var hasSandboxDate: Bool { originalPurchaseDate == Instant(milliseconds: 1_375_340_400_000) }
}

// Apple: App Store Server API, JWSAppTransactionDecodedPayload.
extension AppTransaction: PayloadObject {
    public init() { self.init(bundleId: "", receiptCreationDate: Instant(milliseconds: 0)) }

    @inlinable
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.required("bundleId", &bundleId)
        try fields.signingDate("receiptCreationDate", &receiptCreationDate)
        try fields.optional("appAppleId", &appAppleId)
        try fields.optional("appTransactionId", &appTransactionId)
        try fields.optional("originalPurchaseDate", &originalPurchaseDate)
        try fields.optional("originalApplicationVersion", &originalApplicationVersion)
        try fields.optional("applicationVersion", &applicationVersion)
        try fields.optional("receiptType", &receiptType)
    }
}

/// Apple's `JWSRenewalInfoDecodedPayload`: every field that matters for subscription state or offers.
///
/// It has no `bundleId`, so it takes effect only once its `originalTransactionId` belongs to a verified transaction of
/// the app (docs/design.md#history-and-state).
public struct RenewalInfo: Sendable, Hashable {
    public var originalTransactionId: TransactionId
    /// The product of the current or last period.
    public var productId: ProductId
    public var autoRenewProductId: ProductId?
    public var autoRenewStatus: AutoRenewStatus?
    public var expirationIntent: ExpirationIntent?
    public var isInBillingRetryPeriod: Bool?
    /// The end of access that continues despite a failed charge.
    public var gracePeriodExpiresDate: Instant?
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// The kind of offer that applies to the next renewal.
    public var offerType: TransactionOfferType?
    public var offerIdentifier: OfferIdentifier?
    public var offerDiscountType: OfferDiscountType?
    /// The whole length of that offer, as Apple spelled it.
    public var offerPeriod: String?
    /// The expiry of the latest purchase; may be past.
    public var renewalDate: Instant?
    /// The price of the next renewal in milliunits of `currency`.
    public var renewalPrice: Int64?
    /// How many seats of a multiseat plan the next renewal is for.
    public var renewalQuantity: Int?
    public var currency: String?
    /// The start of the series of subscriptions without a gap of 60 days.
    public var recentSubscriptionStartDate: Instant?
    /// Win-back offers the customer is eligible for, best first; absent is not the same as empty.
    public var eligibleWinBackOfferIds: [OfferIdentifier]?
    public var appAccountToken: AppAccountToken?
    public var appTransactionId: AppTransactionId?
    public var renewalBillingPlanType: BillingPlanType?
    public var commitmentInfo: RenewalCommitmentInfo?
    public var signedDate: Instant
    public var environment: String?
    /// The `status` that was signed around it in a notification: kept where it says what the renewal info leaves open,
    /// whether a failed payment without an end of grace has a grace period.
    public var notifiedStatus: SubscriptionStatus?

    public init(originalTransactionId: TransactionId, productId: ProductId, signedDate: Instant) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.signedDate = signedDate
    }
}

// Apple: App Store Server API, JWSRenewalInfoDecodedPayload.
extension RenewalInfo: PayloadObject {
    public init() {
        self.init(originalTransactionId: "", productId: "", signedDate: Instant(milliseconds: 0))
    }

    @inlinable
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.required("originalTransactionId", &originalTransactionId)
        try fields.required("productId", &productId)
        try fields.signingDate("signedDate", &signedDate)
        try fields.optional("autoRenewStatus", &autoRenewStatus)
        try fields.optional("renewalDate", &renewalDate)
        try fields.optional("expirationIntent", &expirationIntent)
        try fields.optional("isInBillingRetryPeriod", &isInBillingRetryPeriod)
        try fields.optional("gracePeriodExpiresDate", &gracePeriodExpiresDate)
        try fields.optional("autoRenewProductId", &autoRenewProductId)
        try fields.optional("priceIncreaseStatus", &priceIncreaseStatus)
        try fields.optional("offerType", &offerType)
        try fields.optional("offerIdentifier", &offerIdentifier)
        try fields.optional("offerDiscountType", &offerDiscountType)
        try fields.optional("offerPeriod", &offerPeriod)
        try fields.optional("renewalPrice", &renewalPrice)
        try fields.optional("renewalQuantity", &renewalQuantity)
        try fields.optional("currency", &currency)
        try fields.optional("recentSubscriptionStartDate", &recentSubscriptionStartDate)
        try fields.optional("appAccountToken", &appAccountToken)
        try fields.optional("appTransactionId", &appTransactionId)
        try fields.optional("renewalBillingPlanType", &renewalBillingPlanType)
        try fields.optional("environment", &environment)
        try fields.optional("eligibleWinBackOfferIds", &eligibleWinBackOfferIds)
        try fields.object("commitmentInfo", &commitmentInfo)
    }
}

/// How a 12-month commitment renews; its status decides where there is one.
public struct RenewalCommitmentInfo: Sendable, Hashable {
    public var commitmentAutoRenewProductId: ProductId?
    /// Whether the commitment renews: a cancelled one keeps the top-level status on.
    public var commitmentAutoRenewStatus: AutoRenewStatus?
    public var commitmentRenewalBillingPlanType: BillingPlanType?
    public var commitmentRenewalDate: Instant?
    public var commitmentRenewalPrice: Int64?

    public init() {}
}

extension RenewalCommitmentInfo: PayloadObject {
    @inlinable
    public mutating func visit<Fields: PayloadFields>(_ fields: inout Fields) throws(Fields.Failure) {
        try fields.optional("commitmentAutoRenewProductId", &commitmentAutoRenewProductId)
        try fields.optional("commitmentAutoRenewStatus", &commitmentAutoRenewStatus)
        try fields.optional("commitmentRenewalBillingPlanType", &commitmentRenewalBillingPlanType)
        try fields.optional("commitmentRenewalDate", &commitmentRenewalDate)
        try fields.optional("commitmentRenewalPrice", &commitmentRenewalPrice)
    }
}

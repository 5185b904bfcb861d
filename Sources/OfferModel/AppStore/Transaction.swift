/// Apple's `JWSTransactionDecodedPayload`: every field that bears on subscription state or offers.
public struct Transaction: Sendable, Hashable {
    /// This transaction.
    public var transactionId: TransactionId
    /// The first transaction of the subscription, which identifies it.
    public var originalTransactionId: TransactionId
    /// The subscription event across devices.
    public var webOrderLineItemId: String?
    /// The app.
    public var bundleId: BundleId
    /// What was bought.
    public var productId: ProductId
    /// The group of the product; absent for anything but subscriptions.
    public var subscriptionGroupIdentifier: SubscriptionGroupId?
    /// When it was charged or began.
    public var purchaseDate: Instant
    /// When the first transaction of the subscription was bought.
    public var originalPurchaseDate: Instant?
    /// When paid access ends.
    public var expiresDate: Instant?
    /// When Apple signed this view of the transaction.
    public var signedDate: Instant
    /// When Apple refunded it or family access ended.
    public var revocationDate: Instant?
    /// Apple's number of the refund's reason.
    public var revocationReason: Int?
    /// What kind of revocation it was.
    public var revocationType: RevocationType?
    /// The refunded part in thousandths of a percent: 50,000 is half.
    public var revocationPercentage: Int64?
    /// The product's type.
    public var type: TransactionType?
    /// How many were bought.
    public var quantity: Int?
    /// Bought, or received through Family Sharing; absent data counts as bought.
    public var inAppOwnershipType: InAppOwnershipType?
    /// The app's account at purchase.
    public var appAccountToken: AppAccountToken?
    /// The Apple Account in this app.
    public var appTransactionId: AppTransactionId?
    /// Whether an upgrade replaced it.
    public var isUpgraded: Bool
    /// The kind of offer applied.
    public var offerType: TransactionOfferType?
    /// The offer applied; absent for introductory offers.
    public var offerIdentifier: OfferIdentifier?
    /// How the applied offer is paid.
    public var offerDiscountType: OfferDiscountType?
    /// The whole length of the applied offer, as Apple spelled it.
    public var offerPeriod: String?
    /// What was charged, in milliunits of `currency`.
    public var price: Int64?
    /// ISO 4217 code of `price`.
    public var currency: String?
    /// Purchase or renewal.
    public var transactionReason: TransactionReason?
    /// Three-letter country code of the storefront.
    public var storefront: String?
    /// Apple's number of the storefront.
    public var storefrontId: String?
    /// How a commitment is billed.
    public var billingPlanType: BillingPlanType?
    /// The commitment this billing period belongs to.
    public var commitmentInfo: TransactionCommitmentInfo?
    /// The environment named inside the signed payload; checked, never chosen from.
    public var environment: String?

    /// A transaction with the fields every one of them has; the others start absent.
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

    /// Whether the customer bought it, rather than received it through Family Sharing; `nil` for a value Apple added
    /// later. Absent data counts as bought.
    public var isOwned: Bool? {
        inAppOwnershipType.isOwned
    }
}

/// The 12-month commitment that a monthly billed transaction is part of.
public struct TransactionCommitmentInfo: Sendable, Hashable {
    /// Which billing period this is, from 1.
    public var billingPeriodNumber: Int?
    /// How many billing periods the commitment has.
    public var totalBillingPeriods: Int?
    /// When the commitment ends.
    public var commitmentExpiresDate: Instant?
    /// The price of the whole commitment in milliunits.
    public var commitmentPrice: Int64?

    /// A commitment by its parts.
    public init(
        billingPeriodNumber: Int? = nil, totalBillingPeriods: Int? = nil, commitmentExpiresDate: Instant? = nil,
        commitmentPrice: Int64? = nil
    ) {
        self.billingPeriodNumber = billingPeriodNumber
        self.totalBillingPeriods = totalBillingPeriods
        self.commitmentExpiresDate = commitmentExpiresDate
        self.commitmentPrice = commitmentPrice
    }
}

/// Apple's signed app transaction: proof that an Apple Account has the app, even without a purchase.
public struct AppTransaction: Sendable, Hashable {
    /// The app.
    public var bundleId: BundleId
    /// Apple's number of the app; absent outside Production.
    public var appAppleId: Int64?
    /// The Apple Account in this app.
    public var appTransactionId: AppTransactionId?
    /// When the app was first obtained.
    public var originalPurchaseDate: Instant?
    /// The version first obtained.
    public var originalApplicationVersion: String?
    /// The version that asked for this.
    public var applicationVersion: String?
    /// When Apple made it; the payload's signing date.
    public var receiptCreationDate: Instant
    /// The environment named inside the signed payload (Apple's `receiptType`); checked, never chosen from.
    public var receiptType: String?

    /// An app transaction with the fields every one of them has; the others start absent.
    public init(bundleId: BundleId, receiptCreationDate: Instant) {
        self.bundleId = bundleId
        self.receiptCreationDate = receiptCreationDate
    }
}

/// Apple's `JWSRenewalInfoDecodedPayload`: every field that bears on subscription state or offers.
///
/// It has no `bundleId`, so it takes effect only once its `originalTransactionId` belongs to a verified transaction of
/// the app (docs/design.md#history-and-state).
public struct RenewalInfo: Sendable, Hashable {
    /// The subscription.
    public var originalTransactionId: TransactionId
    /// The product of the current or last period.
    public var productId: ProductId
    /// The product of the next renewal.
    public var autoRenewProductId: ProductId?
    /// Whether it renews.
    public var autoRenewStatus: AutoRenewStatus?
    /// Why it expired.
    public var expirationIntent: ExpirationIntent?
    /// Whether Apple is still trying to charge.
    public var isInBillingRetryPeriod: Bool?
    /// Until when access goes on despite a failed charge.
    public var gracePeriodExpiresDate: Instant?
    /// Consent to a price increase.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// The kind of offer that applies to the next renewal.
    public var offerType: TransactionOfferType?
    /// The offer that applies to the next renewal.
    public var offerIdentifier: OfferIdentifier?
    /// How that offer is paid.
    public var offerDiscountType: OfferDiscountType?
    /// The whole length of that offer, as Apple spelled it.
    public var offerPeriod: String?
    /// The expiry of the latest purchase; may be past.
    public var renewalDate: Instant?
    /// The price of the next renewal in milliunits of `currency`.
    public var renewalPrice: Int64?
    /// ISO 4217 code of `renewalPrice`.
    public var currency: String?
    /// The start of the series of subscriptions without a gap of 60 days.
    public var recentSubscriptionStartDate: Instant?
    /// Win-back offers the customer is eligible for, best first; absent is not the same as empty.
    public var eligibleWinBackOfferIds: [OfferIdentifier]?
    /// The app's account of the upcoming renewal.
    public var appAccountToken: AppAccountToken?
    /// The Apple Account in this app.
    public var appTransactionId: AppTransactionId?
    /// How the next renewal is billed.
    public var renewalBillingPlanType: BillingPlanType?
    /// The renewal of the commitment.
    public var commitmentInfo: RenewalCommitmentInfo?
    /// When Apple signed this.
    public var signedDate: Instant
    /// The environment named inside the signed payload; checked, never chosen from.
    public var environment: String?

    /// Renewal info with the fields every one of them has; the others start absent.
    public init(originalTransactionId: TransactionId, productId: ProductId, signedDate: Instant) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.signedDate = signedDate
    }
}

/// How a 12-month commitment renews; its status decides where there is one.
public struct RenewalCommitmentInfo: Sendable, Hashable {
    /// The product of the next commitment.
    public var commitmentAutoRenewProductId: ProductId?
    /// Whether the commitment renews: a cancelled one keeps the top-level status on.
    public var commitmentAutoRenewStatus: AutoRenewStatus?
    /// How the next commitment is billed.
    public var commitmentRenewalBillingPlanType: BillingPlanType?
    /// When the commitment renews.
    public var commitmentRenewalDate: Instant?
    /// The price of the next commitment in milliunits.
    public var commitmentRenewalPrice: Int64?

    /// A commitment's renewal by its parts.
    public init(
        commitmentAutoRenewProductId: ProductId? = nil, commitmentAutoRenewStatus: AutoRenewStatus? = nil,
        commitmentRenewalBillingPlanType: BillingPlanType? = nil, commitmentRenewalDate: Instant? = nil,
        commitmentRenewalPrice: Int64? = nil
    ) {
        self.commitmentAutoRenewProductId = commitmentAutoRenewProductId
        self.commitmentAutoRenewStatus = commitmentAutoRenewStatus
        self.commitmentRenewalBillingPlanType = commitmentRenewalBillingPlanType
        self.commitmentRenewalDate = commitmentRenewalDate
        self.commitmentRenewalPrice = commitmentRenewalPrice
    }
}

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
    /// Until when access goes on despite a failed charge.
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
    /// The environment named inside the signed payload; checked, never chosen from.
    public var environment: String?

    public init(originalTransactionId: TransactionId, productId: ProductId, signedDate: Instant) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.signedDate = signedDate
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

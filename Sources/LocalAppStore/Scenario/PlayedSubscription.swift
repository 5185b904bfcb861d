import OfferModel

/// The subscription of one group while a scenario is played.
struct PlayedSubscription {
    /// A product with how long one payment lasts and what it costs, as far as known.
    struct Plan {
        var product: ProductId
        var period: Period?
        var price: Money?
    }

    struct FailedPayment {
        /// The end of access; `nil` without grace.
        var graceEnds: Instant?
        var graceIsOver = false
    }

    struct PriceIncrease {
        var price: Money
        var status: PriceIncreaseStatus
    }

    let originalTransactionId: TransactionId
    let originalPurchaseDate: Instant
    let group: SubscriptionGroupId
    let ownership: InAppOwnershipType
    var plan: Plan
    var periodStart: Instant
    var expiresDate: Instant
    /// The start of the series without a gap of 60 days.
    var recentStart: Instant
    var hasUsedIntroductory = false
    /// The places of its transactions among all.
    var transactions: [Int] = []

    var autoRenews = true
    var pendingPlan: Plan?
    /// The rest of the offer that runs.
    var offer: PlayedOffer?
    var pendingOffer: PlayedOffer?
    var failedPayment: FailedPayment?
    var priceIncrease: PriceIncrease?
    /// Why it ended; `nil` until it did.
    var endedBecause: ExpirationIntent?
    /// Whether its latest transaction was refunded, or its sharing ended.
    var isRevoked = false
    /// Whether the App Store has told of the end that followed a cancellation.
    var hasLapsed = false
    /// When it was last signed; the next time is later, so that no two views are of one age.
    var lastSigned = Instant.distantPast

    /// Whether nothing is left of it: it was ended or revoked, or it was cancelled and its period is over.
    func isOver(at instant: Instant) -> Bool {
        endedBecause != nil || isRevoked || (!autoRenews && instant >= expiresDate)
    }

    var nextOffer: PlayedOffer? { pendingOffer ?? offer }

    var nextPlan: Plan {
        var next = pendingPlan ?? plan
        if let priceIncrease { next.price = priceIncrease.price }
        return next
    }

    /// The plan and the offer of the next payment; what was to come with a renewal is dropped.
    mutating func change(to plan: Plan, _ offer: PlayedOffer?) {
        (self.plan, self.offer) = (plan, offer)
        (pendingPlan, pendingOffer, priceIncrease) = (nil, nil, nil)
    }

    mutating func revoke() {
        (isRevoked, autoRenews, failedPayment) = (true, false, nil)
    }

    func status(at instant: Instant) -> SubscriptionStatus {
        if isRevoked { return .revoked }
        if isOver(at: instant) { return .expired }
        guard let failedPayment else { return .active }
        guard let graceEnds = failedPayment.graceEnds else { return .billingRetry }
        return instant < graceEnds ? .billingGracePeriod : .billingRetry
    }

    /// Its renewal info as of `signedAt`.
    func renewalInfo(of scenario: Scenario, signedAt: Instant) -> RenewalInfo {
        var info = RenewalInfo(
            originalTransactionId: originalTransactionId, productId: plan.product, signedDate: signedAt)
        info.autoRenewProductId = autoRenews ? nextPlan.product : plan.product
        info.autoRenewStatus = autoRenews ? .on : .off
        info.expirationIntent =
            endedBecause ?? (failedPayment != nil ? .billingError : nil)
            ?? (isOver(at: signedAt) && !isRevoked ? .customerCancelled : nil)
        info.isInBillingRetryPeriod = failedPayment != nil
        info.gracePeriodExpiresDate = failedPayment?.graceEnds
        info.renewalDate = expiresDate
        info.recentSubscriptionStartDate = recentStart
        info.appAccountToken = scenario.customer.appAccountToken
        info.appTransactionId = scenario.customer.appTransactionId
        info.environment = scenario.environment.rawValue
        if autoRenews { addNextPayment(to: &info) }
        return info
    }

    private func addNextPayment(to info: inout RenewalInfo) {
        info.priceIncreaseStatus = priceIncrease?.status
        if let nextOffer {
            info.offerType = nextOffer.type
            info.offerIdentifier = nextOffer.identifier
            info.offerDiscountType = nextOffer.discountType
            info.offerPeriod = nextOffer.whole.description
            info.renewalPrice = nextOffer.price
            info.currency = nextOffer.currency
        } else if let price = nextPlan.price {
            info.renewalPrice = price.milliunits
            info.currency = price.currency
        }
    }
}

/// An offer while it is redeemed: how its payments are made and marked.
struct PlayedOffer {
    let type: TransactionOfferType
    let identifier: OfferIdentifier?
    let discountType: OfferDiscountType
    let period: Period
    let price: Int64
    let currency: String?
    let whole: Period
    var paymentsLeft: Int

    /// A free introductory period.
    init(trialOf length: Period, currency: String?) {
        type = .introductory
        identifier = nil
        discountType = .freeTrial
        period = length
        price = 0
        self.currency = currency
        whole = length
        paymentsLeft = 1
    }

    /// An offer as a scenario spells it: only "pay as you go" is paid period by period.
    init(_ step: ScenarioStep.Redeem, currency: String?) {
        type = step.type.offerType
        identifier = step.offerIdentifier
        whole = step.period.multiplied(by: step.periodCount)
        price = step.price?.milliunits ?? 0
        self.currency = step.price?.currency ?? currency
        switch step.paymentMode {
        case .freeTrial:
            (discountType, period, paymentsLeft) = (.freeTrial, whole, 1)
        case .payUpFront:
            (discountType, period, paymentsLeft) = (.payUpFront, whole, 1)
        case .payAsYouGo:
            (discountType, period, paymentsLeft) = (.payAsYouGo, step.period, step.periodCount)
        }
    }

    /// The rest after one payment; `nil` once it is used up.
    var afterPayment: PlayedOffer? {
        guard paymentsLeft > 1 else { return nil }
        var next = self
        next.paymentsLeft -= 1
        return next
    }
}

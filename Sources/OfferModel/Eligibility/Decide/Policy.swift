/// The constants and the ordered rules of a decision; lengths are in milliseconds.
public struct Policy: Sendable {
    /// How long a completeness serves rules that need an absence (docs/design.md#history-and-state).
    public var coverageLife: Int64 = 24 * Instant.Duration.hour
    public var signatureLife = Offer.signatureLife
    public var countingTail = Offer.countingTail
    /// How much life a stored signature must have left to be returned again.
    public var storedSignatureMinimumLife: Int64 = Instant.Duration.hour
    /// How long Apple tries to charge (Apple, "Monthly subscriptions with a 12-month commitment").
    public var billingRetryLife: Int64 = 60 * Instant.Duration.day
    /// How long Apple tries to charge a period of a 12-month commitment (Apple, "Monthly subscriptions with a 12-month
    /// commitment").
    public var commitmentBillingRetryLife: Int64 = 90 * Instant.Duration.day
    /// The longest grace period that App Store Connect offers (`SubscriptionGracePeriodDuration`).
    public var longestGrace: Int64 = 28 * Instant.Duration.day
    /// The longest grace period of a weekly subscription (App Store Connect Help, "Enable billing grace period").
    var longestWeeklyGrace: Int64 = 6 * Instant.Duration.day
    /// How long before a renewal Apple may charge it; a customer who cancels later pays for another period (Apple:
    /// "cancel at least 24 hours before").
    public var renewalNotice: Int64 = 24 * Instant.Duration.hour

    /// How much faster Sandbox runs at its slowest renewal rate, a month in an hour; the rate also sets how long grace and
    /// billing retry last (App Store Connect Help, "Edit subscription renewal rate"). No signed data names a tester's
    /// rate.
    static let slowestSandboxRate: Int64 = 720

    var rules: [any Rule]

    /// The policy with the longest billing retry and grace that an environment can have.
    public func scaled(for environment: AppStoreEnvironment) -> Policy {
        guard environment == .sandbox else { return self }
        var policy = self
        policy.billingRetryLife /= Self.slowestSandboxRate
        policy.commitmentBillingRetryLife /= Self.slowestSandboxRate
        policy.longestGrace /= Self.slowestSandboxRate
        // In Sandbox the length of a period does not tell a weekly subscription.
        policy.longestWeeklyGrace = policy.longestGrace
        return policy
    }

    /// All rules that concern an offer are asked, in this order, which is also that of the findings.
    public static let standard = Policy(rules: [
        CatalogStatusRule(), CatalogScheduleRule(), CatalogEnvironmentRule(), CatalogProductRule(),
        CatalogPausedRule(),
        UnusedInGroupRule(), NoneActiveInGroupRule(id: .introductoryNotSubscribed, type: .introductory),
        TransactionKnownRule(),
        EverSubscribedRule(), NotAppliedRule(),
        LapsedRule(), AutoRenewOffRule(), OwnedRule(),
        NoneActiveInGroupRule(id: .winBackNoActiveInGroup, type: .winBack),
        PaidDurationRule(), TimeSinceLastSubscribedRule(), WaitBetweenOffersRule(), ListedByAppStoreRule(),
        EligibilityRule(), AvailableForRule(), AgainRule(),
        RolloutPercentRule(), RolloutHoldoutRule(),
        LimitsRule(
            id: .limitCustomer, requirement: "the customer must have a use left under the limit",
            none: "the offer has no such limit per customer"
        ) { $0.customerLimits },
        LimitsRule(
            id: .limitCustomerWindow, requirement: "the customer must have a use left under the limit",
            none: "the offer has no such limit per customer"
        ) { $0.windowLimits },
        LimitsRule(
            id: .limitAccount, requirement: "the request must name an app account with a use left under the limit",
            none: "the offer has no limit per account"
        ) { $0.accountLimits },
        LimitsRule(
            id: .limitTotal, requirement: "the offer must have a use left across all customers",
            none: "the offer has no total limit"
        ) { $0.totals },
        LimitsRule(
            id: .limitBudget, requirement: "the offer's budget must have enough left",
            none: "the offer has no budget"
        ) { $0.budgets },
        LimitCoolDownRule(), LimitExcludesRule(), LimitSignaturesRule(),
        GrantRule(),
    ])
}

/// The rules, by their stable ids, never reused (docs/design.md#decisions).
public enum RuleId: String, Sendable, Hashable, CaseIterable, Codable {
    /// The offer is active.
    case catalogStatus = "catalog.status"
    /// The instant is within the offer's dates.
    case catalogSchedule = "catalog.schedule"
    /// The offer is meant for this environment.
    case catalogEnvironment = "catalog.environment"
    /// The product is one of the offer's.
    case catalogProduct = "catalog.product"
    /// The offer is not paused.
    case catalogPaused = "catalog.paused"
    /// No introductory offer was used in the group.
    case introductoryUnusedInGroup = "platform.introductory.unusedInGroup"
    /// No subscription of the group is active.
    case introductoryNotSubscribed = "platform.introductory.notSubscribed"
    /// A proven transaction or app transaction is known to sign for.
    case introductoryTransactionKnown = "platform.introductory.transactionKnown"
    /// A subscription in the app was ever bought by the customer.
    case promotionalEverSubscribed = "platform.promotional.everSubscribed"
    /// The same offer is neither pending nor running.
    case promotionalNotApplied = "platform.promotional.notApplied"
    /// The subscription has lapsed.
    case winBackLapsed = "platform.winBack.lapsed"
    /// The subscription does not renew.
    case winBackAutoRenewOff = "platform.winBack.autoRenewOff"
    /// The lapsed subscription was bought, not shared.
    case winBackOwned = "platform.winBack.owned"
    /// No subscription of the group is active, shared ones included.
    case winBackNoActiveInGroup = "platform.winBack.noActiveInGroup"
    /// The customer has paid for enough months.
    case winBackPaidDuration = "platform.winBack.paidDuration"
    /// The subscription ended so many months ago.
    case winBackTimeSinceLastSubscribed = "platform.winBack.timeSinceLastSubscribed"
    /// The same offer was not used too recently.
    case winBackWaitBetweenOffers = "platform.winBack.waitBetweenOffers"
    /// The App Store lists the offer among those the customer may have.
    case winBackListedByAppStore = "platform.winBack.listedByAppStore"
    /// The offer's own condition.
    case ruleEligibility = "rule.eligibility"
    /// The time for which the offer stays open once its condition held.
    case ruleAvailableFor = "rule.availableFor"
    /// The share of customers who may get the offer.
    case rolloutPercent = "rollout.percent"
    /// The share of customers who never get it.
    case rolloutHoldout = "rollout.holdout"
    /// The limits per customer without a window.
    case limitCustomer = "limit.customer"
    /// The limits per customer within a window.
    case limitCustomerWindow = "limit.customerWindow"
    /// The limits of everyone together.
    case limitTotal = "limit.total"
    /// The budgets of everyone together.
    case limitBudget = "limit.budget"
    /// The rest after a redemption of the offer.
    case limitCoolDown = "limit.coolDown"
    /// The offers after which this one is never issued.
    case limitExcludes = "limit.excludes"
    /// The signings of one slot.
    case limitSignatures = "limit.signatures"
}

/// What a rule answered: of a finding what a record of the decision keeps, so that millions can be read for a report.
public struct RuleAnswer: Sendable, Hashable {
    public var rule: RuleId
    public var verdict: Verdict
    public var reason: ReasonCode
    /// Of the offer's own condition, the facts that decided it; none where it holds.
    public var facts: [String]

    public init(rule: RuleId, verdict: Verdict, reason: ReasonCode, facts: [String] = []) {
        self.rule = rule
        self.verdict = verdict
        self.reason = reason
        self.facts = facts
    }

    /// The answer of a finding.
    public init(_ finding: Finding) {
        self.init(
            rule: finding.rule, verdict: finding.verdict, reason: finding.reason,
            facts: finding.verdict.isInTheWay ? Set(finding.decidingFacts).sorted() : [])
    }
}

extension Finding {
    /// Of the offer's own condition, the facts that decided it. A node decides its group if it has the group's verdict; below
    /// a `not`, the opposite one.
    fileprivate var decidingFacts: [String] {
        guard rule == .ruleEligibility else { return [] }
        guard let children, !children.isEmpty else { return evidence.first.map { [$0.field] } ?? [] }
        return children.filter { $0.verdict == ($0.isNegated ? Kleene.not(verdict) : verdict) }
            .flatMap(\.decidingFacts)
    }

    private var isNegated: Bool { path == "not" || path?.hasSuffix(".not") == true }
}

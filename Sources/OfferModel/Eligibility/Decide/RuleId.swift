/// The rules, by their stable ids, never reused (docs/design.md#decisions).
public enum RuleId: String, Sendable, Hashable, CaseIterable, Codable {
    case catalogStatus = "catalog.status"
    case catalogSchedule = "catalog.schedule"
    case catalogEnvironment = "catalog.environment"
    case catalogProduct = "catalog.product"
    case catalogPaused = "catalog.paused"
    case introductoryUnusedInGroup = "platform.introductory.unusedInGroup"
    case introductoryNotSubscribed = "platform.introductory.notSubscribed"
    case introductoryTransactionKnown = "platform.introductory.transactionKnown"
    case promotionalEverSubscribed = "platform.promotional.everSubscribed"
    case promotionalNotApplied = "platform.promotional.notApplied"
    case winBackLapsed = "platform.winBack.lapsed"
    case winBackAutoRenewOff = "platform.winBack.autoRenewOff"
    case winBackOwned = "platform.winBack.owned"
    case winBackNoActiveInGroup = "platform.winBack.noActiveInGroup"
    case winBackPaidDuration = "platform.winBack.paidDuration"
    case winBackTimeSinceLastSubscribed = "platform.winBack.timeSinceLastSubscribed"
    case winBackWaitBetweenOffers = "platform.winBack.waitBetweenOffers"
    case winBackListedByAppStore = "platform.winBack.listedByAppStore"
    case ruleEligibility = "rule.eligibility"
    case ruleAvailableFor = "rule.availableFor"
    case rolloutPercent = "rollout.percent"
    case rolloutHoldout = "rollout.holdout"
    case limitCustomer = "limit.customer"
    case limitCustomerWindow = "limit.customerWindow"
    case limitTotal = "limit.total"
    case limitBudget = "limit.budget"
    case limitCoolDown = "limit.coolDown"
    case limitExcludes = "limit.excludes"
    case limitSignatures = "limit.signatures"
    case limitAccount = "limit.account"
    case ruleAgain = "rule.again"
    case grantApplied = "grant.applied"
}

/// A rule's answer: the part of a finding that a record of the decision keeps, so that reports can read millions.
public struct RuleAnswer: Sendable, Hashable {
    public var rule: RuleId
    public var verdict: Verdict
    public var reason: ReasonCode
    /// Of the offer's own condition, the facts that decided it; none where it holds.
    public var facts: [String] = []

    /// An answer that is yet to be read.
    public static var blank: RuleAnswer { RuleAnswer(rule: .catalogStatus, verdict: .satisfied, reason: .holds) }
}

extension RuleAnswer {
    public init(_ finding: Finding) {
        self.init(
            rule: finding.rule, verdict: finding.verdict, reason: finding.reason,
            facts: finding.verdict.isInTheWay ? Set(finding.decidingFacts).sorted() : [])
    }
}

extension Finding {
    /// Of the offer's own condition, the facts that decided it. A node decides its group if it has the group's verdict;
    /// below a `not`, the opposite one.
    fileprivate var decidingFacts: [String] {
        guard rule == .ruleEligibility else { return [] }
        guard let children, !children.isEmpty else { return evidence.first.map { [$0.field] } ?? [] }
        return children.filter { $0.verdict == ($0.isNegated ? Kleene.not(verdict) : verdict) }
            .flatMap(\.decidingFacts)
    }

    private var isNegated: Bool { path == "not" || path?.hasSuffix(".not") == true }
}

import OfferAPI
import OfferModel
import OfferStore

/// Counts an offer's customers, each with one call of ``add(_:)``.
struct FunnelTally {
    let offer: Offer
    let group: SubscriptionGroupId?
    let asOf: Instant
    let policy: Policy
    let transaction: any StoreTransaction
    /// Whether retention has removed why some were refused, and with it who of them was held out.
    private(set) var hasRemovedRefusals = false
    private var funnel: OfferFunnel
    /// By placement.
    private var placements: [String?: OfferFunnel.Stages] = [:]
    private var reasons: [BlockingRule: OfferFunnel.Reason] = [:]
    /// By currency.
    private var costs: [String: DiscountCost] = [:]

    /// Backends choose their names, so memory needs a bound.
    static let mostPlacements = 200

    init(
        offer: Offer, group: SubscriptionGroupId?, asOf: Instant, policy: Policy, transaction: any StoreTransaction
    ) {
        self.offer = offer
        self.group = group
        self.asOf = asOf
        self.policy = policy
        self.transaction = transaction
        funnel = OfferFunnel()
        funnel.offerId = offer.id
        funnel.saveRate.definition = "autoRenewOnAfter\(SaveOutcome.days)Days"
    }

    /// The funnel of everyone counted so far.
    var result: OfferFunnel {
        var funnel = funnel
        // The most frequent first; the rules' names settle ties.
        funnel.reasons = reasons.values.sorted {
            ($1.customers, $0.rule, $0.fact ?? "", $0.verdict) < ($0.customers, $1.rule, $1.fact ?? "", $1.verdict)
        }
        if placements.keys.contains(where: { $0 != nil }) {
            funnel.placements = placements.map { placement, stages in
                OfferFunnel.PlacementStages { ($0.placement, $0.stages) = (placement, stages) }
            }
            .sorted { ($1.stages.evaluated, $0.placement ?? "") < ($0.stages.evaluated, $1.placement ?? "") }
        }
        funnel.discountCost = costs.sorted { $0.key < $1.key }.map { $1.decimals(in: $0) }
        if !hasRemovedRefusals { funnel.holdoutLift.compare() }
        if funnel.saveRate.judged > 0 {
            funnel.saveRate.rate = (Double(funnel.saveRate.saved) / Double(funnel.saveRate.judged)).millionths
        }
        return funnel
    }

    /// Counts one customer, reading only that customer's history.
    mutating func add(_ member: CohortMember) throws {
        let issued = try IssuedOfferStore(transaction).issuedOffers(to: member.customer)
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: [member.customer]),
            issuedOffers: issued.map(\.issuedOffer))
        let redemptions = RedemptionStore(transaction)
        facts.keptEvidence =
            try KeptEvidenceStore(transaction).evidence(of: [member.customer])
            + redemptions.usesByOthers(of: [member.customer]).compactMap(\.evidence)
        let course = OfferCourse(
            of: offer, in: group, facts, since: member.firstEvaluated, at: asOf, policy: policy)
        count(stages: member, course)
        count(refusal: member)
        count(arm: member, course)
        if member.granted > 0 { funnel.granted = (funnel.granted ?? 0) + member.granted }
        let issuedToOthers = try redemptions.usesOfOthers(by: member.customer).count { used in
            used.redemption.offerIdentifier == offer.offerIdentifier
                && used.redemption.offerType == offer.delivery.redeemedAs
                && used.redemption.firstEvidence >= member.firstEvaluated
        }
        funnel.redemptions.redeemedWithoutSlot += max(0, course.redemptionsWithoutIssuedOffer - issuedToOthers)
        if course.redemptionsOfRetention > 0 {
            funnel.redemptions.retention = (funnel.redemptions.retention ?? 0) + course.redemptionsOfRetention
        }
        guard member.isIssued else { return }
        count(cost: issued.filter { $0.issuedOffer.offerId == offer.id && $0.issuedOffer.grantId == nil }, course)
        try count(save: member, course, facts.issuedOffers)
    }

    private mutating func count(stages member: CohortMember, _ course: OfferCourse) {
        funnel.stages.count(member, course)
        let isCounted = placements.count < Self.mostPlacements || placements[member.placement] != nil
        placements[isCounted ? member.placement : nil, default: OfferFunnel.Stages()].count(member, course)
        if member.hasRemovedRefusal { hasRemovedRefusals = true }
        guard member.isIssued, !course.redemptions.isEmpty else { return }
        funnel.redemptions.doubled += course.doubledRedemptions
        funnel.redemptions.redeemedByAnother += course.redemptionsByAnother
        if course.isInOffer { funnel.redemptions.inOffer += 1 }
        if course.isRefunded { funnel.redemptions.refunded += 1 }
    }

    private mutating func count(refusal member: CohortMember) {
        guard let refusal = member.refusal else { return }
        funnel.notIssued.count(refusal)
        guard refusal != .heldOut, refusal != .notInRollout, let deciding = member.lastRefusal?.obstacles.deciding
        else { return }
        for rule in deciding {
            var reason =
                reasons[rule]
                ?? OfferFunnel.Reason {
                    ($0.rule, $0.verdict, $0.fact) = (rule.rule.rawValue, rule.verdict.rawValue, rule.fact)
                }
            reason.customers += 1
            if deciding.count == 1 { reason.alone += 1 }
            reasons[rule] = reason
        }
    }

    private mutating func count(arm member: CohortMember, _ course: OfferCourse) {
        guard let arm = member.arm else { return }
        let side = arm.isTreated ? \HoldoutLift.treated : \HoldoutLift.heldOut
        funnel.holdoutLift[keyPath: side].customers += 1
        if course.isActive == true { funnel.holdoutLift[keyPath: side].active += 1 }
        if course.isActive == nil { funnel.holdoutLift[keyPath: side].undetermined += 1 }
    }

    private mutating func count(cost issued: [StoredIssuedOffer], _ course: OfferCourse) {
        let uses = Dictionary(grouping: course.redemptions, by: \.issuedOfferId).mapValues { Int64($0.count) }
        for issuedOffer in issued {
            guard let value = issuedOffer.issuedOffer.cost,
                let cost = costs[value.currency, default: DiscountCost()].adding(
                    value.milliunits, uses: uses[issuedOffer.issuedOffer.id] ?? 0, isRefunded: course.isRefunded)
            else {
                funnel.slotsWithoutCost += 1
                continue
            }
            costs[value.currency] = cost
        }
    }

    private mutating func count(save member: CohortMember, _ course: OfferCourse, _ issuedOffers: [IssuedOffer]) throws
    {
        guard let redemption = course.redemptions.first(where: { !$0.isByAnother }),
            let issuedOffer = issuedOffers.first(where: { $0.id == redemption.issuedOfferId })
        else { return }
        let due = SaveOutcome.isDue(redemption)
        let group = issuedOffer.subscriptionGroupIdentifier
        let atIssue = try subscription(of: member.customer, in: group, at: issuedOffer.issuedAt)
        guard atIssue.isCancelled else { return }
        let afterwards = due <= asOf ? try subscription(of: member.customer, in: group, at: due) : nil
        let outcome = SaveOutcome(atIssue: atIssue, afterwards: afterwards)
        if outcome == .pending { funnel.saveRate.pending += 1 } else { funnel.saveRate.judged += 1 }
        if outcome == .saved { funnel.saveRate.saved += 1 }
        if outcome == .undetermined { funnel.saveRate.undetermined += 1 }
    }

    private func subscription(
        of customer: CustomerNumber, in group: SubscriptionGroupId, at instant: Instant
    ) throws -> OwnSubscription {
        OwnSubscription(
            try HistoryStore(transaction).history(of: [customer], asOf: instant), of: group, at: instant, policy: policy
        )
    }
}

/// The cost of discounts in one currency, in milliunits.
private struct DiscountCost {
    var issued: Int64 = 0
    var redeemed: Int64 = 0
    var refunded: Int64 = 0

    /// With another issued offer; `nil` beyond any amount that can be counted.
    func adding(_ value: Int64, uses: Int64, isRefunded: Bool) -> DiscountCost? {
        let (used, tooMany) = value.multipliedReportingOverflow(by: uses)
        let sums = [
            issued.addingReportingOverflow(value), redeemed.addingReportingOverflow(used),
            refunded.addingReportingOverflow(isRefunded ? used : 0),
        ]
        guard !tooMany, sums.allSatisfy({ !$0.overflow }) else { return nil }
        return DiscountCost(
            issued: sums[0].partialValue, redeemed: sums[1].partialValue, refunded: sums[2].partialValue)
    }

    func decimals(in currency: String) -> OfferFunnel.Cost {
        func amount(_ milliunits: Int64) -> String { Money(milliunits: milliunits, currency: currency).amount }
        return OfferFunnel.Cost { cost in
            cost.currency = currency
            (cost.issued, cost.redeemed, cost.refunded) = (amount(issued), amount(redeemed), amount(refunded))
        }
    }
}

extension OfferFunnel.Stages {
    fileprivate mutating func count(_ member: CohortMember, _ course: OfferCourse) {
        evaluated += 1
        guard member.isEligible else { return }
        eligible += 1
        guard member.isIssued else { return }
        issued += 1
        guard !course.redemptions.isEmpty else { return }
        redeemed += 1
        guard course.hasRenewedAtFullPrice else { return }
        renewedAtFullPrice += 1
        if course.isActive == true { stillActive += 1 }
    }
}

extension OfferFunnel.NotIssued {
    fileprivate mutating func count(_ kind: RefusalKind) {
        switch kind {
        case .heldOut: heldOut += 1
        case .notInRollout: notInRollout += 1
        case .paused: paused += 1
        case .ineligible: ineligible += 1
        case .undetermined: undetermined += 1
        case .removed: removed += 1
        }
    }
}

extension HoldoutLift {
    /// Compares the groups, if neither is too small.
    fileprivate mutating func compare() {
        guard min(treated.customers, heldOut.customers) >= minimumCustomers,
            let lift = ProportionDifference(
                .init(treated.active, of: treated.customers), minus: .init(heldOut.active, of: heldOut.customers))
        else { return }
        difference = lift.difference.millionths
        interval = Interval {
            ($0.level, $0.method) = (ProportionDifference.level, "newcombe")
            ($0.lower, $0.upper) = (lift.lower.millionths, lift.upper.millionths)
        }
    }
}

extension Double {
    /// Rounded to six decimals: more would only show how numbers are stored.
    fileprivate var millionths: Double { (self * 1_000_000).rounded() / 1_000_000 }
}

import OfferEligibility
import OfferModel
import OfferStore

struct FunnelTally {
    let offer: Offer
    let group: SubscriptionGroupId?
    let asOf: Instant
    let policy: Policy
    let transaction: any StoreTransaction
    private(set) var funnel: OfferFunnel

    /// Counts one customer, reading only that customer's history.
    mutating func add(_ member: CohortMember) throws {
        let issued = try SlotStore(transaction).issuedOffers(to: member.customer)
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: [member.customer]), slots: issued.map(\.slot))
        let redemptions = RedemptionStore(transaction)
        facts.keptEvidence =
            try KeptEvidenceStore(transaction).evidence(of: [member.customer])
            + redemptions.usesByOthers(of: [member.customer]).compactMap(\.evidence)
        let course = OfferCourse(
            of: offer, in: group, facts, since: member.firstEvaluated, at: asOf, policy: policy)
        count(stages: member, course)
        count(refusal: member)
        count(arm: member, course)
        let issuedToOthers = try redemptions.usesOfOthers(by: member.customer).count { used in
            used.redemption.offerIdentifier == offer.offerIdentifier
                && used.redemption.offerType == offer.delivery.redeemedAs
                && used.redemption.firstEvidence >= member.firstEvaluated
        }
        funnel.redemptionsWithoutSlot += max(0, course.redemptionsWithoutSlot - issuedToOthers)
        funnel.redemptionsOfRetention += course.redemptionsOfRetention
        guard member.isIssued else { return }
        count(cost: issued.filter { $0.slot.offerId == offer.id }, course)
        try count(save: member, course, facts.slots)
    }

    private mutating func count(stages member: CohortMember, _ course: OfferCourse) {
        funnel.stages.evaluated += 1
        if member.hasRemovedRefusal { funnel.hasRemovedRefusals = true }
        guard member.isEligible else { return }
        funnel.stages.eligible += 1
        guard member.isIssued else { return }
        funnel.stages.issued += 1
        guard !course.redemptions.isEmpty else { return }
        funnel.stages.redeemed += 1
        funnel.doubledRedemptions += course.doubledRedemptions
        funnel.redemptionsByAnother += course.redemptionsByAnother
        if course.isInOffer { funnel.inOffer += 1 }
        if course.isRefunded { funnel.refunded += 1 }
        guard course.hasRenewedAtFullPrice else { return }
        funnel.stages.renewedAtFullPrice += 1
        if course.isActive == true { funnel.stages.stillActive += 1 }
    }

    private mutating func count(refusal member: CohortMember) {
        guard let refusal = member.refusal else { return }
        funnel.notIssued[refusal, default: 0] += 1
        guard refusal != .heldOut, refusal != .notInRollout, let deciding = member.lastRefusal?.obstacles.deciding
        else { return }
        for obstacle in deciding {
            funnel.obstacles[obstacle, default: BlockingRuleCount()].customers += 1
            if deciding.count == 1 { funnel.obstacles[obstacle]?.alone += 1 }
        }
    }

    private mutating func count(arm member: CohortMember, _ course: OfferCourse) {
        guard let arm = member.arm else { return }
        var side = arm.isTreated ? funnel.treated : funnel.heldOut
        side.customers += 1
        if course.isActive == true { side.active += 1 }
        if course.isActive == nil { side.undetermined += 1 }
        if arm.isTreated { funnel.treated = side } else { funnel.heldOut = side }
    }

    private mutating func count(cost issued: [IssuedOffer], _ course: OfferCourse) {
        let uses = Dictionary(grouping: course.redemptions, by: \.slotId).mapValues { Int64($0.count) }
        for slot in issued {
            guard let value = slot.slot.cost,
                let cost = funnel.discountCost[value.currency, default: DiscountCost()].adding(
                    value.milliunits, uses: uses[slot.slot.id] ?? 0, isRefunded: course.isRefunded)
            else {
                funnel.slotsWithoutCost += 1
                continue
            }
            funnel.discountCost[value.currency] = cost
        }
    }

    private mutating func count(save member: CohortMember, _ course: OfferCourse, _ slots: [Slot]) throws {
        guard let redemption = course.redemptions.first(where: { !$0.isByAnother }),
            let slot = slots.first(where: { $0.id == redemption.slotId })
        else { return }
        let due = SaveOutcome.isDue(redemption)
        let group = slot.subscriptionGroupIdentifier
        let atIssue = try subscription(of: member.customer, in: group, at: slot.issuedAt)
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

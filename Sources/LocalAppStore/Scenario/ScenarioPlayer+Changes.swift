import OfferModel

// Another product, another price.
extension ScenarioPlayer {
    mutating func upgrade(_ step: ScenarioStep.PlanChange) throws(ScenarioError) {
        let index = try changing(step)
        try replace(index, step.plan, at: step.at.instant(now: now), offer: nil)
        notify(index, .didChangeRenewalPref, .upgrade, at: step.at.instant(now: now))
    }

    mutating func downgrade(_ step: ScenarioStep.PlanChange) throws(ScenarioError) {
        let index = try changing(step)
        postpone(index, step.plan)
        notify(index, .didChangeRenewalPref, .downgrade, at: step.at.instant(now: now))
    }

    /// At once if it lasts as long, else with the next renewal (Apple: "Offering auto-renewable subscriptions").
    mutating func crossgrade(_ step: ScenarioStep.PlanChange) throws(ScenarioError) {
        let index = try subscription(step.group)
        guard let period = subscriptions[index].plan.period else {
            throw error("nothing says how long the product before lasts", hint: "add `period` to the `trial`")
        }
        if period == step.period {
            try upgrade(step)
        } else {
            try downgrade(step)
        }
    }

    mutating func keepProduct(_ step: ScenarioStep.AtSubscription) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try paidUp(step.group, at: instant)
        try require(
            subscriptions[index].pendingPlan != nil, "no change of product is to come",
            hint: "add a `downgrade` before")
        try happen(at: instant)
        subscriptions[index].pendingPlan = nil
        notify(index, .didChangeRenewalPref, at: instant)
    }

    mutating func play(_ step: ScenarioStep.RaisePrice) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try paidUp(step.group, at: instant)
        try requireOwned(index)
        try require(
            subscriptions[index].autoRenews, "renewal is off, so no price is to come",
            hint: "add `enableRenewal` before")
        if let price = subscriptions[index].nextPlan.price, step.price.milliunits <= price.milliunits {
            throw error("the new price \(step.price) is not above \(price)", hint: "choose a higher one")
        }
        try happen(at: instant)
        subscriptions[index].priceIncrease = PlayedSubscription.PriceIncrease(
            price: step.price, status: step.needsConsent ? .notResponded : .consentedOrNotified)
        notify(index, .priceIncrease, step.needsConsent ? .pending : .accepted, at: instant)
    }

    mutating func acceptPrice(_ step: ScenarioStep.AtSubscription) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try paidUp(step.group, at: instant)
        try require(
            subscriptions[index].priceIncrease?.status == .notResponded, "no price increase waits for consent",
            hint: "add `raisePrice` before")
        try happen(at: instant)
        subscriptions[index].priceIncrease?.status = .consentedOrNotified
        notify(index, .priceIncrease, .accepted, at: instant)
    }

    /// The subscription whose product changes.
    private mutating func changing(_ step: ScenarioStep.PlanChange) throws(ScenarioError) -> Int {
        let instant = step.at.instant(now: now)
        let index = try paidUp(step.group, at: instant)
        try requireOwned(index)
        try require(
            subscriptions[index].nextPlan.product != step.product, "the product is `\(step.product)` already",
            hint: "name another product")
        try checkLength(step.period)
        try happen(at: instant)
        return index
    }

    /// The new plan replaces the old one at once, which Apple refunds for what is left of it.
    mutating func replace(
        _ index: Int, _ plan: PlayedSubscription.Plan, at instant: Instant, offer: PlayedOffer?
    ) throws(ScenarioError) {
        if let latest = subscriptions[index].transactions.last { transactions[latest].isUpgraded = true }
        subscriptions[index].plan = plan
        subscriptions[index].pendingPlan = nil
        subscriptions[index].pendingOffer = nil
        subscriptions[index].offer = offer
        subscriptions[index].priceIncrease = nil
        subscriptions[index].autoRenews = true
        try pay(index, from: instant, at: instant, reason: .purchase)
    }

    mutating func postpone(_ index: Int, _ plan: PlayedSubscription.Plan) {
        subscriptions[index].pendingPlan = plan
        subscriptions[index].priceIncrease = nil
        subscriptions[index].autoRenews = true
    }
}

extension ScenarioStep.PlanChange {
    fileprivate var plan: PlayedSubscription.Plan {
        PlayedSubscription.Plan(product: product, period: period, price: price)
    }
}

// Refunds, and the end of sharing.
extension ScenarioPlayer {
    /// A refund of the latest transaction ends the subscription and turns renewal off, which Apple tells too.
    mutating func play(_ step: ScenarioStep.Refund) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try subscription(step.group)
        try requireOwned(index)
        let place = try transaction(step.transaction, of: index)
        try require(
            transactions[place].revocationDate == nil,
            "the transaction `\(transactions[place].transactionId)` was refunded before",
            hint: "name another `transaction`, or add `reverseRefund` before")
        try require(
            (1...100).contains(step.percent), "`percent` is `\(step.percent)`", hint: "choose a number from 1 to 100")
        try require(
            instant >= transactions[place].purchaseDate,
            "happens at \(instant), before the purchase at \(transactions[place].purchaseDate)",
            hint: "choose a later time, or an earlier `transaction`")
        try happen(at: instant)
        transactions[place].revocationDate = instant
        transactions[place].revocationReason = step.reason.number
        transactions[place].revocationType = step.percent == 100 ? .refundFull : .refundProrated
        transactions[place].revocationPercentage = Int64(step.percent) * 1_000
        let isLatest = place == subscriptions[index].transactions.last
        let renewed = isLatest && subscriptions[index].autoRenews && subscriptions[index].endedBecause == nil
        if isLatest {
            subscriptions[index].isRevoked = true
            subscriptions[index].autoRenews = false
            subscriptions[index].failedPayment = nil
        }
        notify(index, .refund, at: instant, transaction: place)
        if renewed { notify(index, .didChangeRenewalStatus, .autoRenewDisabled, at: instant) }
    }

    /// Renewal stays off: the customer may turn it on again.
    mutating func play(_ step: ScenarioStep.ReverseRefund) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try subscription(step.group)
        let place = try transaction(step.transaction, of: index)
        try require(
            transactions[place].revocationDate != nil && transactions[place].revocationType != .familyRevoke,
            "the transaction `\(transactions[place].transactionId)` was not refunded",
            hint: "add `refund` before, or name another `transaction`")
        try happen(at: instant)
        transactions[place].revocationDate = nil
        transactions[place].revocationReason = nil
        transactions[place].revocationType = nil
        transactions[place].revocationPercentage = nil
        if place == subscriptions[index].transactions.last { subscriptions[index].isRevoked = false }
        notify(index, .refundReversed, at: instant, transaction: place)
    }

    mutating func revoke(_ step: ScenarioStep.AtSubscription) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try running(step.group)
        try require(
            subscriptions[index].ownership == .familyShared,
            "the customer bought the subscription of the group `\(subscriptions[index].group)`",
            hint: "use `refund`: only what a family member shares can be revoked")
        try happen(at: instant)
        if let latest = subscriptions[index].transactions.last {
            transactions[latest].revocationDate = instant
            transactions[latest].revocationReason = ScenarioStep.Refund.Reason.other.number
            transactions[latest].revocationType = .familyRevoke
        }
        subscriptions[index].isRevoked = true
        subscriptions[index].autoRenews = false
        subscriptions[index].failedPayment = nil
        notify(index, .revoke, at: instant)
    }

    /// The place of a subscription's n-th transaction, from 1; of its latest without a number.
    private func transaction(_ number: Int?, of index: Int) throws(ScenarioError) -> Int {
        let places = subscriptions[index].transactions
        let wanted = number ?? places.count
        guard (1...max(places.count, 1)).contains(wanted), let place = places.dropFirst(wanted - 1).first else {
            throw error(
                "the subscription has no transaction \(wanted)", hint: "choose a number from 1 to \(places.count)")
        }
        return place
    }
}

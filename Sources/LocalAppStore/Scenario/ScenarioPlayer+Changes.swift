import OfferModel

// Another product, another price.
extension ScenarioPlayer {
    mutating func upgrade(_ step: ScenarioStep.PlanChange, at instant: Instant) throws(ScenarioError) {
        let index = try changing(step, at: instant)
        try replace(index, step.plan, at: instant, offer: nil)
        notify(index, .didChangeRenewalPref, .upgrade, at: instant)
    }

    mutating func downgrade(_ step: ScenarioStep.PlanChange, at instant: Instant) throws(ScenarioError) {
        let index = try changing(step, at: instant)
        postpone(index, step.plan)
        notify(index, .didChangeRenewalPref, .downgrade, at: instant)
    }

    /// At once if it lasts as long, else with the next renewal (Apple: "Offering auto-renewable subscriptions").
    mutating func crossgrade(_ step: ScenarioStep.PlanChange, at instant: Instant) throws(ScenarioError) {
        let index = try subscription(step.group)
        guard let period = subscriptions[index].plan.period else {
            throw error("nothing says how long the product before lasts", hint: "add `period` to the `trial`")
        }
        if period == step.period { try upgrade(step, at: instant) } else { try downgrade(step, at: instant) }
    }

    mutating func keepProduct(_ group: SubscriptionGroupId?, at instant: Instant) throws(ScenarioError) {
        let index = try paidUp(group, at: instant)
        try require(
            subscriptions[index].pendingPlan != nil, "no change of product is to come",
            hint: "add a `downgrade` before")
        try happen(at: instant)
        subscriptions[index].pendingPlan = nil
        notify(index, .didChangeRenewalPref, at: instant)
    }

    mutating func raisePrice(
        _ group: SubscriptionGroupId?, to new: Money, needsConsent: Bool, at instant: Instant
    ) throws(ScenarioError) {
        let index = try paidUp(group, at: instant)
        try requireOwned(index)
        try require(
            subscriptions[index].autoRenews, "renewal is off, so no price is to come",
            hint: "add `enableRenewal` before")
        if let price = subscriptions[index].nextPlan.price, new.milliunits <= price.milliunits {
            throw error("the new price \(new) is not above \(price)", hint: "choose a higher one")
        }
        try happen(at: instant)
        subscriptions[index].priceIncrease = PlayedSubscription.PriceIncrease(
            price: new, status: needsConsent ? .notResponded : .consentedOrNotified)
        notify(index, .priceIncrease, needsConsent ? .pending : .accepted, at: instant)
    }

    mutating func acceptPrice(_ group: SubscriptionGroupId?, at instant: Instant) throws(ScenarioError) {
        let index = try paidUp(group, at: instant)
        try require(
            subscriptions[index].priceIncrease?.status == .notResponded, "no price increase waits for consent",
            hint: "add `raisePrice` before")
        try happen(at: instant)
        subscriptions[index].priceIncrease?.status = .consentedOrNotified
        notify(index, .priceIncrease, .accepted, at: instant)
    }

    private mutating func changing(
        _ step: ScenarioStep.PlanChange, at instant: Instant
    ) throws(ScenarioError) -> Int {
        let index = try paidUp(step.group, at: instant)
        try requireOwned(index)
        try require(
            subscriptions[index].nextPlan.product != step.product, "the product is `\(step.product)` already",
            hint: "name another product")
        try checkLength(step.period)
        try happen(at: instant)
        return index
    }

    /// The new plan replaces the old one at once, and Apple refunds the rest of the old one.
    mutating func replace(
        _ index: Int, _ plan: PlayedSubscription.Plan, at instant: Instant, offer: PlayedOffer?
    ) throws(ScenarioError) {
        if let latest = subscriptions[index].transactions.last { transactions[latest].isUpgraded = true }
        subscriptions[index].change(to: plan, offer)
        subscriptions[index].autoRenews = true
        try pay(index, from: instant, at: instant, reason: .purchase)
    }

    mutating func postpone(_ index: Int, _ plan: PlayedSubscription.Plan) {
        subscriptions[index].pendingPlan = plan
        subscriptions[index].priceIncrease = nil
        subscriptions[index].autoRenews = true
    }
}

extension Transaction {
    /// Without a date: takes a revocation back.
    fileprivate mutating func revoke(
        at instant: Instant?, _ reason: ScenarioStep.RefundReason?, _ type: RevocationType?, thousandths: Int64? = nil
    ) {
        (revocationDate, revocationReason) = (instant, reason?.number)
        (revocationType, revocationPercentage) = (type, thousandths)
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
    mutating func refund(
        _ number: Int?, of group: SubscriptionGroupId?, percent: Int, _ reason: ScenarioStep.RefundReason,
        at instant: Instant
    ) throws(ScenarioError) {
        let index = try subscription(group)
        try requireOwned(index)
        let place = try transaction(number, of: index)
        try require(
            transactions[place].revocationDate == nil,
            "the transaction `\(transactions[place].transactionId)` was refunded before",
            hint: "name another `transaction`, or add `reverseRefund` before")
        try require((1...100).contains(percent), "`percent` is `\(percent)`", hint: "choose a number from 1 to 100")
        try require(
            instant >= transactions[place].purchaseDate,
            "happens at \(instant), before the purchase at \(transactions[place].purchaseDate)",
            hint: "choose a later time, or an earlier `transaction`")
        try happen(at: instant)
        transactions[place].revoke(
            at: instant, reason, percent == 100 ? .refundFull : .refundProrated, thousandths: Int64(percent) * 1_000)
        let isLatest = place == subscriptions[index].transactions.last
        let renewed = isLatest && subscriptions[index].autoRenews && subscriptions[index].endedBecause == nil
        if isLatest { subscriptions[index].revoke() }
        notify(index, .refund, at: instant, transaction: place)
        if renewed { notify(index, .didChangeRenewalStatus, .autoRenewDisabled, at: instant) }
    }

    /// Renewal stays off: the customer may turn it on again.
    mutating func reverseRefund(
        _ number: Int?, of group: SubscriptionGroupId?, at instant: Instant
    ) throws(ScenarioError) {
        let index = try subscription(group)
        let place = try transaction(number, of: index)
        try require(
            transactions[place].revocationDate != nil && transactions[place].revocationType != .familyRevoke,
            "the transaction `\(transactions[place].transactionId)` was not refunded",
            hint: "add `refund` before, or name another `transaction`")
        try happen(at: instant)
        transactions[place].revoke(at: nil, nil, nil)
        if place == subscriptions[index].transactions.last { subscriptions[index].isRevoked = false }
        notify(index, .refundReversed, at: instant, transaction: place)
    }

    mutating func revoke(_ group: SubscriptionGroupId?, at instant: Instant) throws(ScenarioError) {
        let index = try running(group)
        try require(
            subscriptions[index].ownership == .familyShared,
            "the customer bought the subscription of the group `\(subscriptions[index].group)`",
            hint: "use `refund`: only what a family member shares can be revoked")
        try happen(at: instant)
        if let latest = subscriptions[index].transactions.last {
            transactions[latest].revoke(at: instant, .other, .familyRevoke)
        }
        subscriptions[index].revoke()
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

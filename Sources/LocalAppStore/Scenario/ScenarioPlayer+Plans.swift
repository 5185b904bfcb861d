import OfferModel

// Another product, another price.
extension ScenarioPlayer {
    mutating func upgrade(_ step: ScenarioStep.PlanChange, _ path: String) throws(ScenarioError) {
        let index = try changing(step, path)
        try replace(index, step.plan, at: step.at.instant(now: now), offer: nil, path)
        notify(index, .didChangeRenewalPref, .upgrade, at: step.at.instant(now: now))
    }

    mutating func downgrade(_ step: ScenarioStep.PlanChange, _ path: String) throws(ScenarioError) {
        let index = try changing(step, path)
        postpone(index, step.plan)
        notify(index, .didChangeRenewalPref, .downgrade, at: step.at.instant(now: now))
    }

    /// At once if it lasts as long, else with the next renewal (Apple: "Offering auto-renewable subscriptions").
    mutating func crossgrade(_ step: ScenarioStep.PlanChange, _ path: String) throws(ScenarioError) {
        let index = try subscription(step.group, path)
        guard let period = subscriptions[index].plan.period else {
            throw ScenarioError(
                path: path, message: "nothing says how long the product before lasts",
                hint: "add `period` to the `trial`")
        }
        if period == step.period {
            try upgrade(step, path)
        } else {
            try downgrade(step, path)
        }
    }

    mutating func keepProduct(_ step: ScenarioStep.AtSubscription, _ path: String) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try paidUp(step.group, at: instant, path)
        guard subscriptions[index].pendingPlan != nil else {
            throw ScenarioError(
                path: path, message: "no change of product is to come", hint: "add a `downgrade` before")
        }
        try happen(at: instant, path)
        subscriptions[index].pendingPlan = nil
        notify(index, .didChangeRenewalPref, at: instant)
    }

    mutating func play(_ step: ScenarioStep.RaisePrice, _ path: String) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try paidUp(step.group, at: instant, path)
        try requireOwned(index, path)
        guard subscriptions[index].autoRenews else {
            throw ScenarioError(
                path: path, message: "renewal is off, so no price is to come", hint: "add `enableRenewal` before")
        }
        if let price = subscriptions[index].nextPlan.price, step.price.milliunits <= price.milliunits {
            throw ScenarioError(
                path: path, message: "the new price \(step.price) is not above \(price)", hint: "choose a higher one")
        }
        try happen(at: instant, path)
        subscriptions[index].priceIncrease = PlayedSubscription.PriceIncrease(
            price: step.price, status: step.needsConsent ? .notResponded : .consentedOrNotified)
        notify(index, .priceIncrease, step.needsConsent ? .pending : .accepted, at: instant)
    }

    mutating func acceptPrice(_ step: ScenarioStep.AtSubscription, _ path: String) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try paidUp(step.group, at: instant, path)
        guard subscriptions[index].priceIncrease?.status == .notResponded else {
            throw ScenarioError(
                path: path, message: "no price increase waits for consent", hint: "add `raisePrice` before")
        }
        try happen(at: instant, path)
        subscriptions[index].priceIncrease?.status = .consentedOrNotified
        notify(index, .priceIncrease, .accepted, at: instant)
    }

    /// The subscription whose product changes.
    private mutating func changing(
        _ step: ScenarioStep.PlanChange, _ path: String
    ) throws(ScenarioError) -> Int {
        let instant = step.at.instant(now: now)
        let index = try paidUp(step.group, at: instant, path)
        try requireOwned(index, path)
        guard subscriptions[index].nextPlan.product != step.product else {
            throw ScenarioError(
                path: path, message: "the product is `\(step.product)` already", hint: "name another product")
        }
        try checkLength(step.period, path)
        try happen(at: instant, path)
        return index
    }

    /// The new plan takes the place of the old one at once, which Apple refunds for what is left of it.
    mutating func replace(
        _ index: Int, _ plan: PlayedSubscription.Plan, at instant: Instant, offer: PlayedOffer?, _ path: String
    ) throws(ScenarioError) {
        if let latest = subscriptions[index].transactions.last { transactions[latest].isUpgraded = true }
        subscriptions[index].plan = plan
        subscriptions[index].pendingPlan = nil
        subscriptions[index].pendingOffer = nil
        subscriptions[index].offer = offer
        subscriptions[index].priceIncrease = nil
        subscriptions[index].autoRenews = true
        try pay(index, from: instant, at: instant, reason: .purchase, path)
    }

    /// The new plan begins with the next renewal.
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

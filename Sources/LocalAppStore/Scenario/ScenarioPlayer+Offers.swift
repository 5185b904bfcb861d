import OfferModel

// The redemption of an offer (Apple: "Implementing promotional offers in your app", "Supporting offer codes in your
// app", "Supporting win-back offers in your app").
extension ScenarioPlayer {
    mutating func play(_ step: ScenarioStep.Redeem, _ path: String) throws(ScenarioError) {
        try checkTerms(step, path)
        guard let group = step.group ?? latestGroup else {
            throw ScenarioError(
                path: path, message: "nothing says which group the offer is of", hint: "add `group` and `product`")
        }
        let instant = step.at.instant(now: now)
        if let index = subscriptions.lastIndex(where: { $0.group == group }),
            !subscriptions[index].isOver(at: instant)
        {
            try redeemWhileRunning(step, index, at: instant, path)
        } else {
            try redeemAnew(step, group, at: instant, path)
        }
    }

    private func checkTerms(_ step: ScenarioStep.Redeem, _ path: String) throws(ScenarioError) {
        guard (1...12).contains(step.periodCount) else {
            throw ScenarioError(
                path: path, message: "`periodCount` is `\(step.periodCount)`", hint: "choose a number from 1 to 12")
        }
        try checkLength(step.period.multiplied(by: step.periodCount), path)
        guard (step.type == .introductory) == (step.offerIdentifier == nil) else {
            throw ScenarioError(
                path: path, message: "only an introductory offer has no identifier",
                hint: "add or remove `offerIdentifier`")
        }
        guard (step.paymentMode == .freeTrial) == (step.price == nil) else {
            throw ScenarioError(
                path: path, message: "only a free trial has no price", hint: "add or remove `price`")
        }
    }

    /// Somebody without a subscription in the group begins one with the offer.
    private mutating func redeemAnew(
        _ step: ScenarioStep.Redeem, _ group: SubscriptionGroupId, at instant: Instant, _ path: String
    ) throws(ScenarioError) {
        let before = subscriptions.last { $0.group == group }
        switch step.type {
        case .introductory: try requireUnusedIntroductory(group, path)
        case .promotional:
            guard subscriptions.contains(where: { $0.ownership == .purchased }) else {
                throw ScenarioError(
                    path: path, message: "the customer never bought a subscription",
                    hint: "the App Store gives promotional offers to those who have or had one: begin with `buy`")
            }
        case .winBack:
            guard before?.ownership == .purchased else {
                throw ScenarioError(
                    path: path, message: "the customer never bought a subscription of the group `\(group)`",
                    hint: "win-back offers are for those who left: begin with `buy` and `expire`")
            }
        case .offerCode: break
        }
        guard step.change == nil else {
            throw ScenarioError(
                path: path, message: "there is no running subscription to change", hint: "remove `change`")
        }
        guard let product = step.product ?? before?.plan.product else {
            throw ScenarioError(
                path: path, message: "nothing says which product the offer is of", hint: "add `product`")
        }
        let plan = PlayedSubscription.Plan(
            product: product, period: step.regular?.period ?? before?.plan.period,
            price: step.regular?.price ?? before?.plan.price)
        try begin(group: group, plan, at: instant, offer: PlayedOffer(step, currency: plan.price?.currency), path)
    }

    /// A subscriber's offer begins with the next renewal, or at once with an upgrade.
    private mutating func redeemWhileRunning(
        _ step: ScenarioStep.Redeem, _ index: Int, at instant: Instant, _ path: String
    ) throws(ScenarioError) {
        guard step.type == .promotional || step.type == .offerCode else {
            throw ScenarioError(
                path: path, message: "the group `\(subscriptions[index].group)` has a subscription already",
                hint: "`\(step.type.rawValue)` offers are for those who have none: end it first with `expire`")
        }
        _ = try paidUp(subscriptions[index].group, at: instant, path)
        try requireOwned(index, path)
        let current = subscriptions[index].nextPlan
        let plan = PlayedSubscription.Plan(
            product: step.product ?? current.product, period: step.regular?.period ?? current.period,
            price: step.regular?.price ?? current.price)
        guard (step.change != nil) == (plan.product != current.product) else {
            throw ScenarioError(
                path: path,
                message: step.change == nil
                    ? "the product is another than `\(current.product)`"
                    : "the product is `\(current.product)` already",
                hint: "write `change: upgrade` or `change: downgrade` with another product, and only then")
        }
        try happen(at: instant, path)
        let offer = PlayedOffer(step, currency: plan.price?.currency)
        switch step.change {
        case .upgrade: try replace(index, plan, at: instant, offer: offer, path)
        case .downgrade:
            postpone(index, plan)
            subscriptions[index].pendingOffer = offer
        case nil:
            subscriptions[index].pendingOffer = offer
            subscriptions[index].autoRenews = true
        }
        let subtype: NotificationSubtype? = step.change.map { $0 == .upgrade ? .upgrade : .downgrade }
        notify(index, .offerRedeemed, subtype, at: instant)
    }
}

import OfferModel

// How a subscription goes on or ends, and when it cannot have done so.
extension ScenarioPlayer {
    mutating func play(_ step: ScenarioStep.Renew, _ path: String) throws(ScenarioError) {
        guard (1...500).contains(step.times) else {
            throw ScenarioError(
                path: path, message: "`times` is `\(step.times)`", hint: "choose a number from 1 to 500")
        }
        guard step.times == 1 || step.at == nil else {
            throw ScenarioError(
                path: path, message: "several renewals cannot all happen at one time",
                hint: "remove `at` or `times`")
        }
        for _ in 0..<step.times {
            try renewOnce(step, path)
        }
    }

    private mutating func renewOnce(_ step: ScenarioStep.Renew, _ path: String) throws(ScenarioError) {
        let index = try running(step.group, path)
        let subscription = subscriptions[index]
        guard subscription.failedPayment == nil else {
            throw ScenarioError(
                path: path, message: "the payment failed before", hint: "use `recover`: the App Store tries again")
        }
        try requireRenewing(index, path)
        if subscription.nextOffer != nil, step.period != nil || step.price != nil {
            throw ScenarioError(
                path: path, message: "this renewal is paid as the offer says",
                hint: "remove `period` and `price`")
        }
        let due = subscription.expiresDate
        let instant = step.at?.instant(now: now) ?? due
        guard instant >= due.adding(milliseconds: -Instant.Duration.day) else {
            throw ScenarioError(
                path: path, message: "renewed at \(instant), but the period ends at \(due)",
                hint: "the App Store charges at most 24 hours early; leave `at` out to renew on time")
        }
        let isLate = instant > due
        if isLate {
            try happen(at: max(due, lastHappened ?? due), path)
            subscriptions[index].failedPayment = PlayedSubscription.FailedPayment()
            notify(index, .didFailToRenew, at: due.adding(milliseconds: 1))
        }
        try charge(index, at: instant, from: max(instant, due), (step.period, step.price), isRecovery: isLate, path)
    }

    /// The payment of a renewal: its offer, its plan and its price take the place of the ones before.
    private mutating func charge(
        _ index: Int, at instant: Instant, from start: Instant, _ terms: (period: Period?, price: Money?),
        isRecovery: Bool, _ path: String
    ) throws(ScenarioError) {
        var plan = subscriptions[index].nextPlan
        plan.period = terms.period ?? plan.period
        plan.price = terms.price ?? plan.price
        guard plan.period != nil || subscriptions[index].nextOffer != nil else {
            throw ScenarioError(
                path: path, message: "nothing says how long a renewal lasts", hint: "add `period` to the `trial`")
        }
        let isOwned = subscriptions[index].ownership == .purchased
        guard plan.price != nil || !isOwned || subscriptions[index].nextOffer != nil else {
            throw ScenarioError(
                path: path, message: "nothing says what a renewal costs", hint: "add `price` to the `trial`")
        }
        if let period = plan.period { try checkLength(period, path) }
        try happen(at: instant, path)
        subscriptions[index].plan = plan
        subscriptions[index].offer = subscriptions[index].nextOffer
        subscriptions[index].pendingPlan = nil
        subscriptions[index].pendingOffer = nil
        subscriptions[index].priceIncrease = nil
        subscriptions[index].failedPayment = nil
        try pay(index, from: start, at: instant, reason: .renewal, path)
        notify(index, .didRenew, isRecovery ? .billingRecovery : nil, at: instant)
    }

    mutating func play(_ step: ScenarioStep.FailToRenew, _ path: String) throws(ScenarioError) {
        let index = try running(step.group, path)
        guard subscriptions[index].failedPayment == nil else {
            throw ScenarioError(path: path, message: "the payment failed before", hint: "remove one `failToRenew`")
        }
        try requireRenewing(index, path)
        let due = subscriptions[index].expiresDate
        let instant = step.at?.instant(now: now) ?? due
        guard instant >= due else {
            throw ScenarioError(
                path: path, message: "failed at \(instant), but the period ends at \(due)",
                hint: "leave `at` out: a payment fails when it is due")
        }
        try requireOver(due, path)
        if let grace = step.grace { try checkLength(grace, path) }
        try happen(at: instant, path)
        subscriptions[index].failedPayment = PlayedSubscription.FailedPayment(graceEnds: step.grace.map(due.adding))
        notify(index, .didFailToRenew, step.grace == nil ? nil : .gracePeriod, at: instant.adding(milliseconds: 1))
    }

    /// Within grace nothing of the paid time is lost; after it a new period begins with the payment (Apple: "Reducing
    /// involuntary subscriber churn").
    mutating func recover(_ step: ScenarioStep.AtSubscription, _ path: String) throws(ScenarioError) {
        let index = try running(step.group, path)
        let instant = step.at.instant(now: now)
        guard let failed = subscriptions[index].failedPayment else {
            throw ScenarioError(
                path: path, message: "no payment failed before", hint: "add `failToRenew`, or use `renew`")
        }
        let due = subscriptions[index].expiresDate
        let isInGrace = failed.graceEnds.map { instant < $0 } ?? false
        try charge(index, at: instant, from: isInGrace ? due : max(instant, due), (nil, nil), isRecovery: true, path)
    }

    mutating func cancel(_ step: ScenarioStep.AtSubscription, _ path: String) throws(ScenarioError) {
        let index = try running(step.group, path)
        let instant = step.at.instant(now: now)
        try requireOwned(index, path)
        guard subscriptions[index].autoRenews else {
            throw ScenarioError(
                path: path, message: "renewal was turned off before", hint: "remove one `cancel`")
        }
        guard instant < subscriptions[index].expiresDate else {
            throw ScenarioError(
                path: path,
                message: "cancelled at \(instant), but the period ends at \(subscriptions[index].expiresDate)",
                hint: "cancel before the end, or add a `renew`")
        }
        try happen(at: instant, path)
        subscriptions[index].autoRenews = false
        notify(index, .didChangeRenewalStatus, .autoRenewDisabled, at: instant)
    }

    mutating func enableRenewal(_ step: ScenarioStep.AtSubscription, _ path: String) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try paidUp(step.group, at: instant, path)
        try requireOwned(index, path)
        guard !subscriptions[index].autoRenews else {
            throw ScenarioError(
                path: path, message: "renewal is on already", hint: "remove `enableRenewal`, or add a `cancel` before")
        }
        try happen(at: instant, path)
        subscriptions[index].autoRenews = true
        notify(index, .didChangeRenewalStatus, .autoRenewEnabled, at: instant)
    }

    private func requireRenewing(_ index: Int, _ path: String) throws(ScenarioError) {
        guard subscriptions[index].autoRenews else {
            throw ScenarioError(
                path: path, message: "renewal was turned off by an earlier `cancel`",
                hint: "remove the `cancel`, or use `buy` after \(subscriptions[index].expiresDate)")
        }
        guard subscriptions[index].priceIncrease?.status != .notResponded else {
            throw ScenarioError(
                path: path, message: "the customer has not consented to the higher price",
                hint: "add `acceptPrice`, or let it `expire`")
        }
    }

    func requireOver(_ end: Instant, _ path: String) throws(ScenarioError) {
        guard end < signedAt else {
            throw ScenarioError(
                path: path, message: "the period ends at \(end), not before everything is signed at \(signedAt)",
                hint: "begin earlier, or leave `\(path.split(separator: ".").last ?? "")` out")
        }
    }
}

import OfferModel

// How a subscription goes on or ends, and when it cannot have done so.
extension ScenarioPlayer {
    mutating func renew(
        _ group: SubscriptionGroupId?, at instant: Instant?, _ period: Period?, _ price: Money?, times: Int
    ) throws(ScenarioError) {
        try require((1...500).contains(times), "`times` is `\(times)`", hint: "choose a number from 1 to 500")
        try require(
            times == 1 || instant == nil, "several renewals cannot all happen at one time",
            hint: "remove `at` or `times`")
        for _ in 0..<times { try renewOnce(group, at: instant, period, price) }
    }

    private mutating func renewOnce(
        _ group: SubscriptionGroupId?, at instant: Instant?, _ period: Period?, _ price: Money?
    ) throws(ScenarioError) {
        let index = try running(group)
        let subscription = subscriptions[index]
        try require(
            subscription.failedPayment == nil, "the payment failed before",
            hint: "use `recover`: the App Store tries again")
        try requireRenewing(index)
        if subscription.nextOffer != nil, period != nil || price != nil {
            throw error("this renewal is paid as the offer says", hint: "remove `period` and `price`")
        }
        let due = subscription.expiresDate
        let instant = instant ?? due
        try require(
            instant >= due.adding(milliseconds: -Instant.Duration.day),
            "renewed at \(instant), but the period ends at \(due)",
            hint: "the App Store charges at most 24 hours early; leave `at` out to renew on time")
        let isLate = instant > due
        if isLate {
            try happen(at: max(due, lastHappened ?? due))
            subscriptions[index].failedPayment = PlayedSubscription.FailedPayment()
            notify(index, .didFailToRenew, at: due.adding(milliseconds: 1))
        }
        try charge(index, at: instant, from: max(instant, due), period, price, isRecovery: isLate)
    }

    /// The payment of a renewal: its offer, its plan and its price replace the ones before.
    private mutating func charge(
        _ index: Int, at instant: Instant, from start: Instant, _ period: Period? = nil, _ price: Money? = nil,
        isRecovery: Bool
    ) throws(ScenarioError) {
        var plan = subscriptions[index].nextPlan
        plan.period = period ?? plan.period
        plan.price = price ?? plan.price
        try require(
            plan.period != nil || subscriptions[index].nextOffer != nil, "nothing says how long a renewal lasts",
            hint: "add `period` to the `trial`")
        let isOwned = subscriptions[index].ownership == .purchased
        try require(
            plan.price != nil || !isOwned || subscriptions[index].nextOffer != nil, "nothing says what a renewal costs",
            hint: "add `price` to the `trial`")
        if let period = plan.period { try checkLength(period) }
        try happen(at: instant)
        subscriptions[index].change(to: plan, subscriptions[index].nextOffer)
        subscriptions[index].failedPayment = nil
        try pay(index, from: start, at: instant, reason: .renewal)
        notify(index, .didRenew, isRecovery ? .billingRecovery : nil, at: instant)
    }

    mutating func failToRenew(
        _ group: SubscriptionGroupId?, at instant: Instant?, _ grace: Period?
    ) throws(ScenarioError) {
        let index = try running(group)
        try require(
            subscriptions[index].failedPayment == nil, "the payment failed before", hint: "remove one `failToRenew`")
        try requireRenewing(index)
        let due = subscriptions[index].expiresDate
        let instant = instant ?? due
        try require(
            instant >= due, "failed at \(instant), but the period ends at \(due)",
            hint: "leave `at` out: a payment fails when it is due")
        try requireOver(due)
        if let grace { try checkLength(grace) }
        try happen(at: instant)
        subscriptions[index].failedPayment = PlayedSubscription.FailedPayment(graceEnds: grace.map(due.adding))
        notify(index, .didFailToRenew, grace == nil ? nil : .gracePeriod, at: instant.adding(milliseconds: 1))
    }

    /// Within grace nothing of the paid time is lost; after it a new period begins with the payment (Apple: "Reducing
    /// involuntary subscriber churn").
    mutating func recover(_ group: SubscriptionGroupId?, at instant: Instant) throws(ScenarioError) {
        let index = try running(group)
        guard let failed = subscriptions[index].failedPayment else {
            throw error("no payment failed before", hint: "add `failToRenew`, or use `renew`")
        }
        let due = subscriptions[index].expiresDate
        let isInGrace = failed.graceEnds.map { instant < $0 } ?? false
        try charge(index, at: instant, from: isInGrace ? due : max(instant, due), isRecovery: true)
    }

    mutating func cancel(_ group: SubscriptionGroupId?, at instant: Instant) throws(ScenarioError) {
        let index = try running(group)
        try requireOwned(index)
        try require(subscriptions[index].autoRenews, "renewal was turned off before", hint: "remove one `cancel`")
        try require(
            instant < subscriptions[index].expiresDate,
            "cancelled at \(instant), but the period ends at \(subscriptions[index].expiresDate)",
            hint: "cancel before the end, or add a `renew`")
        try happen(at: instant)
        subscriptions[index].autoRenews = false
        notify(index, .didChangeRenewalStatus, .autoRenewDisabled, at: instant)
    }

    mutating func enableRenewal(_ group: SubscriptionGroupId?, at instant: Instant) throws(ScenarioError) {
        let index = try paidUp(group, at: instant)
        try requireOwned(index)
        try require(
            !subscriptions[index].autoRenews, "renewal is on already",
            hint: "remove `enableRenewal`, or add a `cancel` before")
        try happen(at: instant)
        subscriptions[index].autoRenews = true
        notify(index, .didChangeRenewalStatus, .autoRenewEnabled, at: instant)
    }

    private func requireRenewing(_ index: Int) throws(ScenarioError) {
        try require(
            subscriptions[index].autoRenews, "renewal was turned off by an earlier `cancel`",
            hint: "remove the `cancel`, or use `buy` after \(subscriptions[index].expiresDate)")
        try require(
            subscriptions[index].priceIncrease?.status != .notResponded,
            "the customer has not consented to the higher price",
            hint: "add `acceptPrice`, or let it `expire`")
    }

    func requireOver(_ end: Instant) throws(ScenarioError) {
        try require(
            end < signedAt, "the period ends at \(end), not before everything is signed at \(signedAt)",
            hint: "begin earlier, or leave `\(stepPath.split(separator: ".").last ?? "")` out")
    }
}

// How a subscription ends.
extension ScenarioPlayer {
    mutating func expire(
        _ group: SubscriptionGroupId?, at instant: Instant?, _ stated: ExpirationIntent?
    ) throws(ScenarioError) {
        let index = try running(group)
        let subscription = subscriptions[index]
        let reason = stated ?? Self.reason(for: subscription)
        let end = try end(of: subscription, instant)
        try requireOver(end)
        let isTold = subscription.hasLapsed
        settle(before: end)
        lastHappened = lastHappened.map { max($0, end) } ?? end
        subscriptions[index].autoRenews = false
        subscriptions[index].failedPayment = nil
        subscriptions[index].priceIncrease = nil
        subscriptions[index].endedBecause = reason
        guard !isTold else { return }
        subscriptions[index].hasLapsed = true
        notify(index, .expired, Self.subtype(of: reason), at: end.adding(milliseconds: 1))
    }

    /// With its period, or when Apple gave up charging.
    private mutating func end(
        of subscription: PlayedSubscription, _ instant: Instant?
    ) throws(ScenarioError) -> Instant {
        guard subscription.failedPayment != nil else {
            try require(
                instant == nil, "a subscription without a failed payment ends with its period", hint: "remove `at`")
            return subscription.expiresDate
        }
        guard let instant else {
            return subscription.expiresDate.adding(milliseconds: Self.retryLife)
        }
        try happen(at: instant)
        return instant
    }

    private static func reason(for subscription: PlayedSubscription) -> ExpirationIntent {
        if subscription.failedPayment != nil { return .billingError }
        return subscription.priceIncrease?.status == .notResponded ? .priceIncreaseNotConsented : .customerCancelled
    }

    private static func subtype(of reason: ExpirationIntent) -> NotificationSubtype? {
        switch reason {
        case .customerCancelled: .voluntary
        case .billingError: .billingRetry
        case .priceIncreaseNotConsented: .priceIncrease
        case .productNotAvailable: .productNotForSale
        default: nil
        }
    }

    /// Apple: billing retry lasts 60 days.
    private static let retryLife = 60 * Instant.Duration.day
}

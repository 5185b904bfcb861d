import OfferModel

// How a subscription ends.
extension ScenarioPlayer {
    mutating func play(_ step: ScenarioStep.Expire, _ path: String) throws(ScenarioError) {
        let index = try running(step.group, path)
        let subscription = subscriptions[index]
        let reason = step.reason ?? Self.reason(for: subscription)
        let end = try end(of: subscription, step.at, path)
        try requireOver(end, path)
        let isTold = subscription.hasLapsed
        settle(before: end)
        lastHappened = lastHappened.map { max($0, end) } ?? end
        subscriptions[index].autoRenews = false
        subscriptions[index].failedPayment = nil
        subscriptions[index].priceIncrease = nil
        subscriptions[index].endedBecause = reason.expirationIntent
        guard !isTold else { return }
        subscriptions[index].hasLapsed = true
        notify(index, .expired, Self.subtype(of: reason), at: end.adding(milliseconds: 1))
    }

    /// With its period, or when Apple gave up charging.
    private mutating func end(
        of subscription: PlayedSubscription, _ time: ScenarioTime?, _ path: String
    ) throws(ScenarioError) -> Instant {
        guard subscription.failedPayment != nil else {
            guard time == nil else {
                throw ScenarioError(
                    path: path, message: "a subscription without a failed payment ends with its period",
                    hint: "remove `at`")
            }
            return subscription.expiresDate
        }
        guard let instant = time?.instant(now: now) else {
            return subscription.expiresDate.adding(milliseconds: Self.retryLife)
        }
        try happen(at: instant, path)
        return instant
    }

    private static func reason(for subscription: PlayedSubscription) -> ScenarioStep.Expire.Reason {
        if subscription.failedPayment != nil { return .billingError }
        return subscription.priceIncrease?.status == .notResponded ? .priceIncreaseNotConsented : .customerCancelled
    }

    private static func subtype(of reason: ScenarioStep.Expire.Reason) -> NotificationSubtype? {
        switch reason {
        case .customerCancelled: .voluntary
        case .billingError: .billingRetry
        case .priceIncreaseNotConsented: .priceIncrease
        case .productNotAvailable: .productNotForSale
        case .other: nil
        }
    }

    /// Apple: billing retry lasts 60 days.
    private static let retryLife = 60 * Instant.Duration.day
}

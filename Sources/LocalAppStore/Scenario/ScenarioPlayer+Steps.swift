import OfferModel

// What each verb means, and when it cannot have happened.
extension ScenarioPlayer {
    mutating func play(_ step: ScenarioStep.AppTransaction, _ path: String) throws(ScenarioError) {
        guard appTransaction == nil else {
            throw ScenarioError(
                path: path, message: "the customer has an app transaction already", hint: "remove one of them")
        }
        guard let id = scenario.customer.appTransactionId else {
            throw ScenarioError(
                path: path, message: "an app transaction needs its id", hint: "add `customer.appTransactionId`")
        }
        let instant = step.at.instant(now: now)
        try happen(at: instant, path)
        var made = AppTransaction(bundleId: scenario.bundleId, receiptCreationDate: signedAt)
        made.appAppleId = scenario.appAppleId
        made.appTransactionId = id
        made.originalPurchaseDate = instant
        made.originalApplicationVersion = step.appVersion
        made.applicationVersion = step.appVersion
        made.receiptType = scenario.environment.rawValue
        appTransaction = made
    }

    mutating func play(_ step: ScenarioStep.Trial, _ path: String) throws(ScenarioError) {
        try checkLength(step.length, path)
        if subscriptions.contains(where: { $0.group == step.group && $0.hasUsedTrial }) {
            throw ScenarioError(
                path: path, message: "the trial of the group `\(step.group)` was used before",
                hint: "use `buy`: the App Store gives one introductory offer in a group")
        }
        let index = try begin(
            group: step.group, product: step.product, at: step.at.instant(now: now), length: step.length,
            renewal: (step.period, step.price), isTrial: true, path)
        try append(index, reason: .purchase, price: 0, currency: step.price?.currency, path) {
            $0.offerType = .introductory
            $0.offerDiscountType = .freeTrial
            $0.offerPeriod = step.length.description
        }
    }

    mutating func play(_ step: ScenarioStep.Buy, _ path: String) throws(ScenarioError) {
        try checkLength(step.period, path)
        let index = try begin(
            group: step.group, product: step.product, at: step.at.instant(now: now), length: step.period,
            renewal: (step.period, step.price), isTrial: false, path)
        try append(index, reason: .purchase, price: step.price.milliunits, currency: step.price.currency, path)
    }

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
        var subscription = subscriptions[index]
        guard subscription.autoRenews else {
            throw ScenarioError(
                path: path, message: "renewal was turned off by an earlier `cancel`",
                hint: "remove the `cancel`, or use `buy` after \(subscription.expiresDate)")
        }
        guard let period = step.period ?? subscription.period else {
            throw ScenarioError(
                path: path, message: "nothing says how long a renewal lasts", hint: "add `period` to the `trial`")
        }
        guard let price = step.price ?? subscription.price else {
            throw ScenarioError(
                path: path, message: "nothing says what a renewal costs", hint: "add `price` to the `trial`")
        }
        try checkLength(period, path)
        let due = subscription.expiresDate
        let instant = step.at?.instant(now: now) ?? due
        guard instant >= due.adding(milliseconds: -Instant.Duration.day) else {
            throw ScenarioError(
                path: path, message: "renewed at \(instant), but the period ends at \(due)",
                hint: "the App Store charges at most 24 hours early; leave `at` out to renew on time")
        }
        try happen(at: instant, path)
        subscription.periodStart = instant
        subscription.expiresDate = max(instant, due).adding(period)
        subscription.period = period
        subscription.price = price
        subscriptions[index] = subscription
        try append(index, reason: .renewal, price: price.milliunits, currency: price.currency, path)
    }

    mutating func play(_ step: ScenarioStep.Cancel, _ path: String) throws(ScenarioError) {
        let index = try running(step.group, path)
        let subscription = subscriptions[index]
        let instant = step.at.instant(now: now)
        guard subscription.autoRenews else {
            throw ScenarioError(
                path: path, message: "renewal was turned off before", hint: "remove one `cancel`")
        }
        guard instant < subscription.expiresDate else {
            throw ScenarioError(
                path: path, message: "cancelled at \(instant), but the period ends at \(subscription.expiresDate)",
                hint: "cancel before the end, or add a `renew`")
        }
        try happen(at: instant, path)
        subscriptions[index].autoRenews = false
    }

    mutating func play(_ step: ScenarioStep.Expire, _ path: String) throws(ScenarioError) {
        let index = try running(step.group, path)
        let end = subscriptions[index].expiresDate
        guard end < signedAt else {
            throw ScenarioError(
                path: path, message: "the period ends at \(end), not before everything is signed at \(signedAt)",
                hint: "begin earlier, or leave `expire` out")
        }
        lastHappened = lastHappened.map { max($0, end) } ?? end
        subscriptions[index].autoRenews = false
        subscriptions[index].endedBecause = step.reason.expirationIntent
    }
}

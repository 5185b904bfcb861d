import OfferModel

// How a customer comes, and when one cannot have come so.
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
        try requireUnusedIntroductory(step.group, path)
        try begin(
            group: step.group,
            PlayedSubscription.Plan(product: step.product, period: step.period, price: step.price),
            at: step.at.instant(now: now),
            offer: PlayedOffer(trialOf: step.length, currency: step.price?.currency), path)
    }

    mutating func play(_ step: ScenarioStep.Buy, _ path: String) throws(ScenarioError) {
        try begin(
            group: step.group,
            PlayedSubscription.Plan(product: step.product, period: step.period, price: step.price),
            at: step.at.instant(now: now), path)
    }

    mutating func play(_ step: ScenarioStep.Resubscribe, _ path: String) throws(ScenarioError) {
        let index = try subscription(step.group, path)
        var plan = subscriptions[index].nextPlan
        plan.product = step.product ?? subscriptions[index].plan.product
        plan.period = step.period ?? plan.period
        plan.price = step.price ?? subscriptions[index].plan.price
        guard plan.price != nil else {
            throw ScenarioError(
                path: path, message: "nothing says what the subscription costs", hint: "add `period` and `price`")
        }
        try begin(group: subscriptions[index].group, plan, at: step.at.instant(now: now), path)
    }

    mutating func play(_ step: ScenarioStep.Share, _ path: String) throws(ScenarioError) {
        try begin(
            group: step.group, PlayedSubscription.Plan(product: step.product, period: step.period),
            at: step.at.instant(now: now), ownership: .familyShared, path)
    }

    func requireUnusedIntroductory(_ group: SubscriptionGroupId, _ path: String) throws(ScenarioError) {
        guard !subscriptions.contains(where: { $0.group == group && $0.hasUsedIntroductory }) else {
            throw ScenarioError(
                path: path, message: "the trial of the group `\(group)` was used before",
                hint: "use `buy`: the App Store gives one introductory offer in a group")
        }
    }
}

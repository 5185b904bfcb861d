import OfferModel

/// Plays the steps of a scenario one after the other.
struct ScenarioPlayer {
    var transactions: [Transaction] = []
    var appTransaction: AppTransaction?
    var notifications: [PlayedNotification] = []

    let scenario: Scenario
    let now: Instant
    let signedAt: Instant
    /// What ids begin with, so that those of one customer are never another's.
    let idPrefix: String
    var lastHappened: Instant?
    var subscriptions: [PlayedSubscription] = []
    var latestGroup: SubscriptionGroupId?
    /// Where the step that is played stands, and how many notifications it has made: what their ids follow from.
    private(set) var stepPath = ""
    var notificationsOfStep = 0

    init(_ scenario: Scenario, now: Instant) throws(ScenarioError) {
        guard scenario.environment == .localTesting || scenario.environment == .sandbox else {
            throw ScenarioError(
                path: "environment",
                message: "a local App Store cannot sign for `\(scenario.environment.rawValue)`",
                hint: "use `LocalTesting` or `Sandbox`")
        }
        let customer = scenario.customer
        guard let idPrefix = customer.originalTransactionId?.rawValue ?? customer.appTransactionId?.rawValue else {
            throw ScenarioError(
                path: "customer", message: "the customer has no identifier",
                hint: "add `appTransactionId` or `originalTransactionId`")
        }
        self.scenario = scenario
        self.now = now
        self.idPrefix = idPrefix
        signedAt = scenario.signedAt?.instant(now: now) ?? now
        guard signedAt >= LocalRoot.validFrom else {
            throw ScenarioError(
                path: "signedAt", message: "\(signedAt) is before \(LocalRoot.validFrom), when no root is valid",
                hint: "choose a later time")
        }
    }

    var renewalInfos: [RenewalInfo] {
        subscriptions.map { $0.renewalInfo(of: scenario, signedAt: signedAt) }
    }

    mutating func play(_ step: ScenarioStep, at path: String) throws(ScenarioError) {
        stepPath = path
        notificationsOfStep = 0
        switch step {
        case .appTransaction(let step): try play(step, path)
        case .trial(let step): try play(step, path)
        case .buy(let step): try play(step, path)
        case .resubscribe(let step): try play(step, path)
        case .redeem(let step): try play(step, path)
        case .renew(let step): try play(step, path)
        case .failToRenew(let step): try play(step, path)
        case .recover(let step): try recover(step, path)
        case .cancel(let step): try cancel(step, path)
        case .enableRenewal(let step): try enableRenewal(step, path)
        case .expire(let step): try play(step, path)
        case .upgrade(let step): try upgrade(step, path)
        case .downgrade(let step): try downgrade(step, path)
        case .crossgrade(let step): try crossgrade(step, path)
        case .keepProduct(let step): try keepProduct(step, path)
        case .raisePrice(let step): try play(step, path)
        case .acceptPrice(let step): try acceptPrice(step, path)
        case .refund(let step): try play(step, path)
        case .reverseRefund(let step): try play(step, path)
        case .share(let step): try play(step, path)
        case .revoke(let step): try revoke(step, path)
        case .test(let step): try play(step, path)
        }
    }
}

// What the steps have in common.
extension ScenarioPlayer {
    /// The latest subscription of the group that a step means.
    func subscription(_ group: SubscriptionGroupId?, _ path: String) throws(ScenarioError) -> Int {
        guard let meant = group ?? latestGroup else {
            throw ScenarioError(
                path: path, message: "there is no subscription yet", hint: "begin with `trial` or `buy`")
        }
        guard let index = subscriptions.lastIndex(where: { $0.group == meant }) else {
            throw ScenarioError(
                path: path, message: "the group `\(meant)` has no subscription yet",
                hint: "begin with `trial` or `buy` in that group")
        }
        return index
    }

    /// The subscription a step means, if it still runs.
    func running(_ group: SubscriptionGroupId?, _ path: String) throws(ScenarioError) -> Int {
        let index = try subscription(group, path)
        let meant = subscriptions[index].group
        guard subscriptions[index].endedBecause == nil else {
            throw ScenarioError(
                path: path, message: "the subscription of the group `\(meant)` has ended",
                hint: "use `buy` to come back")
        }
        guard !subscriptions[index].isRevoked else {
            throw ScenarioError(
                path: path, message: "the subscription of the group `\(meant)` was refunded or is shared no longer",
                hint: "use `buy` to come back, or `reverseRefund` first")
        }
        return index
    }

    /// The subscription a step means, if its period has not ended by then and nothing about its payment is open.
    func paidUp(
        _ group: SubscriptionGroupId?, at instant: Instant, _ path: String
    ) throws(ScenarioError) -> Int {
        let index = try running(group, path)
        let end = subscriptions[index].expiresDate
        guard instant < end else {
            throw ScenarioError(
                path: path, message: "happens at \(instant), but the period ends at \(end)",
                hint: "choose an earlier time, or add a `renew`")
        }
        return index
    }

    func requireOwned(_ index: Int, _ path: String) throws(ScenarioError) {
        guard subscriptions[index].ownership == .purchased else {
            throw ScenarioError(
                path: path,
                message: "the subscription of the group `\(subscriptions[index].group)` is a family member's",
                hint: "only `renew`, `failToRenew`, `recover`, `expire` and `revoke` happen to a shared one")
        }
    }

    mutating func happen(at instant: Instant, _ path: String) throws(ScenarioError) {
        guard instant >= LocalRoot.validFrom else {
            throw ScenarioError(
                path: path, message: "\(instant) is before \(LocalRoot.validFrom)", hint: "choose a later time")
        }
        if let lastHappened, instant < lastHappened {
            throw ScenarioError(
                path: path, message: "happens at \(instant), before an earlier step at \(lastHappened)",
                hint: "order the steps from the oldest to the newest")
        }
        guard instant <= signedAt else {
            throw ScenarioError(
                path: path, message: "happens at \(instant), after everything is signed at \(signedAt)",
                hint: "choose an earlier time, or a later `signedAt`")
        }
        settle(before: instant)
        lastHappened = instant
    }

    func checkLength(_ period: Period, _ path: String) throws(ScenarioError) {
        guard period.months <= 120, period.days <= 3_660, period.timeMilliseconds <= 3_660 * Instant.Duration.day
        else {
            throw ScenarioError(
                path: path, message: "`\(period)` is longer than 10 years", hint: "choose a shorter period")
        }
    }
}

public import OfferModel
import OpenSSLCrypto

/// The App Store's knowledge after a scenario, before anything is signed.
public struct PlayedScenario: Sendable, Hashable {
    /// Every purchase and renewal, in the order they happened.
    public var transactions: [Transaction]
    /// The final state of each subscription, in the order they were first bought.
    public var renewalInfos: [RenewalInfo]
    /// The app transaction, if the customer is known to have the app.
    public var appTransaction: AppTransaction?
    /// The notifications that the App Store would have sent, by signed date.
    public var notifications: [PlayedNotification]

    /// - Parameter now: the moment that relative times count from, and the signing date unless the scenario has its
    ///   own.
    public init(playing scenario: Scenario, now: Instant) throws(ScenarioError) {
        var player = try ScenarioPlayer(scenario, now: now)
        for (index, step) in scenario.steps.enumerated() {
            try player.play(step, at: "steps[\(index)].\(step.verb.rawValue)")
        }
        player.settle(before: player.signedAt)
        transactions = player.transactions
        renewalInfos = player.renewalInfos
        appTransaction = player.appTransaction
        notifications = player.notifications.enumerated()
            .sorted {
                ($0.element.notification.signedDate, $0.offset) < ($1.element.notification.signedDate, $1.offset)
            }
            .map(\.element)
    }
}

public struct PlayedNotification: Sendable, Hashable {
    /// Its content; the signed texts inside its data are still absent.
    public var notification: AppStoreNotification
    public var transaction: Transaction?
    public var renewalInfo: RenewalInfo?
}

/// A scenario that cannot have happened.
public struct ScenarioError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where, as in the document: `steps[2].renew`.
    public let path: String
    public let message: String
    public let hint: String?

    public var description: String { "\(message) at \(path)" }
}

struct ScenarioPlayer {
    var transactions: [Transaction] = []
    var appTransaction: AppTransaction?
    var notifications: [PlayedNotification] = []

    let scenario: Scenario
    let now: Instant
    let signedAt: Instant
    /// The prefix of ids, so that those of one customer are never another's.
    let idPrefix: String
    var lastHappened: Instant?
    var subscriptions: [PlayedSubscription] = []
    var latestGroup: SubscriptionGroupId?
    /// The path of the step that is being played, and how many notifications it has made: their ids follow from these.
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
        case .appTransaction(let at, let version): try install(version: version, at: instant(at))
        case .trial(let product, let group, let at, let length, let period, let price):
            try checkLength(length)
            try requireUnusedIntroductory(group)
            try begin(
                group: group, PlayedSubscription.Plan(product: product, period: period, price: price),
                at: instant(at), offer: PlayedOffer(trialOf: length, currency: price?.currency))
        case .buy(let product, let group, let at, let period, let price):
            let plan = PlayedSubscription.Plan(product: product, period: period, price: price)
            try begin(group: group, plan, at: instant(at))
        case .resubscribe(let group, let at, let product, let period, let price):
            try resubscribe(group, product, period, price, at: instant(at))
        case .redeem(let step): try redeem(step, at: instant(step.at))
        case .renew(let group, let at, let period, let price, let times):
            try renew(group, at: at.map(instant), period, price, times: times)
        case .failToRenew(let group, let at, let grace): try failToRenew(group, at: at.map(instant), grace)
        case .recover(let group, let at): try recover(group, at: instant(at))
        case .cancel(let group, let at): try cancel(group, at: instant(at))
        case .enableRenewal(let group, let at): try enableRenewal(group, at: instant(at))
        case .expire(let group, let at, let reason): try expire(group, at: at.map(instant), reason)
        case .upgrade(let step): try upgrade(step, at: instant(step.at))
        case .downgrade(let step): try downgrade(step, at: instant(step.at))
        case .crossgrade(let step): try crossgrade(step, at: instant(step.at))
        case .keepProduct(let group, let at): try keepProduct(group, at: instant(at))
        case .raisePrice(let group, let at, let price, let needsConsent):
            try raisePrice(group, to: price, needsConsent: needsConsent, at: instant(at))
        case .acceptPrice(let group, let at): try acceptPrice(group, at: instant(at))
        case .refund(let group, let at, let number, let percent, let reason):
            try refund(number, of: group, percent: percent, reason, at: instant(at))
        case .reverseRefund(let group, let at, let number): try reverseRefund(number, of: group, at: instant(at))
        case .share(let product, let group, let at, let period):
            let plan = PlayedSubscription.Plan(product: product, period: period)
            try begin(group: group, plan, at: instant(at), ownership: .familyShared)
        case .revoke(let group, let at): try revoke(group, at: instant(at))
        case .test(let at):
            try happen(at: instant(at))
            notifications.append(PlayedNotification(notification: notification(.test, nil, at: instant(at))))
        }
    }

    private func instant(_ time: ScenarioTime) -> Instant { time.instant(now: now) }
}

// What the steps have in common.
extension ScenarioPlayer {
    func error(_ message: String, hint: String) -> ScenarioError {
        ScenarioError(path: stepPath, message: message, hint: hint)
    }

    func require(
        _ condition: Bool, _ message: @autoclosure () -> String, hint: @autoclosure () -> String
    ) throws(ScenarioError) {
        guard condition else { throw error(message(), hint: hint()) }
    }

    /// The latest subscription of the group that a step means.
    func subscription(_ group: SubscriptionGroupId?) throws(ScenarioError) -> Int {
        guard let meant = group ?? latestGroup else {
            throw error("there is no subscription yet", hint: "begin with `trial` or `buy`")
        }
        guard let index = subscriptions.lastIndex(where: { $0.group == meant }) else {
            throw error(
                "the group `\(meant)` has no subscription yet", hint: "begin with `trial` or `buy` in that group")
        }
        return index
    }

    /// The subscription a step means, if it still runs.
    func running(_ group: SubscriptionGroupId?) throws(ScenarioError) -> Int {
        let index = try subscription(group)
        let meant = subscriptions[index].group
        try require(
            subscriptions[index].endedBecause == nil, "the subscription of the group `\(meant)` has ended",
            hint: "use `buy` to come back")
        try require(
            !subscriptions[index].isRevoked,
            "the subscription of the group `\(meant)` was refunded or is shared no longer",
            hint: "use `buy` to come back, or `reverseRefund` first")
        return index
    }

    /// The subscription a step means, if its period has not ended by then and nothing about its payment is open.
    func paidUp(_ group: SubscriptionGroupId?, at instant: Instant) throws(ScenarioError) -> Int {
        let index = try running(group)
        let end = subscriptions[index].expiresDate
        try require(
            instant < end, "happens at \(instant), but the period ends at \(end)",
            hint: "choose an earlier time, or add a `renew`")
        return index
    }

    func requireOwned(_ index: Int) throws(ScenarioError) {
        try require(
            subscriptions[index].ownership == .purchased,
            "the subscription of the group `\(subscriptions[index].group)` is a family member's",
            hint: "only `renew`, `failToRenew`, `recover`, `expire` and `revoke` happen to a shared one")
    }

    mutating func happen(at instant: Instant) throws(ScenarioError) {
        try require(
            instant >= LocalRoot.validFrom, "\(instant) is before \(LocalRoot.validFrom)", hint: "choose a later time")
        if let lastHappened, instant < lastHappened {
            throw error(
                "happens at \(instant), before an earlier step at \(lastHappened)",
                hint: "order the steps from the oldest to the newest")
        }
        try require(
            instant <= signedAt, "happens at \(instant), after everything is signed at \(signedAt)",
            hint: "choose an earlier time, or a later `signedAt`")
        settle(before: instant)
        lastHappened = instant
    }

    func checkLength(_ period: Period) throws(ScenarioError) {
        try require(
            period.months <= 120 && period.days <= 3_660 && period.timeMilliseconds <= 3_660 * Instant.Duration.day,
            "`\(period)` is longer than 10 years", hint: "choose a shorter period")
    }
}

// Which notifications the App Store sends, and when.
extension ScenarioPlayer {
    /// Notifies of a subscription's present state, with its latest transaction unless another is given.
    mutating func notify(
        _ index: Int, _ type: NotificationType, _ subtype: NotificationSubtype? = nil, at instant: Instant,
        transaction place: Int? = nil
    ) {
        let date = max(instant, subscriptions[index].lastSigned.adding(milliseconds: 1))
        subscriptions[index].lastSigned = date
        var notification = notification(type, subtype, at: date)
        notification.data?.status = subscriptions[index].status(at: date)
        var transaction = (place ?? subscriptions[index].transactions.last).map { transactions[$0] }
        transaction?.signedDate = date
        notifications.append(
            PlayedNotification(
                notification: notification, transaction: transaction,
                renewalInfo: subscriptions[index].renewalInfo(of: scenario, signedAt: date)))
    }

    /// Notifies of what time alone has brought until then: the end after a cancellation, the end of grace.
    mutating func settle(before instant: Instant) {
        for index in subscriptions.indices {
            let subscription = subscriptions[index]
            guard !subscription.isRevoked, subscription.endedBecause == nil else { continue }
            if let graceEnds = subscription.failedPayment?.graceEnds, graceEnds < instant,
                subscription.failedPayment?.graceIsOver == false
            {
                subscriptions[index].failedPayment?.graceIsOver = true
                notify(index, .gracePeriodExpired, at: graceEnds.adding(milliseconds: 1))
            }
            if !subscription.autoRenews, !subscription.hasLapsed, subscription.expiresDate < instant {
                subscriptions[index].hasLapsed = true
                notify(index, .expired, .voluntary, at: subscription.expiresDate.adding(milliseconds: 1))
            }
        }
    }

    private mutating func notification(
        _ type: NotificationType, _ subtype: NotificationSubtype?, at date: Instant
    ) -> AppStoreNotification {
        var notification = AppStoreNotification(
            notificationType: type, notificationUUID: nextNotificationUUID(), signedDate: date)
        notification.subtype = subtype
        notification.version = "2.0"
        var data = NotificationData()
        data.bundleId = scenario.bundleId
        data.environment = scenario.environment.rawValue
        data.appAppleId = scenario.environment == .sandbox ? nil : scenario.appAppleId
        notification.data = data
        return notification
    }

    /// Ids follow from the scenario alone, from the step and its place in it: played again, it gives the same ones.
    private mutating func nextNotificationUUID() -> String {
        notificationsOfStep += 1
        let name = [
            "notification", scenario.bundleId.rawValue, scenario.environment.rawValue, idPrefix, stepPath,
            String(notificationsOfStep),
        ]
        let digest = OpenSSLDigest().sha256(Array(name.joined(separator: "\n").utf8))
        return LowercaseUUID(version4From: Array(digest.prefix(16))).description
    }
}

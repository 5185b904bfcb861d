import OfferModel

/// Plays the steps of a scenario one after the other.
struct ScenarioPlayer {
    private(set) var transactions: [Transaction] = []
    var appTransaction: AppTransaction?

    let scenario: Scenario
    let now: Instant
    let signedAt: Instant
    private let idPrefix: String
    var lastHappened: Instant?
    var subscriptions: [PlayedSubscription] = []
    private var latestGroup: SubscriptionGroupId?

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
        switch step {
        case .appTransaction(let step): try play(step, path)
        case .trial(let step): try play(step, path)
        case .buy(let step): try play(step, path)
        case .renew(let step): try play(step, path)
        case .cancel(let step): try play(step, path)
        case .expire(let step): try play(step, path)
        }
    }
}

extension ScenarioPlayer {
    /// Begins the subscription of a group, anew or again; returns its place.
    mutating func begin(
        group: SubscriptionGroupId, product: ProductId, at instant: Instant, length: Period,
        renewal: (period: Period?, price: Money?), isTrial: Bool, _ path: String
    ) throws(ScenarioError) -> Int {
        let index = subscriptions.firstIndex { $0.group == group }
        if let index, !subscriptions[index].isOver(at: instant) {
            throw ScenarioError(
                path: path, message: "the group `\(group)` has a subscription already",
                hint: "use `renew`, or end it first with `cancel` or `expire`")
        }
        try happen(at: instant, path)
        latestGroup = group
        guard let index else {
            subscriptions.append(
                PlayedSubscription(
                    originalTransactionId: nextTransactionId, originalPurchaseDate: instant, group: group,
                    product: product, periodStart: instant, expiresDate: instant.adding(length),
                    period: renewal.period, price: renewal.price, hasUsedTrial: isTrial, recentStart: instant))
            return subscriptions.count - 1
        }
        var again = subscriptions[index]
        if instant.milliseconds(since: again.expiresDate) >= Self.seriesGap { again.recentStart = instant }
        again.product = product
        again.periodStart = instant
        again.expiresDate = instant.adding(length)
        again.period = renewal.period
        again.price = renewal.price
        again.autoRenews = true
        again.endedBecause = nil
        again.hasUsedTrial = again.hasUsedTrial || isTrial
        subscriptions[index] = again
        return index
    }

    mutating func append(
        _ index: Int, reason: TransactionReason, price: Int64, currency: String?, _ path: String,
        _ change: (inout Transaction) -> Void = { _ in }
    ) throws(ScenarioError) {
        guard transactions.count < Self.maximumTransactions else {
            throw ScenarioError(
                path: path, message: "a scenario has at most \(Self.maximumTransactions) transactions",
                hint: "renew less often, or with a longer period")
        }
        let subscription = subscriptions[index]
        var transaction = Transaction(
            transactionId: nextTransactionId, originalTransactionId: subscription.originalTransactionId,
            bundleId: scenario.bundleId, productId: subscription.product, purchaseDate: subscription.periodStart,
            signedDate: signedAt)
        transaction.subscriptionGroupIdentifier = subscription.group
        transaction.originalPurchaseDate = subscription.originalPurchaseDate
        transaction.expiresDate = subscription.expiresDate
        transaction.type = .autoRenewableSubscription
        transaction.quantity = 1
        transaction.inAppOwnershipType = .purchased
        transaction.appAccountToken = scenario.customer.appAccountToken
        transaction.appTransactionId = scenario.customer.appTransactionId
        transaction.price = price
        transaction.currency = currency
        transaction.transactionReason = reason
        transaction.storefront = scenario.customer.storefront
        transaction.environment = scenario.environment.rawValue
        change(&transaction)
        transactions.append(transaction)
    }

    /// Ids follow from the scenario alone: played again, it gives the same ones.
    private var nextTransactionId: TransactionId {
        if transactions.isEmpty, let first = scenario.customer.originalTransactionId { return first }
        let number = String(transactions.count + 1)
        return TransactionId(idPrefix + String(repeating: "0", count: max(0, 3 - number.count)) + number)
    }

    /// The subscription a step means, if it still runs.
    func running(_ group: SubscriptionGroupId?, _ path: String) throws(ScenarioError) -> Int {
        guard let meant = group ?? latestGroup else {
            throw ScenarioError(
                path: path, message: "there is no subscription yet", hint: "begin with `trial` or `buy`")
        }
        guard let index = subscriptions.firstIndex(where: { $0.group == meant }) else {
            throw ScenarioError(
                path: path, message: "the group `\(meant)` has no subscription yet",
                hint: "begin with `trial` or `buy` in that group")
        }
        guard subscriptions[index].endedBecause == nil else {
            throw ScenarioError(
                path: path, message: "the subscription of the group `\(meant)` has ended",
                hint: "use `buy` to come back")
        }
        return index
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
        lastHappened = instant
    }

    func checkLength(_ period: Period, _ path: String) throws(ScenarioError) {
        guard period.months <= 120, period.days <= 3_660, period.timeMilliseconds <= 3_660 * Instant.Duration.day
        else {
            throw ScenarioError(
                path: path, message: "`\(period)` is longer than 10 years", hint: "choose a shorter period")
        }
    }

    /// Ids end in three digits, so that those of one customer are never another's.
    private static let maximumTransactions = 999

    /// Apple: `recentSubscriptionStartDate` ignores gaps of less than 60 days.
    private static let seriesGap = 60 * Instant.Duration.day
}

import OfferModel

// How transactions and subscriptions come to be.
extension ScenarioPlayer {
    /// Begins the subscription of a group, anew or again, and tells of it.
    mutating func begin(
        group: SubscriptionGroupId, _ plan: PlayedSubscription.Plan, at instant: Instant,
        offer: PlayedOffer? = nil, ownership: InAppOwnershipType = .purchased, _ path: String
    ) throws(ScenarioError) {
        let known = subscriptions.lastIndex { $0.group == group }
        if let known, !subscriptions[known].isOver(at: instant) {
            throw ScenarioError(
                path: path, message: "the group `\(group)` has a subscription already",
                hint: "use `renew`, or end it first with `cancel` or `expire`")
        }
        try happen(at: instant, path)
        latestGroup = group
        var subscription = PlayedSubscription(
            originalTransactionId: nextTransactionId, originalPurchaseDate: instant, group: group,
            ownership: ownership, plan: plan, periodStart: instant, expiresDate: instant, recentStart: instant)
        var index = subscriptions.count
        if let known, subscriptions[known].ownership == ownership {
            subscription = Self.again(subscriptions[known], plan, at: instant)
            index = known
        }
        subscription.hasUsedIntroductory = subscription.hasUsedIntroductory || offer?.type == .introductory
        subscription.offer = offer
        if index == subscriptions.count {
            subscriptions.append(subscription)
        } else {
            subscriptions[index] = subscription
        }
        try pay(index, from: instant, at: instant, reason: .purchase, path)
        notify(index, .subscribed, known == nil ? .initialBuy : .resubscribe, at: instant)
    }

    /// The same subscription after its end: a new series begins after a gap of 60 days.
    private static func again(
        _ ended: PlayedSubscription, _ plan: PlayedSubscription.Plan, at instant: Instant
    ) -> PlayedSubscription {
        let isNewSeries = instant.milliseconds(since: ended.expiresDate) >= seriesGap
        var again = PlayedSubscription(
            originalTransactionId: ended.originalTransactionId, originalPurchaseDate: ended.originalPurchaseDate,
            group: ended.group, ownership: ended.ownership, plan: plan, periodStart: instant, expiresDate: instant,
            recentStart: isNewSeries ? instant : ended.recentStart)
        again.hasUsedIntroductory = ended.hasUsedIntroductory
        again.transactions = ended.transactions
        again.lastSigned = ended.lastSigned
        return again
    }

    /// Makes the next payment of a subscription: by its offer while that lasts, else by its plan. The period it pays
    /// begins at `start`.
    mutating func pay(
        _ index: Int, from start: Instant, at instant: Instant, reason: TransactionReason, _ path: String
    ) throws(ScenarioError) {
        guard transactions.count < Self.maximumTransactions else {
            throw ScenarioError(
                path: path, message: "a scenario has at most \(Self.maximumTransactions) transactions",
                hint: "renew less often, or with a longer period")
        }
        let offer = subscriptions[index].offer
        guard let period = offer?.period ?? subscriptions[index].plan.period else {
            throw ScenarioError(
                path: path, message: "nothing says how long a renewal lasts", hint: "add `period` to the `trial`")
        }
        try checkLength(period, path)
        subscriptions[index].periodStart = instant
        subscriptions[index].expiresDate = start.adding(period)
        var transaction = transaction(of: subscriptions[index])
        transaction.transactionReason = reason
        if let offer {
            transaction.price = offer.price
            transaction.currency = offer.currency
            transaction.offerType = offer.type
            transaction.offerIdentifier = offer.identifier
            transaction.offerDiscountType = offer.discountType
            transaction.offerPeriod = offer.whole.description
        } else {
            transaction.price = subscriptions[index].plan.price?.milliunits
            transaction.currency = subscriptions[index].plan.price?.currency
        }
        subscriptions[index].offer = offer?.afterPayment
        subscriptions[index].transactions.append(transactions.count)
        transactions.append(transaction)
    }

    private func transaction(of subscription: PlayedSubscription) -> Transaction {
        var transaction = Transaction(
            transactionId: nextTransactionId, originalTransactionId: subscription.originalTransactionId,
            bundleId: scenario.bundleId, productId: subscription.plan.product,
            purchaseDate: subscription.periodStart, signedDate: signedAt)
        transaction.subscriptionGroupIdentifier = subscription.group
        transaction.originalPurchaseDate = subscription.originalPurchaseDate
        transaction.expiresDate = subscription.expiresDate
        transaction.type = .autoRenewableSubscription
        transaction.quantity = 1
        transaction.inAppOwnershipType = subscription.ownership
        transaction.appAccountToken =
            subscription.ownership == .purchased ? scenario.customer.appAccountToken : nil
        transaction.appTransactionId = scenario.customer.appTransactionId
        transaction.storefront = scenario.customer.storefront
        transaction.environment = scenario.environment.rawValue
        return transaction
    }

    /// Ids follow from the scenario alone: played again, it gives the same ones.
    private var nextTransactionId: TransactionId {
        if transactions.isEmpty, let first = scenario.customer.originalTransactionId { return first }
        let number = String(transactions.count + 1)
        return TransactionId(idPrefix + String(repeating: "0", count: max(0, 3 - number.count)) + number)
    }

    /// Ids end in three digits, so that those of one customer are never another's.
    private static let maximumTransactions = 999

    /// Apple: `recentSubscriptionStartDate` ignores gaps of less than 60 days.
    private static let seriesGap = 60 * Instant.Duration.day
}

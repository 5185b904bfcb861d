import OfferModel

// How a customer comes, and when one cannot have come so.
extension ScenarioPlayer {
    mutating func install(version: String, at instant: Instant) throws(ScenarioError) {
        try require(appTransaction == nil, "the customer has an app transaction already", hint: "remove one of them")
        guard let id = scenario.customer.appTransactionId else {
            throw error("an app transaction needs its id", hint: "add `customer.appTransactionId`")
        }
        try happen(at: instant)
        var made = AppTransaction(bundleId: scenario.bundleId, receiptCreationDate: signedAt)
        made.appAppleId = scenario.appAppleId
        made.appTransactionId = id
        made.originalPurchaseDate = instant
        made.originalApplicationVersion = version
        made.applicationVersion = version
        made.receiptType = scenario.environment.rawValue
        appTransaction = made
    }

    mutating func resubscribe(
        _ group: SubscriptionGroupId?, _ product: ProductId?, _ period: Period?, _ price: Money?, at instant: Instant
    ) throws(ScenarioError) {
        let before = subscriptions[try subscription(group)]
        let plan = PlayedSubscription.Plan(
            product: product ?? before.plan.product, period: period ?? before.nextPlan.period,
            price: price ?? before.plan.price)
        try require(plan.price != nil, "nothing says what the subscription costs", hint: "add `period` and `price`")
        try begin(group: before.group, plan, at: instant)
    }

    func requireUnusedIntroductory(_ group: SubscriptionGroupId) throws(ScenarioError) {
        try require(
            !subscriptions.contains(where: { $0.group == group && $0.hasUsedIntroductory }),
            "the trial of the group `\(group)` was used before",
            hint: "use `buy`: the App Store gives one introductory offer in a group")
    }
}

// The redemption of an offer (Apple: "Implementing promotional offers in your app", "Supporting offer codes in your
// app", "Supporting win-back offers in your app").
extension ScenarioPlayer {
    mutating func redeem(_ step: ScenarioStep.Redeem, at instant: Instant) throws(ScenarioError) {
        try checkTerms(step)
        guard let group = step.group ?? latestGroup else {
            throw error("nothing says which group the offer is of", hint: "add `group` and `product`")
        }
        if let index = subscriptions.lastIndex(where: { $0.group == group }),
            !subscriptions[index].isOver(at: instant)
        {
            try redeemWhileRunning(step, index, at: instant)
        } else {
            try redeemAsNew(step, group, at: instant)
        }
    }

    private func checkTerms(_ step: ScenarioStep.Redeem) throws(ScenarioError) {
        try require(
            (1...12).contains(step.periodCount), "`periodCount` is `\(step.periodCount)`",
            hint: "choose a number from 1 to 12")
        try checkLength(step.period.multiplied(by: step.periodCount))
        try require(
            (step.type == .introductory) == (step.offerIdentifier == nil),
            "only an introductory offer has no identifier", hint: "add or remove `offerIdentifier`")
        try require(
            (step.paymentMode == .freeTrial) == (step.price == nil), "only a free trial has no price",
            hint: "add or remove `price`")
    }

    /// A customer without a subscription in the group begins one with the offer.
    private mutating func redeemAsNew(
        _ step: ScenarioStep.Redeem, _ group: SubscriptionGroupId, at instant: Instant
    ) throws(ScenarioError) {
        let before = subscriptions.last { $0.group == group }
        switch step.type {
        case .introductory: try requireUnusedIntroductory(group)
        case .promotional:
            try require(
                subscriptions.contains(where: { $0.ownership == .purchased }),
                "the customer never bought a subscription",
                hint: "the App Store gives promotional offers to those who have or had one: begin with `buy`")
        case .winBack:
            try require(
                before?.ownership == .purchased, "the customer never bought a subscription of the group `\(group)`",
                hint: "win-back offers are for those who left: begin with `buy` and `expire`")
        case .offerCode: break
        }
        try require(step.change == nil, "there is no running subscription to change", hint: "remove `change`")
        guard let product = step.product ?? before?.plan.product else {
            throw error("nothing says which product the offer is of", hint: "add `product`")
        }
        let plan = PlayedSubscription.Plan(
            product: product, period: step.regular?.period ?? before?.plan.period,
            price: step.regular?.price ?? before?.plan.price)
        try begin(group: group, plan, at: instant, offer: PlayedOffer(step, currency: plan.price?.currency))
    }

    /// A subscriber's offer begins with the next renewal, or at once with an upgrade.
    private mutating func redeemWhileRunning(
        _ step: ScenarioStep.Redeem, _ index: Int, at instant: Instant
    ) throws(ScenarioError) {
        try require(
            step.type == .promotional || step.type == .offerCode,
            "the group `\(subscriptions[index].group)` has a subscription already",
            hint: "`\(step.type.rawValue)` offers are for those who have none: end it first with `expire`")
        _ = try paidUp(subscriptions[index].group, at: instant)
        try requireOwned(index)
        let current = subscriptions[index].nextPlan
        let plan = PlayedSubscription.Plan(
            product: step.product ?? current.product, period: step.regular?.period ?? current.period,
            price: step.regular?.price ?? current.price)
        try require(
            (step.change != nil) == (plan.product != current.product),
            "the product is \(step.change == nil ? "another than " : "")`\(current.product)`"
                + (step.change == nil ? "" : " already"),
            hint: "write `change: upgrade` or `change: downgrade` with another product, and only then")
        try happen(at: instant)
        let offer = PlayedOffer(step, currency: plan.price?.currency)
        switch step.change {
        case .upgrade: try replace(index, plan, at: instant, offer: offer)
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

// How transactions and subscriptions come to be.
extension ScenarioPlayer {
    /// Begins the subscription of a group, for the first time or again, and notifies of it.
    mutating func begin(
        group: SubscriptionGroupId, _ plan: PlayedSubscription.Plan, at instant: Instant,
        offer: PlayedOffer? = nil, ownership: InAppOwnershipType = .purchased
    ) throws(ScenarioError) {
        let known = subscriptions.lastIndex { $0.group == group }
        if let known, !subscriptions[known].isOver(at: instant) {
            throw error(
                "the group `\(group)` has a subscription already",
                hint: "use `renew`, or end it first with `cancel` or `expire`")
        }
        try happen(at: instant)
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
        if index == subscriptions.count { subscriptions.append(subscription) }
        subscriptions[index] = subscription
        try pay(index, from: instant, at: instant, reason: .purchase)
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
        _ index: Int, from start: Instant, at instant: Instant, reason: TransactionReason
    ) throws(ScenarioError) {
        try require(
            transactions.count < Self.maximumTransactions,
            "a scenario has at most \(Self.maximumTransactions) transactions",
            hint: "renew less often, or with a longer period")
        let offer = subscriptions[index].offer
        guard let period = offer?.period ?? subscriptions[index].plan.period else {
            throw error("nothing says how long a renewal lasts", hint: "add `period` to the `trial`")
        }
        try checkLength(period)
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

import OfferModel

// Refunds, and the end of sharing.
extension ScenarioPlayer {
    /// A refund of the latest transaction ends the subscription and turns renewal off, which Apple tells too.
    mutating func play(_ step: ScenarioStep.Refund, _ path: String) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try subscription(step.group, path)
        try requireOwned(index, path)
        let place = try transaction(step.transaction, of: index, path)
        guard transactions[place].revocationDate == nil else {
            throw ScenarioError(
                path: path, message: "the transaction `\(transactions[place].transactionId)` was refunded before",
                hint: "name another `transaction`, or add `reverseRefund` before")
        }
        guard (1...100).contains(step.percent) else {
            throw ScenarioError(
                path: path, message: "`percent` is `\(step.percent)`", hint: "choose a number from 1 to 100")
        }
        guard instant >= transactions[place].purchaseDate else {
            throw ScenarioError(
                path: path,
                message: "happens at \(instant), before the purchase at \(transactions[place].purchaseDate)",
                hint: "choose a later time, or an earlier `transaction`")
        }
        try happen(at: instant, path)
        transactions[place].revocationDate = instant
        transactions[place].revocationReason = step.reason.number
        transactions[place].revocationType = step.percent == 100 ? .refundFull : .refundProrated
        transactions[place].revocationPercentage = Int64(step.percent) * 1_000
        let isLatest = place == subscriptions[index].transactions.last
        let renewed = isLatest && subscriptions[index].autoRenews && subscriptions[index].endedBecause == nil
        if isLatest {
            subscriptions[index].isRevoked = true
            subscriptions[index].autoRenews = false
            subscriptions[index].failedPayment = nil
        }
        notify(index, .refund, at: instant, transaction: place)
        if renewed { notify(index, .didChangeRenewalStatus, .autoRenewDisabled, at: instant) }
    }

    /// Renewal stays off: the customer may turn it on again.
    mutating func play(_ step: ScenarioStep.ReverseRefund, _ path: String) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try subscription(step.group, path)
        let place = try transaction(step.transaction, of: index, path)
        guard transactions[place].revocationDate != nil, transactions[place].revocationType != .familyRevoke else {
            throw ScenarioError(
                path: path, message: "the transaction `\(transactions[place].transactionId)` was not refunded",
                hint: "add `refund` before, or name another `transaction`")
        }
        try happen(at: instant, path)
        transactions[place].revocationDate = nil
        transactions[place].revocationReason = nil
        transactions[place].revocationType = nil
        transactions[place].revocationPercentage = nil
        if place == subscriptions[index].transactions.last { subscriptions[index].isRevoked = false }
        notify(index, .refundReversed, at: instant, transaction: place)
    }

    mutating func revoke(_ step: ScenarioStep.AtSubscription, _ path: String) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        let index = try running(step.group, path)
        guard subscriptions[index].ownership == .familyShared else {
            throw ScenarioError(
                path: path,
                message: "the customer bought the subscription of the group "
                    + "`\(subscriptions[index].group)`",
                hint: "use `refund`: only what a family member shares can be revoked")
        }
        try happen(at: instant, path)
        if let latest = subscriptions[index].transactions.last {
            transactions[latest].revocationDate = instant
            transactions[latest].revocationReason = ScenarioStep.Refund.Reason.other.number
            transactions[latest].revocationType = .familyRevoke
        }
        subscriptions[index].isRevoked = true
        subscriptions[index].autoRenews = false
        subscriptions[index].failedPayment = nil
        notify(index, .revoke, at: instant)
    }

    /// The place of a subscription's n-th transaction, from 1; of its latest without a number.
    private func transaction(_ number: Int?, of index: Int, _ path: String) throws(ScenarioError) -> Int {
        let places = subscriptions[index].transactions
        let wanted = number ?? places.count
        guard (1...max(places.count, 1)).contains(wanted), let place = places.dropFirst(wanted - 1).first else {
            throw ScenarioError(
                path: path, message: "the subscription has no transaction \(wanted)",
                hint: "choose a number from 1 to \(places.count)")
        }
        return place
    }
}

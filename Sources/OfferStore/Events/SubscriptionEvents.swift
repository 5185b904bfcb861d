import JSON
import OfferModel

/// Keeps what happens to subscriptions, and when something will happen to them by itself, in the transaction that
/// changes their history.
struct SubscriptionEvents {
    let transaction: any StoreTransaction
    let scope: ScopeNumber
    let now: Instant

    /// - Parameters:
    ///   - before: the facts of the subscription before, `after` those it has now.
    ///   - isProven: whether Apple's data has proven whose it is.
    func keep(of subscription: TransactionId, from before: History, to after: History, isProven: Bool) throws {
        let current = after.counting(ownerIsProven: isProven)
        let changes = SubscriptionEvent.changes(
            from: before.counting(ownerIsProven: isProven), to: current, at: now)
        try schedule(subscription, current, beside: changes.map { EventCause(type: $0.type, cause: $0.cause) })
        for change in changes { try append(change, of: subscription) }
    }

    /// Only dates its coming events again.
    func schedule(_ subscription: TransactionId, _ facts: History) throws {
        try schedule(subscription, facts.counting(ownerIsProven: try isProven(subscription)), beside: [])
    }

    private func schedule(_ subscription: TransactionId, _ history: History, beside new: [EventCause]) throws {
        try DueEventStore(transaction).replace(
            of: subscription, with: DueEvent.all(of: history, at: now), beside: new, at: now, in: scope)
    }

    func append(_ event: SubscriptionEvent, of subscription: TransactionId) throws {
        try EventStore(transaction).append(
            event.type, of: subscription, cause: event.cause, data: event.data, at: now, in: scope)
    }

    private func isProven(_ subscription: TransactionId) throws -> Bool {
        try CustomerStore(transaction).owner(of: .originalTransactionId(subscription), in: scope)?.1 ?? false
    }
}

extension SubscriptionEvent {
    fileprivate var data: [UInt8] {
        var json = JSONWriter.beginObject(.short)
        json.member("accessEndedAt", date(of: .accessLost))
        json.member("changedAt", date(of: .cancelled, .resumed))
        json.member("expiresAt", transaction.expiresDate)
        json.member("failedAt", date(of: .paymentFailed))
        json.member("gracePeriodExpiresAt", date(of: .graceEnding) ?? graceEnds)
        json.member("originalTransactionId", transaction.originalTransactionId)
        json.member("previousProductId", previousProductId)
        json.member("productId", transaction.productId)
        json.member("purchasedAt", date(of: .started, .renewed, .productChanged, .purchaseMade))
        json.member("refundedAt", date(of: .refunded, .purchaseRefunded))
        json.member("revokedAt", date(of: .purchaseRevoked))
        json.member("state", state?.rawValue)
        json.member("subscriptionGroupIdentifier", transaction.subscriptionGroupIdentifier)
        json.member("transactionId", transaction.transactionId)
        json.member("trialEndsAt", date(of: .trialEnding))
        json.member("willAutoRenew", willAutoRenew)
        return json.endObject()
    }

    private func date(of types: EventType...) -> Instant? { types.contains(type) ? at : nil }
}

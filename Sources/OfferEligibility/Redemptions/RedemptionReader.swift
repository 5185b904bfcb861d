import OfferModel

/// Finds the redemptions of a history and matches them to slots (DESIGN §5.3).
struct RedemptionReader {
    let facts: SubjectFacts
    let subscriptions: [SubscriptionGroupId: [Subscription]]
    let offer: Offer?

    /// By first evidence, then by subscription and transaction.
    func redemptions() -> [Redemption] {
        subscriptions
            .flatMap { group, subscriptions in subscriptions.flatMap { redemptions(of: $0, in: group) } }
            .map(matched)
            .sorted {
                ($0.firstEvidence, $0.originalTransactionId, $0.transactionId ?? "")
                    < ($1.firstEvidence, $1.originalTransactionId, $1.transactionId ?? "")
            }
    }

    private func redemptions(of subscription: Subscription, in group: SubscriptionGroupId) -> [Redemption] {
        var found: [Redemption] = []
        var run: Run?
        var previous: Transaction?
        // What the family's owner redeemed is not this customer's use.
        for row in subscription.transactions where row.payload.isOwned {
            let transaction = row.payload
            defer { previous = transaction }
            guard let type = transaction.offerType else {
                run = nil
                continue
            }
            let key = RedemptionKey(type, transaction.offerIdentifier, group)
            if let run, run.key == key, !run.isOver(at: transaction.purchaseDate),
                !transaction.isNewStart(after: previous)
            {
                continue
            }
            run = Run(key: key, start: transaction.purchaseDate, wholePeriod: wholePeriod(transaction.offerPeriod, key))
            let pending = firstShownPending(
                key, of: transaction.originalTransactionId, after: previous?.purchaseDate ?? .distantPast)
            found.append(redemption(key, row, evidence: min(pending ?? .distantFuture, transaction.purchaseDate)))
        }
        if let pending = pending(subscription, group, after: previous, run: run) { found.append(pending) }
        return found
    }

    private func redemption(_ key: RedemptionKey, _ row: Recorded<Transaction>, evidence: Instant) -> Redemption {
        Redemption(
            offerType: key.offerType, offerIdentifier: key.offerIdentifier, subscriptionGroupIdentifier: key.group,
            originalTransactionId: row.payload.originalTransactionId, transactionId: row.payload.transactionId,
            firstEvidence: evidence, provenance: row.provenance)
    }

    /// The offer that waits for the next renewal, unless it is the run going on.
    private func pending(
        _ subscription: Subscription, _ group: SubscriptionGroupId, after last: Transaction?, run: Run?
    ) -> Redemption? {
        guard let last, let row = subscription.renewalInfo, let type = row.payload.offerType else { return nil }
        let key = RedemptionKey(type, row.payload.offerIdentifier, group)
        if let run, run.key == key, !run.isOver(at: last.expiresDate ?? last.purchaseDate) { return nil }
        let first = firstShownPending(key, of: last.originalTransactionId, after: last.purchaseDate)
        return Redemption(
            offerType: key.offerType, offerIdentifier: key.offerIdentifier, subscriptionGroupIdentifier: group,
            originalTransactionId: last.originalTransactionId, firstEvidence: first ?? row.payload.signedDate,
            provenance: row.provenance)
    }

    /// When renewal info first showed the offer as the next one, among that signed since the last purchase.
    private func firstShownPending(
        _ key: RedemptionKey, of original: TransactionId, after purchase: Instant
    ) -> Instant? {
        facts.history.renewalInfos.lazy.map(\.payload)
            .filter { info in
                guard let type = info.offerType else { return false }
                return info.originalTransactionId == original && info.signedDate >= purchase
                    && RedemptionKey(type, info.offerIdentifier, key.group) == key
            }
            .map(\.signedDate).min()
    }

    private func wholePeriod(_ stated: String?, _ key: RedemptionKey) -> Period? {
        if let stated, let period = Period(stated) { return period }
        guard let offer, offer.delivery.redeemedAs == key.offerType, offer.offerIdentifier == key.offerIdentifier else {
            return nil
        }
        return offer.period.multiplied(by: offer.periodCount)
    }

    private func matched(_ redemption: Redemption) -> Redemption {
        var matched = redemption
        matched.slotId =
            facts.slots
            .filter { $0.issuedAt <= redemption.firstEvidence && $0.redemptionKey == redemption.key }
            .max { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) }?.id
        return matched
    }
}

/// A run of periods with the same offer.
private struct Run {
    let key: RedemptionKey
    let start: Instant
    /// The length of the whole offer, if it is known.
    let wholePeriod: Period?

    /// Whether a period that begins then is beyond the offer's length; Apple may begin one up to a day early.
    func isOver(at instant: Instant) -> Bool {
        guard let wholePeriod else { return false }
        return instant.adding(milliseconds: Instant.Duration.day) >= start.adding(wholePeriod)
    }
}

extension Transaction {
    /// Bought again after a gap; a renewal after a gap is a recovered payment and goes on.
    fileprivate func isNewStart(after previous: Transaction?) -> Bool {
        guard let ended = previous?.expiresDate else { return false }
        return purchaseDate > ended && transactionReason != .renewal
    }
}

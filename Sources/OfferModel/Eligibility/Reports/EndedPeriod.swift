/// A period of a subscription that has ended, and whether the subscription went on (docs/reports.md#trials-and-churn).
public struct EndedPeriod: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        /// Another period followed; after a trial, one that was paid for.
        case renewed
        case lost
        /// Apple has signed neither a renewal nor an end, or still tries to charge.
        case undecided
    }

    public var productId: ProductId
    /// When it expired, or was taken back before.
    public var endedAt: Instant
    /// Whether it was an introductory offer that costs nothing.
    public var isTrial: Bool
    public var outcome: Outcome

    /// The customer's own periods of some products that had ended by an instant; not what the family shares with them,
    /// nor what an upgrade replaced, except for a trial that a paid period replaced.
    ///
    /// Whether one was renewed is read off the purchases alone, because of renewal info only the newest is kept.
    public static func all(
        of products: Set<ProductId>, in history: History, at now: Instant, policy: Policy = .standard
    ) -> [EndedPeriod] {
        guard history.transactions.contains(where: { products.contains($0.payload.productId) }) else { return [] }
        let past = SubscriptionHistory(SubjectFacts(history: history), countsPaidTime: false)
        return past.groups.values.flatMap(\.subscriptions).flatMap { rows in
            SubscriptionPeriods(rows, at: now, policy: policy).ended.filter { products.contains($0.productId) }
        }
    }
}

/// The periods of one subscription, by purchase date.
private struct SubscriptionPeriods {
    private var periods: [Known] = []
    private let rows: SubscriptionRows
    private let now: Instant
    private let policy: Policy

    private struct Known {
        let row: Recorded<Transaction>
        let expires: Instant
        var ends: Instant
    }

    init(_ rows: SubscriptionRows, at now: Instant, policy: Policy) {
        self.rows = rows
        self.now = now
        self.policy = policy
        for row in rows.transactions where row.isOwned == true {
            guard let expires = row.payload.expiresDate, let ends = row.payload.ends else { continue }
            // With added seats a period has several transactions, and ends with the last of them.
            if let last = periods.last, row.isOfSamePeriod(as: last.row) {
                periods[periods.count - 1].ends = max(last.ends, ends)
            } else {
                periods.append(Known(row: row, expires: expires, ends: ends))
            }
        }
    }

    var ended: [EndedPeriod] {
        periods.indices.compactMap { place in
            let period = periods[place]
            let isTrial = period.row.payload.offerType == .introductory && period.row.isFree == true
            var endedAt = period.ends
            if period.row.payload.isUpgraded {
                // A trial that goes on in another product ends there.
                guard isTrial, let next = periods.dropFirst(place + 1).first, next.row.isPaid else { return nil }
                endedAt = next.row.payload.purchaseDate
            }
            guard endedAt <= now else { return nil }
            return EndedPeriod(
                productId: period.row.payload.productId, endedAt: endedAt, isTrial: isTrial,
                outcome: outcome(of: place, untilPaid: isTrial))
        }
    }

    /// - Parameter untilPaid: whether free periods that follow are passed over.
    private func outcome(of place: Int, untilPaid: Bool) -> EndedPeriod.Outcome {
        var place = place
        while true {
            let outcome = succession(after: place)
            place += 1
            if outcome != .renewed || !untilPaid || periods[place].row.isPaid { return outcome }
        }
    }

    private func succession(after place: Int) -> EndedPeriod.Outcome {
        let period = periods[place]
        guard let next = periods.dropFirst(place + 1).first?.row.payload else { return hasEnded ? .lost : .undecided }
        if period.row.payload.isUpgraded || next.purchaseDate <= period.ends { return .renewed }
        // What customers buy after the end is a return; Apple renews as long as it tries to charge.
        if next.transactionReason == .purchase { return .lost }
        let life =
            period.row.payload.commitmentInfo == nil ? policy.billingRetryLife : policy.commitmentBillingRetryLife
        // After that, a period in between is not known.
        return next.purchaseDate <= period.expires.adding(milliseconds: life) ? .renewed : .undecided
    }

    /// Whether the last period has ended without grace or a charge that Apple still tries.
    private var hasEnded: Bool {
        switch Subscription(rows, at: now)?.resolution(at: now, policy: policy).name {
        case .expired, .revoked: true
        default: false
        }
    }
}

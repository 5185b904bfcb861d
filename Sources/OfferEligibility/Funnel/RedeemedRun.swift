import OfferModel

/// The periods of one redemption, and what followed them in the group.
struct RedeemedRun {
    private let redemption: Redemption
    private let periods: [Recorded<Transaction>]
    private let later: [Recorded<Transaction>]

    /// - Parameter rows: every transaction of the group, by purchase date.
    init(_ redemption: Redemption, in rows: [Recorded<Transaction>]) {
        self.redemption = redemption
        let first = rows.first { $0.payload.transactionId == redemption.transactionId }
        guard let first else {
            periods = []
            later = []
            return
        }
        let begun = first.payload.purchaseDate
        let ends = redemption.offerEnds ?? begun
        periods = rows.filter { row in
            row.payload.transactionId == redemption.transactionId
                || row.payload.originalTransactionId == redemption.originalTransactionId && row.key == redemption.key
                    && row.payload.purchaseDate > begun && row.payload.purchaseDate < ends
        }
        later = rows.filter { $0.payload.purchaseDate > begun }
    }

    func isRefunded(by now: Instant) -> Bool {
        periods.contains { row in
            row.payload.revocationDate.map { $0 <= now } == true && row.isRefund == true
        }
    }

    /// Running, or shown as the offer of the next renewal of a subscription that runs.
    func isRunning(at now: Instant, isActive: Bool) -> Bool {
        guard redemption.transactionId != nil || redemption.offerEnds != nil else { return isActive }
        return redemption.offerEnds.map { $0 > now } ?? false
    }

    /// Whether a period without an offer that began after the run did was paid for by the customer.
    func isFollowedAtFullPrice(by now: Instant) -> Bool {
        later.contains { row in
            row.isOwned == true && row.payload.purchaseDate <= now && row.payload.offerType == nil
                && row.payload.price != 0 && !row.isTakenBackInFull(by: now)
        }
    }
}

extension Recorded<Transaction> {
    /// The offer the period shows.
    fileprivate var key: RedemptionKey? {
        guard let type = payload.offerType, let group = payload.subscriptionGroupIdentifier else { return nil }
        return RedemptionKey(type, payload.offerIdentifier, group)
    }

    /// A prorated refund leaves a period that was paid for in part.
    fileprivate func isTakenBackInFull(by now: Instant) -> Bool {
        guard let revoked = payload.revocationDate, revoked <= now else { return false }
        return payload.revocationType != .refundProrated
    }
}

import OfferModel

extension Subscription {
    /// The last moment to cancel without being charged, which may have passed: Apple charges up to 24 hours before a
    /// period begins.
    ///
    /// `nil` where cancelling avoids no charge that is known: nothing is running or owned, it does not renew or that is
    /// not known, the next renewal is free, or the period is so short, as in Sandbox, that it began too late for it.
    /// Within a 12-month commitment every period is charged, so it is the commitment's renewal that can be avoided.
    func lastMomentToCancel(_ standing: Standing, policy: Policy) -> Instant? {
        switch standing.name {
        case .subscribed, .introductoryOffer: break
        default: return nil
        }
        guard current.isOwned == true, current.payload.revocationDate == nil, willAutoRenew == true,
            renewalInfo?.payload.isFree == false
        else { return nil }
        // A period that was charged early has been paid for: the one after it can still be avoided.
        let paid = transactions.last { $0.payload.revocationDate == nil } ?? current
        guard let ends = [paid.payload.expiresDate, commitmentEnds].compactMap(\.self).max() else { return nil }
        let moment = ends.adding(milliseconds: -policy.renewalNotice)
        return moment < paid.payload.purchaseDate ? nil : moment
    }
}

extension RenewalInfo {
    /// Whether the next renewal is known to cost nothing.
    fileprivate var isFree: Bool { offerDiscountType == .freeTrial || renewalPrice == 0 }
}

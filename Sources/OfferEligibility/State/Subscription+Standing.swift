import OfferModel

extension Subscription {
    /// When access ends: the later of expiry and grace, or the revocation. `nil` if the transaction has no expiry.
    var accessEnds: Instant? {
        if let revoked = newest.payload.revocationDate { return revoked }
        guard let expires = newest.payload.expiresDate else { return nil }
        guard let grace = renewalInfo?.payload.gracePeriodExpiresDate else { return expires }
        return max(expires, grace)
    }

    /// The instants at which the state can change by itself.
    func transitions(_ policy: Policy) -> [Instant] {
        [
            newest.payload.expiresDate, accessEnds,
            newest.payload.expiresDate?.adding(milliseconds: billingRetryLife(policy)),
        ].compactMap(\.self)
    }

    /// The state of this subscription alone (DESIGN §5.1, freshness and access).
    func standing(at instant: Instant, policy: Policy) -> Standing {
        if isSuperseded { return .undetermined(.historyStale) }
        if let revoked = newest.payload.revocationDate, revoked <= instant { return .determined(.revoked) }
        guard let expires = newest.payload.expiresDate else { return .undetermined(.expiryUnknown) }
        if instant < expires {
            return .determined(newest.payload.offerType == .introductory ? .introductoryOffer : .subscribed)
        }
        guard let info = renewalInfo?.payload else { return .undetermined(.historyStale) }
        if let grace = info.gracePeriodExpiresDate, instant < grace { return .determined(.inGracePeriod) }
        if info.signedDate > expires, info.isInBillingRetryPeriod == true {
            // Later Apple has either charged or given up, and we have not heard which.
            let isStillTrying = instant < expires.adding(milliseconds: billingRetryLife(policy))
            return isStillTrying ? .determined(.inBillingRetryPeriod) : .undetermined(.historyStale)
        }
        return continues(after: expires) == false ? .determined(.expired) : .undetermined(.historyStale)
    }

    private func billingRetryLife(_ policy: Policy) -> Int64 {
        newest.payload.commitmentInfo == nil ? policy.billingRetryLife : policy.commitmentBillingRetryLife
    }
}

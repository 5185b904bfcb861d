import OfferModel

extension Subscription {
    /// When access ends: the later of expiry and grace, or a revocation before it. `nil` if the transaction has no
    /// expiry and was not revoked.
    var accessEnds: Instant? {
        let revoked = current.payload.revocationDate
        guard let expires = current.payload.expiresDate else { return revoked }
        let ends = max(expires, graceEnds ?? expires)
        return revoked.map { min($0, ends) } ?? ends
    }

    /// The instants at which the state can change by itself, those of periods charged early included.
    func transitions(_ policy: Policy) -> [Instant] {
        let upcoming = upcoming.map(\.payload.purchaseDate)
        return upcoming + ([self] + upcoming.map(seen)).flatMap { $0.ownTransitions(policy) }
    }

    private func ownTransitions(_ policy: Policy) -> [Instant] {
        [
            current.payload.expiresDate, current.payload.revocationDate, accessEnds, graceEnds,
            current.payload.expiresDate?.adding(milliseconds: billingRetryLife(policy)),
        ].compactMap(\.self)
    }

    /// When grace ends, if renewal info signed after the expiry says so: what was signed before it is about an earlier
    /// failure (docs/design.md#history-and-state, freshness).
    private var graceEnds: Instant? {
        guard let info = renewalInfo?.payload, let expires = current.payload.expiresDate, info.signedDate > expires
        else { return nil }
        return info.gracePeriodExpiresDate
    }

    /// The state of this subscription alone (docs/design.md#history-and-state, freshness and access).
    func standing(at instant: Instant, policy: Policy) -> Standing {
        if isSuperseded { return .undetermined(.historyStale) }
        if let revoked = current.payload.revocationDate, revoked <= instant { return .determined(.revoked) }
        guard let expires = current.payload.expiresDate else { return .undetermined(.expiryUnknown) }
        if instant < expires {
            return .determined(current.payload.offerType == .introductory ? .introductoryOffer : .subscribed)
        }
        guard let info = renewalInfo?.payload else { return .undetermined(.historyStale) }
        if let grace = graceEnds, instant < grace { return .determined(.inGracePeriod) }
        if info.signedDate > expires, info.isInBillingRetryPeriod == true {
            // Later Apple has either charged or given up, and we have not heard which.
            let isStillTrying = instant < expires.adding(milliseconds: billingRetryLife(policy))
            return isStillTrying ? .determined(.inBillingRetryPeriod) : .undetermined(.historyStale)
        }
        if info.saysEnded(after: expires) { return .determined(.expired) }
        return continues(after: expires) == false ? .determined(.expired) : .undetermined(.historyStale)
    }

    private func billingRetryLife(_ policy: Policy) -> Int64 {
        current.payload.commitmentInfo == nil ? policy.billingRetryLife : policy.commitmentBillingRetryLife
    }
}

extension RenewalInfo {
    /// Whether Apple gives a reason for the end, which it does only of what has ended, whatever auto-renewal says
    /// (decision 0013). A failed payment is such a reason already while Apple keeps trying.
    fileprivate func saysEnded(after expires: Instant) -> Bool {
        guard signedDate > expires, let expirationIntent else { return false }
        return isInBillingRetryPeriod == false || isInBillingRetryPeriod == nil && expirationIntent != .billingError
    }
}

import OfferModel

extension GroupView {
    /// The state of the group: of what an own purchase has not closed, the subscription that gives access, else by
    /// precedence the latest bought (docs/design.md#history-and-state, decision 0011).
    func state(at instant: Instant) -> SubscriptionState { state(at: instant, candidates(at: instant)) }

    /// - Parameter candidates: those at that instant.
    func state(at instant: Instant, _ candidates: [Candidate]) -> SubscriptionState {
        let withAccess = candidates.filter { $0.standing.hasAccess == true }
        guard let chosen = candidates.speaking else {
            return SubscriptionState(
                subscriptionGroupIdentifier: group, asOf: instant,
                standing: doubt.map(Standing.undetermined) ?? .determined(.neverSubscribed))
        }
        let subscription = chosen.subscription
        // A purchase that may belong to the group might give access too.
        let isInDoubt = withAccess.isEmpty && !outsiders.isEmpty
        return SubscriptionState(
            subscriptionGroupIdentifier: group, asOf: instant,
            standing: isInDoubt ? .undetermined(.groupMismatch) : chosen.standing,
            willAutoRenew: subscription.willAutoRenew,
            accessEnds: withAccess.compactMap(\.subscription.accessEnds).max() ?? subscription.accessEnds,
            expirationIntent: subscription.renewalInfo?.payload.expirationIntent,
            row: subscription.current,
            pendingProductId: subscription.pendingProductId, renewalPrice: subscription.renewalPrice,
            lastMomentToCancel: isInDoubt ? nil : subscription.lastMomentToCancel(chosen.standing, policy: policy))
    }

    /// A transaction that ended, and when.
    typealias Ended = (row: Recorded<Transaction>, at: Instant)

    /// The transaction of the customer's own that ended last, and when: grace is no part of a period. A revoked one
    /// ended at the revocation, and one replaced by an upgrade is no end.
    func lastEnded(at instant: Instant) -> Ended? {
        var last: Ended?
        for subscription in subscriptions {
            let seen = subscription.seen(at: instant)
            guard !seen.isSuperseded, seen.current.isOwned != false, let expires = seen.current.payload.expiresDate
            else { continue }
            let ended = (row: seen.current, at: min(expires, seen.current.payload.revocationDate ?? expires))
            if let known = last,
                (known.at, known.row.payload.transactionId) >= (ended.at, ended.row.payload.transactionId)
            {
                continue
            }
            last = ended
        }
        return last
    }
}

extension [Candidate] {
    /// Which of them speaks for the group.
    var speaking: Candidate? {
        let withAccess = filter { $0.standing.hasAccess == true }
        // Where nothing gives access, one subscription that we cannot tell about might.
        let unknown = filter { $0.standing.name == nil }
        let considered = !withAccess.isEmpty ? withAccess : !unknown.isEmpty ? unknown : self
        // Candidates come by the latest bought, and `min` keeps the first of equals.
        return considered.min { $0.standing.precedence < $1.standing.precedence }
    }
}

extension Standing {
    /// Smaller decides the state of a group with several subscriptions (docs/design.md#history-and-state).
    fileprivate var precedence: Int {
        switch self {
        case .determined(.inGracePeriod): 0
        case .determined(.introductoryOffer): 1
        case .determined(.subscribed): 2
        case .undetermined: 3
        case .determined(.inBillingRetryPeriod): 4
        case .determined(.revoked): 5
        case .determined(.expired): 6
        case .determined(.neverSubscribed): 7
        }
    }
}

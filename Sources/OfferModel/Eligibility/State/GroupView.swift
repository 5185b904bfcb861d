/// One subscription group of a subject, whose state can be derived at any instant.
public final class GroupView: Sendable {
    let group: SubscriptionGroupId
    /// Its subscriptions, by the latest bought.
    let subscriptions: [Subscription]
    /// Purchases that may belong to the group although they name another one or none.
    let ungrouped: [Recorded<Transaction>]
    /// Why what is not known of the group is not proven to be absent; `nil` if it is.
    let doubt: ReasonCode?
    let policy: Policy
    /// The instants at which its state can change without an event, past ones included, earliest first.
    let transitions: [Instant]

    init(
        group: SubscriptionGroupId, subscriptions: [Subscription], ungrouped: [Recorded<Transaction>],
        isComplete: Bool, policy: Policy
    ) {
        self.group = group
        self.subscriptions = subscriptions
        self.ungrouped = ungrouped
        self.policy = policy
        doubt = !ungrouped.isEmpty ? .groupMismatch : isComplete ? nil : .historyIncomplete
        var transitions = subscriptions.flatMap { $0.transitions(policy) }
        transitions.sortOnce()
        self.transitions = transitions
    }
}

struct Candidate: Sendable {
    let subscription: Subscription
    let resolution: StateResolution

    /// - Parameter subscription: as it is seen at the instant.
    init(_ subscription: Subscription, at instant: Instant, _ policy: Policy) {
        self.subscription = subscription
        resolution = subscription.resolution(at: instant, policy: policy)
    }

    var isOwned: Bool? { subscription.current.isOwned }
    var isTrying: Bool { resolution.name == .inBillingRetryPeriod }
}

extension GroupView {
    /// The subscriptions that may govern the group, latest bought first.
    ///
    /// A customer has one own subscription per group at a time, so an own purchase closes what was bought before it,
    /// unless that still gives access or Apple still tries to charge it (decision 0011).
    func candidates(at instant: Instant) -> [Candidate] { GroupSweep(self, from: instant).candidates }

    /// The state of the group: of what an own purchase has not closed, the subscription that gives access, else by
    /// precedence the latest bought (docs/design.md#history-and-state, decision 0011).
    public func state(at instant: Instant) -> SubscriptionState {
        var sweep = GroupSweep(self, from: instant)
        return sweep.state
    }

    /// - Parameters:
    ///   - chosen: the candidate that governs at that instant.
    ///   - hasAccess: whether any candidate gives access.
    ///   - accessEnds: the latest end of those that do.
    func state(
        at instant: Instant, governing chosen: Candidate?, hasAccess: Bool, accessEnds: Instant?
    ) -> SubscriptionState {
        guard let chosen else {
            let resolution = doubt.map(StateResolution.undetermined) ?? .determined(.neverSubscribed)
            return SubscriptionState(
                asOf: instant, .init(subscriptionGroupIdentifier: group, resolution: resolution))
        }
        let subscription = chosen.subscription
        // A purchase that may belong to the group might give access too.
        let isInDoubt = !hasAccess && !ungrouped.isEmpty
        let members = SubscriptionState.Members(
            subscriptionGroupIdentifier: group,
            resolution: isInDoubt ? .undetermined(.groupMismatch) : chosen.resolution,
            willAutoRenew: subscription.willAutoRenew,
            accessEnds: accessEnds ?? subscription.accessEnds,
            expirationIntent: subscription.renewalInfo?.payload.expirationIntent,
            shown: ShownRow(row: subscription.current),
            pendingProductId: subscription.pendingProductId, renewalPrice: subscription.renewalPrice,
            priceIncreaseStatus: subscription.renewalInfo?.payload.priceIncreaseStatus,
            lastMomentToCancel: isInDoubt ? nil : subscription.lastMomentToCancel(chosen.resolution, policy: policy),
            startedAt: subscription.startedAt, isStartKnown: subscription.isStartKnown,
            graceEnds: subscription.graceEnds, renewalInfoSigned: subscription.renewalInfo?.payload.signedDate)
        return SubscriptionState(asOf: instant, members)
    }

    typealias Ended = (row: Recorded<Transaction>, at: Instant)

    /// The transaction of the customer's own that ended last, and when: grace is not part of a period. A revoked one
    /// ended at the revocation, and one replaced by an upgrade is not an end.
    func lastEnded(at instant: Instant) -> Ended? { GroupSweep(self, from: instant).lastEnded }
}

extension Subscription {
    /// Its current transaction if that is the customer's own, and when it ends or was revoked.
    var ended: GroupView.Ended? {
        guard !isSuperseded, current.isOwned != false, let expires = current.payload.expiresDate else { return nil }
        return (row: current, at: min(expires, current.payload.revocationDate ?? expires))
    }
}

extension Candidate {
    /// Smaller decides the state of a group with several subscriptions (docs/design.md#history-and-state).
    var precedence: Int {
        switch resolution {
        case .determined(.inGracePeriod): 0
        // Bought and not free; what is shared or free leaves a customer in the trial.
        case .determined(.subscribed) where isOwned == true && subscription.current.isFree != true: 1
        case .determined(.introductoryOffer): 2
        case .determined(.subscribed): 3
        case .undetermined: 4
        case .determined(.inBillingRetryPeriod): 5
        case .determined(.revoked): 6
        case .determined(.expired): 7
        case .determined(.neverSubscribed): 8
        }
    }
}

extension [Instant] {
    /// Sorts them, each once. There are a few of them: to sort is quicker than to hash.
    mutating func sortOnce() {
        guard count > 1 else { return }
        sort()
        var kept = 1
        for place in 1..<count where self[place] != self[kept - 1] {
            self[kept] = self[place]
            kept += 1
        }
        removeSubrange(kept...)
    }
}

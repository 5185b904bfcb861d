public import OfferModel

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

/// The states of a group from an instant on: between two transitions nothing changes but the time.
final class StateTimeline: Sendable {
    /// The subscriptions that may govern the group at the first instant.
    let candidates: [Candidate]
    private let states: [SubscriptionState]
    /// What had ended last by each of them.
    private let lastEnded: [GroupView.Ended?]

    init(_ view: GroupView, from now: Instant) {
        candidates = view.candidates(at: now)
        states =
            [view.state(at: now, candidates)] + view.transitions.filter { $0 > now }.map { view.state(at: $0) }
        lastEnded = states.map { view.lastEnded(at: $0.asOf) }
    }

    /// `nil` before it begins.
    func state(at instant: Instant) -> SubscriptionState? {
        guard let place = place(at: instant) else { return nil }
        var state = states[place]
        state.asOf = instant
        return state
    }

    /// What had ended last by an instant at which it has begun.
    func lastEnded(at instant: Instant) -> GroupView.Ended? {
        place(at: instant).flatMap { lastEnded[$0] }
    }

    func hasBegun(at instant: Instant) -> Bool { place(at: instant) != nil }

    private func place(at instant: Instant) -> Int? {
        states.indices.last { states[$0].asOf <= instant }
    }
}

struct Candidate: Sendable {
    let subscription: Subscription
    let resolution: StateResolution

    fileprivate var isOwned: Bool? { subscription.current.isOwned }
    fileprivate var isTrying: Bool { resolution.name == .inBillingRetryPeriod }
}

extension GroupView {
    /// The subscriptions that may govern the group, latest bought first.
    ///
    /// A customer has one own subscription per group at a time, so an own purchase closes what was bought before it,
    /// unless that still gives access or Apple still tries to charge it (decision 0011).
    func candidates(at instant: Instant) -> [Candidate] {
        let all = subscriptions.map { $0.seen(at: instant) }
            .sorted { $1.current.wasBought(before: $0.current) }
            .map { Candidate(subscription: $0, resolution: $0.resolution(at: instant, policy: policy)) }
        // Nothing can supersede or close the only one.
        guard all.count > 1 else { return all }
        // An upgrade into another subscription ended this one; the other one governs the group.
        let remaining = all.enumerated().filter { index, candidate in
            !candidate.subscription.isSuperseded || !all[..<index].contains { $0.isOwned == candidate.isOwned }
        }
        guard let own = remaining.first(where: { $0.element.isOwned == true }) else { return remaining.map(\.element) }
        let bought = own.element.subscription.current.payload.purchaseDate
        return remaining.filter { index, candidate in
            if candidate.resolution.hasAccess == true || candidate.isTrying { return true }
            guard candidate.isOwned == false else { return index <= own.offset }
            // What was shared is never the customer's own past: it matters while it may still give access.
            guard candidate.resolution.name == nil else { return false }
            return candidate.subscription.accessEnds.map { $0 > bought } ?? true
        }
        .map(\.element)
    }

    /// The state of the group: of what an own purchase has not closed, the subscription that gives access, else by
    /// precedence the latest bought (docs/design.md#history-and-state, decision 0011).
    public func state(at instant: Instant) -> SubscriptionState { state(at: instant, candidates(at: instant)) }

    /// - Parameter candidates: those at that instant.
    func state(at instant: Instant, _ candidates: [Candidate]) -> SubscriptionState {
        let withAccess = candidates.filter { $0.resolution.hasAccess == true }
        guard let chosen = candidates.governing else {
            return SubscriptionState(
                subscriptionGroupIdentifier: group, asOf: instant,
                resolution: doubt.map(StateResolution.undetermined) ?? .determined(.neverSubscribed))
        }
        let subscription = chosen.subscription
        // A purchase that may belong to the group might give access too.
        let isInDoubt = withAccess.isEmpty && !ungrouped.isEmpty
        return SubscriptionState(
            subscriptionGroupIdentifier: group, asOf: instant,
            resolution: isInDoubt ? .undetermined(.groupMismatch) : chosen.resolution,
            willAutoRenew: subscription.willAutoRenew,
            accessEnds: withAccess.compactMap(\.subscription.accessEnds).max() ?? subscription.accessEnds,
            expirationIntent: subscription.renewalInfo?.payload.expirationIntent,
            row: subscription.current,
            pendingProductId: subscription.pendingProductId, renewalPrice: subscription.renewalPrice,
            priceIncreaseStatus: subscription.renewalInfo?.payload.priceIncreaseStatus,
            lastMomentToCancel: isInDoubt ? nil : subscription.lastMomentToCancel(chosen.resolution, policy: policy),
            startedAt: subscription.startedAt, isStartKnown: subscription.isStartKnown,
            graceEnds: subscription.graceEnds)
    }

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
    /// The one that decides the state of the group.
    var governing: Candidate? {
        let withAccess = filter { $0.resolution.hasAccess == true }
        // Where nothing gives access, one subscription that we cannot tell about might.
        let unknown = filter { $0.resolution.name == nil }
        let considered = !withAccess.isEmpty ? withAccess : !unknown.isEmpty ? unknown : self
        // Candidates come by the latest bought, and `min` keeps the first of equals.
        return considered.min { $0.precedence < $1.precedence }
    }
}

extension Candidate {
    /// Smaller decides the state of a group with several subscriptions (docs/design.md#history-and-state).
    fileprivate var precedence: Int {
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

import OfferModel

/// One subscription group of a subject, of which the state can be told at any instant.
final class GroupView: Sendable {
    let group: SubscriptionGroupId
    /// Its subscriptions, by the latest bought.
    let subscriptions: [Subscription]
    /// Purchases that may belong to the group although they name another one or none.
    let outsiders: [Recorded<Transaction>]
    /// Why what is not known of the group is not proven to be absent; `nil` if it is.
    let doubt: ReasonCode?
    let policy: Policy
    /// The instants at which its state can change by itself, past ones included, from the earliest.
    let transitions: [Instant]

    init(
        group: SubscriptionGroupId, subscriptions: [Subscription], outsiders: [Recorded<Transaction>],
        isComplete: Bool, policy: Policy
    ) {
        self.group = group
        self.subscriptions = subscriptions
        self.outsiders = outsiders
        self.policy = policy
        doubt = !outsiders.isEmpty ? .groupMismatch : isComplete ? nil : .historyIncomplete
        var transitions = subscriptions.flatMap { $0.transitions(policy) }
        transitions.sortOnce()
        self.transitions = transitions
    }
}

/// The states of a group from an instant on: between two transitions nothing changes but the time.
final class StateCourse: Sendable {
    /// The subscriptions that may speak for the group at the first instant.
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

    /// Whether it has begun at an instant.
    func hasBegun(at instant: Instant) -> Bool { place(at: instant) != nil }

    private func place(at instant: Instant) -> Int? {
        states.indices.last { states[$0].asOf <= instant }
    }
}

import OfferModel

/// One subscription group of a subject, of which the state can be told at any instant.
struct GroupView: Sendable {
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
        transitions = Set(subscriptions.flatMap { $0.transitions(policy) }).sorted()
    }
}

/// The states of a group from an instant on: between two transitions nothing changes but the time.
struct StateCourse: Sendable {
    private let states: [SubscriptionState]

    init(_ view: GroupView, from now: Instant) {
        states = ([now] + view.transitions.filter { $0 > now }).map(view.state)
    }

    /// `nil` before it begins.
    func state(at instant: Instant) -> SubscriptionState? {
        guard var state = states.last(where: { $0.asOf <= instant }) else { return nil }
        state.asOf = instant
        return state
    }
}

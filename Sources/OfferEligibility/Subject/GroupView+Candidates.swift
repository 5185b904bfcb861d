import OfferModel

/// A subscription and its state at an instant.
struct Candidate: Sendable {
    let subscription: Subscription
    let standing: Standing

    fileprivate var isOwned: Bool? { subscription.current.isOwned }
    fileprivate var isTrying: Bool { standing.name == .inBillingRetryPeriod }
}

extension GroupView {
    /// The subscriptions that may speak for the group, by the latest bought.
    ///
    /// A customer has one own subscription per group at a time, so an own purchase closes what was bought before it,
    /// unless that still gives access or Apple still tries to charge it (decision 0011).
    func candidates(at instant: Instant) -> [Candidate] {
        let all = subscriptions.map { $0.seen(at: instant) }
            .sorted { $1.current.wasBought(before: $0.current) }
            .map { Candidate(subscription: $0, standing: $0.standing(at: instant, policy: policy)) }
        // An upgrade into another subscription ended this one; the other one speaks for the group.
        let remaining = all.enumerated().filter { index, candidate in
            !candidate.subscription.isSuperseded || !all[..<index].contains { $0.isOwned == candidate.isOwned }
        }
        guard let own = remaining.first(where: { $0.element.isOwned == true }) else { return remaining.map(\.element) }
        let bought = own.element.subscription.current.payload.purchaseDate
        return remaining.filter { index, candidate in
            if candidate.standing.hasAccess == true || candidate.isTrying { return true }
            guard candidate.isOwned == false else { return index <= own.offset }
            // What was shared is never the customer's own past: it matters while it may still give access.
            guard candidate.standing.name == nil else { return false }
            return candidate.subscription.accessEnds.map { $0 > bought } ?? true
        }
        .map(\.element)
    }
}

public import OfferModel

/// The customer's own subscription of a group at an instant; what the family shares with them is not theirs.
public struct OwnSubscription: Sendable, Hashable {
    /// Whether it gives access; absent if what is known does not tell. False where nothing is known: a report counts what
    /// is known to be.
    public let hasAccess: Bool?
    /// Whether it renews; absent if unknown, or without access.
    public let willAutoRenew: Bool?

    /// Whether it gives access and renews.
    public var isRenewing: Bool? {
        guard let hasAccess else { return nil }
        return hasAccess ? willAutoRenew : false
    }

    /// Whether it gives access and was cancelled.
    public var isCancelled: Bool { hasAccess == true && willAutoRenew == false }

    /// As a history shows it.
    public init(_ history: History, of group: SubscriptionGroupId, at instant: Instant, policy: Policy = .standard) {
        let subject = Subject(SubjectFacts(history: history), at: instant, policy: policy)
        self.init(subject.view(of: group).candidates(at: instant))
    }

    init(_ candidates: [Candidate]) {
        let own = candidates.filter { $0.subscription.current.isOwned == true }
        let uncertain = candidates.contains { $0.subscription.current.isOwned == nil && $0.standing.hasAccess != false }
        if let active = own.first(where: { $0.standing.hasAccess == true }) {
            hasAccess = true
            willAutoRenew = active.subscription.willAutoRenew
        } else {
            hasAccess = uncertain || own.contains { $0.standing.hasAccess == nil } ? nil : false
            willAutoRenew = nil
        }
    }
}

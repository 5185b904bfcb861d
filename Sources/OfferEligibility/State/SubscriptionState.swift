public import OfferModel

/// The state of one subscription group at an instant, derived and never stored (DESIGN §5.1).
public struct SubscriptionState: Sendable, Hashable {
    /// The group.
    public var subscriptionGroupIdentifier: SubscriptionGroupId
    /// The instant it was derived for.
    public var asOf: Instant
    /// The state, or why it cannot be told.
    public var standing: Standing
    /// Whether the subscription will renew; of a 12-month commitment, whether the commitment will. Absent if unknown.
    public var willAutoRenew: Bool?
    /// When access ends or ended, by every subscription that gives it; absent if nothing is known.
    public var accessEnds: Instant?
    /// Why the subscription expired, in Apple's numbers.
    public var expirationIntent: ExpirationIntent?
    /// The transaction that determines the state.
    public var transaction: Transaction?
    /// How that transaction reached us.
    public var provenance: Provenance?
    /// The product of the next renewal, if it is another one.
    public var pendingProductId: ProductId?
    /// The price of the next renewal.
    public var renewalPrice: Money?
    /// The last moment to cancel without being charged, 24 hours before the renewal; it may have passed. Absent where
    /// nothing that cancelling could avoid is known to be charged.
    public var lastMomentToCancel: Instant?

    /// The state's name, if it is known.
    public var name: SubscriptionStateName? { standing.name }
    /// Whether the customer has access; absent if that cannot be told.
    public var hasAccess: Bool? { standing.hasAccess }
    /// Whether the customer bought the subscription, rather than received it through Family Sharing; absent if no
    /// subscription is known, or Apple sent a value that is not known here.
    public var isOwned: Bool? { transaction?.isOwned }
    /// Whole days until access ends, rounded down; absent without access.
    public var daysLeft: Int? {
        guard hasAccess == true else { return nil }
        return accessEnds.map { Int($0.days(since: asOf)) }
    }
    /// What kind of revocation ended access, where Apple says: a refund in full, a prorated one or a family
    /// revocation.
    public var revocationType: RevocationType? { name == .revoked ? transaction?.revocationType : nil }
}

extension History {
    /// The state of every subscription group seen in this history, by the group's identifier.
    public func subscriptionStates(at instant: Instant, policy: Policy = .standard) -> [SubscriptionState] {
        let subject = Subject(SubjectFacts(history: self), at: instant, policy: policy)
        return subject.subscriptions.keys.sorted().map { subject.state(of: $0, at: instant) }
    }
}

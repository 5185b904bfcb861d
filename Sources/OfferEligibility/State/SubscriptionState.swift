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
    /// The row that determines the state. A state is derived often, and a transaction has dozens of members.
    private var shown: ShownRow?
    /// The product of the next renewal, if it is another one.
    public var pendingProductId: ProductId?
    /// The price of the next renewal.
    public var renewalPrice: Money?
    /// The last moment to cancel without being charged, 24 hours before the renewal; it may have passed. Absent where
    /// nothing that cancelling could avoid is known to be charged.
    public var lastMomentToCancel: Instant?

    init(
        subscriptionGroupIdentifier: SubscriptionGroupId, asOf: Instant, standing: Standing,
        willAutoRenew: Bool? = nil, accessEnds: Instant? = nil, expirationIntent: ExpirationIntent? = nil,
        row: Recorded<Transaction>? = nil, pendingProductId: ProductId? = nil, renewalPrice: Money? = nil,
        lastMomentToCancel: Instant? = nil
    ) {
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.asOf = asOf
        self.standing = standing
        self.willAutoRenew = willAutoRenew
        self.accessEnds = accessEnds
        self.expirationIntent = expirationIntent
        shown = row.map(ShownRow.init)
        self.pendingProductId = pendingProductId
        self.renewalPrice = renewalPrice
        self.lastMomentToCancel = lastMomentToCancel
    }

    /// The transaction that determines the state.
    public var transaction: Transaction? { row?.payload }
    /// The row of that transaction: to ask it one thing, without a copy of all its members.
    var row: Recorded<Transaction>? { shown?.row }
    /// How that transaction reached us.
    public var provenance: Provenance? { shown?.row.provenance }
    /// Whether nothing was paid for its period; `nil` if neither the offer nor the price tells.
    var isFree: Bool? { shown?.row.isFree }
    /// The id of that transaction.
    var transactionId: TransactionId? { shown?.row.payload.transactionId }
    /// The state's name, if it is known.
    public var name: SubscriptionStateName? { standing.name }
    /// Whether the customer has access; absent if that cannot be told.
    public var hasAccess: Bool? { standing.hasAccess }
    /// Whether the customer bought the subscription, rather than received it through Family Sharing; absent if no
    /// subscription is known, or Apple sent a value that is not known here.
    public var isOwned: Bool? { shown?.row.isOwned }
    /// Whole days until access ends, rounded down; absent without access.
    public var daysLeft: Int? {
        guard hasAccess == true else { return nil }
        return accessEnds.map { Int($0.days(since: asOf)) }
    }
    /// What kind of revocation ended access, where Apple says: a refund in full, a prorated one or a family
    /// revocation.
    public var revocationType: RevocationType? { name == .revoked ? transaction?.revocationType : nil }
}

/// A row of which only what was signed and how it came is shown: when it came is no part of a state.
private struct ShownRow: Sendable, Hashable {
    let row: Recorded<Transaction>

    static func == (left: ShownRow, right: ShownRow) -> Bool {
        left.row === right.row
            || left.row.provenance == right.row.provenance && left.row.payload == right.row.payload
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(row.payload.transactionId)
        hasher.combine(row.provenance)
    }
}

extension History {
    /// The state of every subscription group seen in this history, by the group's identifier.
    public func subscriptionStates(at instant: Instant, policy: Policy = .standard) -> [SubscriptionState] {
        let subject = Subject(SubjectFacts(history: self), at: instant, policy: policy)
        return subject.subscriptions.keys.sorted().map { subject.state(of: $0, at: instant) }
    }
}

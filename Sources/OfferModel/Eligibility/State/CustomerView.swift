/// A customer's purchases as a backend asks about them: every subscription group, and products outside groups.
public struct CustomerView: Sendable {
    /// By identifier; only groups in which the history has a subscription.
    public let groups: [GroupView]
    /// By identifier.
    public let products: [PurchasedProduct]
    /// Whether there are subscriptions that name no group, so that a group may be missing or incomplete.
    public let hasUngrouped: Bool

    /// Derives the view at an instant.
    public init(_ history: History, at instant: Instant, policy: Policy = .standard) {
        let past = SubscriptionHistory(SubjectFacts(history: history), countsPaidTime: false)
        let isComplete = history.coverage.isProof(at: instant, life: policy.coverageLife)
        groups = past.groups.sorted { $0.key < $1.key }.map { id, group in
            GroupView(
                group: id, subscriptions: group.subscriptions(at: instant), ungrouped: past.withoutGroup,
                isComplete: isComplete, policy: policy)
        }
        hasUngrouped = !past.withoutGroup.isEmpty
        let isAllSubscriptions = past.subscriptionRows.count == past.history.transactions.count
        products =
            isAllSubscriptions ? [] : PurchasedProduct.all(of: past.history.transactions.filter { !$0.isSubscription })
    }
}

/// A product outside subscription groups that was bought or shared, and whether the customer still has it.
public struct PurchasedProduct: Sendable, Hashable {
    public let productId: ProductId
    public let type: TransactionType
    /// Whether a purchase of it has not been taken back. How long a non-renewing subscription lasts, only the app
    /// knows. A consumable is never owned: what was bought may be consumed.
    public let isOwned: Bool
    /// The newest purchase, of those that were not taken back if there are any.
    public let purchasedAt: Instant
    /// When that purchase was taken back.
    public let revokedAt: Instant?

    /// - Parameter rows: by purchase date. Those of a type that Apple did not state say too little to be shown.
    fileprivate static func all(of rows: [Recorded<Transaction>]) -> [PurchasedProduct] {
        var newest: [ProductId: Recorded<Transaction>] = [:]
        for row in rows where row.payload.type != nil {
            if !row.isKept, newest[row.payload.productId]?.isKept == true { continue }
            newest[row.payload.productId] = row
        }
        return newest.values.compactMap(PurchasedProduct.init).sorted { $0.productId < $1.productId }
    }

    private init?(_ row: Recorded<Transaction>) {
        guard let type = row.payload.type else { return nil }
        productId = row.payload.productId
        self.type = type
        isOwned = row.isKept && type != .consumable
        purchasedAt = row.payload.purchaseDate
        revokedAt = row.payload.revocationDate
    }
}

extension Recorded<Transaction> {
    /// Whether Apple has neither refunded nor revoked it.
    var isKept: Bool { payload.revocationDate == nil }
}

/// The ends and beginnings in a subscription group that time alone brings.
public enum GroupChange: String, Sendable, Hashable, CaseIterable {
    /// The introductory offer's period ends.
    case trialEnds
    /// The period ends, and Apple is to renew it, or it is not known what follows.
    case renewalDue
    /// The period ends, and nothing follows.
    case expires
    /// A period that was charged in advance begins.
    case periodBegins
    /// Access despite a failed renewal ends.
    case graceEnds
    /// Apple stops trying to charge a failed renewal.
    case billingRetryEnds
    /// A revoked purchase ends.
    case revoked
}

extension GroupView {
    /// The next change that needs no event, in what is shown of the group's state; `nil` if there is none.
    ///
    /// - Parameter shown: what the caller shows of a state, without what counts down with time.
    public func nextChange<Shown: Equatable>(
        after state: SubscriptionState, in shown: (SubscriptionState) -> Shown
    ) -> (at: Instant, change: GroupChange)? {
        let now = shown(state)
        var sweep = GroupSweep(self, from: state.asOf)
        while sweep.advance() {
            let next = sweep.state
            if shown(next) != now { return (next.asOf, GroupChange(from: state, to: next, at: next.asOf)) }
        }
        return nil
    }

    /// When the newest introductory offer of the group began, and when its last known period ends or was cut short.
    public var newestTrial: (startedAt: Instant, endsAt: Instant?)? {
        subscriptions.lazy.flatMap { $0.introductoryOffers(in: self.group) }
            .max { ($0.firstEvidence, $0.originalTransactionId) < ($1.firstEvidence, $1.originalTransactionId) }
            .map { ($0.firstEvidence, $0.offerEnds) }
    }
}

extension Subscription {
    fileprivate func introductoryOffers(in group: SubscriptionGroupId) -> [Redemption] {
        guard transactions.contains(where: { $0.payload.offerType == .introductory }) else { return [] }
        var walk = RedemptionWalk(group: group) { stated, _ in stated.flatMap { Period($0) } }
        for row in transactions { walk.begin(row) }
        return walk.finished().filter { $0.offerType == .introductory }
    }
}

extension GroupChange {
    fileprivate init(from state: SubscriptionState, to next: SubscriptionState, at instant: Instant) {
        // Where another subscription of the group takes over, the one before has ended.
        let ended = state.willAutoRenew == false ? Self.expires : .renewalDue
        switch (state.name, next.name) {
        case (_, .revoked): self = next.transaction?.revocationDate == instant ? .revoked : ended
        case (.introductoryOffer, let name) where name != .introductoryOffer: self = .trialEnds
        case (.inGracePeriod, _), (nil, .inBillingRetryPeriod): self = .graceEnds
        case (.inBillingRetryPeriod, let name) where name != .subscribed: self = .billingRetryEnds
        case (_, .expired): self = .expires
        case (_, .subscribed), (_, .introductoryOffer):
            self = next.transaction?.purchaseDate == instant ? .periodBegins : ended
        default: self = .renewalDue
        }
    }
}

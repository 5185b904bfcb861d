/// The state of one subscription group at an instant, derived and never stored (docs/design.md#history-and-state).
public struct SubscriptionState: Sendable, Equatable {
    /// The instant it was derived for.
    public var asOf: Instant
    private let told: Told

    init(asOf: Instant, _ members: Members) {
        self.asOf = asOf
        told = Told(members)
    }

    public static func == (left: SubscriptionState, right: SubscriptionState) -> Bool {
        left.asOf == right.asOf && (left.told === right.told || left.told.members == right.told.members)
    }

    public var subscriptionGroupIdentifier: SubscriptionGroupId { told.members.subscriptionGroupIdentifier }
    public var resolution: StateResolution { told.members.resolution }
    /// Whether the subscription will renew; of a 12-month commitment, whether the commitment will. Absent if unknown.
    public var willAutoRenew: Bool? { told.members.willAutoRenew }
    /// When access ends or ended, by every subscription that gives it; absent if unknown.
    public var accessEnds: Instant? { told.members.accessEnds }
    /// Why the subscription expired, in Apple's numbers.
    public var expirationIntent: ExpirationIntent? { told.members.expirationIntent }
    public var pendingProductId: ProductId? { told.members.pendingProductId }
    public var renewalPrice: Money? { told.members.renewalPrice }
    var priceIncreaseStatus: PriceIncreaseStatus? { told.members.priceIncreaseStatus }
    /// The last moment to cancel without being charged, 24 hours before the renewal; it may have passed. Absent where
    /// nothing that cancelling could avoid is known to be charged.
    public var lastMomentToCancel: Instant? { told.members.lastMomentToCancel }
    /// When the subscription was first bought, however often it has lapsed since.
    public var startedAt: Instant? { told.members.startedAt }
    /// Whether ``startedAt`` cannot turn out to be earlier, however incomplete the history is.
    var isStartKnown: Bool { told.members.isStartKnown }
    /// When the grace period of the last failed renewal ends or ended, if Apple gave one.
    public var graceEnds: Instant? { told.members.graceEnds }
    /// When Apple signed what says how it renews; absent if nothing of the current period does.
    public var renewalInfoSigned: Instant? { told.members.renewalInfoSigned }
    public var transaction: Transaction? { row?.payload }
    /// The row of that transaction: to ask it one thing, without a copy of all its members.
    var row: Recorded<Transaction>? { told.members.shown?.row }
    public var provenance: Provenance? { row?.provenance }
    /// Whether nothing was paid for its period; `nil` if neither the offer nor the price tells.
    var isFree: Bool? { row?.isFree }
    var transactionId: TransactionId? { row?.payload.transactionId }
    public var name: SubscriptionStateName? { resolution.name }
    /// `nil` if unknown.
    public var hasAccess: Bool? { resolution.hasAccess }
    /// Whether an introductory offer is running that costs nothing; `nil` if unknown.
    public var isInFreeTrial: Bool? { name == .introductoryOffer ? isFree : name.map { _ in false } }
    /// Whether the customer bought the subscription, rather than received it through Family Sharing; absent if no
    /// subscription is known, or Apple sent a value that is not known here.
    public var isOwned: Bool? { row?.isOwned }
    /// Whole days until access ends, rounded down; absent without access.
    public var daysLeft: Int? {
        guard hasAccess == true else { return nil }
        return accessEnds.map { Int($0.days(since: asOf)) }
    }
    /// The kind of revocation that ended access, where Apple says: a refund in full, a prorated one or a family
    /// revocation.
    public var revocationType: RevocationType? { name == .revoked ? row?.payload.revocationType : nil }
}

extension SubscriptionState {
    /// The content of a state, the same until the next transition.
    struct Members: Sendable, Equatable {
        let subscriptionGroupIdentifier: SubscriptionGroupId
        let resolution: StateResolution
        var willAutoRenew: Bool?
        var accessEnds: Instant?
        var expirationIntent: ExpirationIntent?
        var shown: ShownRow?
        var pendingProductId: ProductId?
        var renewalPrice: Money?
        var priceIncreaseStatus: PriceIncreaseStatus?
        var lastMomentToCancel: Instant?
        var startedAt: Instant?
        var isStartKnown = false
        var graceEnds: Instant?
        var renewalInfoSigned: Instant?
    }
}

/// By reference, because a state is copied for every instant at which anything may turn.
private final class Told: Sendable {
    let members: SubscriptionState.Members

    init(_ members: SubscriptionState.Members) {
        self.members = members
    }
}

/// A row of which only what was signed and how it came is shown: when it came is not part of a state.
struct ShownRow: Sendable, Equatable {
    let row: Recorded<Transaction>

    static func == (left: ShownRow, right: ShownRow) -> Bool {
        left.row === right.row
            || left.row.provenance == right.row.provenance && left.row.payload == right.row.payload
    }
}

extension History {
    /// The state of every subscription group seen in this history, by the group's identifier.
    public func subscriptionStates(at instant: Instant, policy: Policy = .standard) -> [SubscriptionState] {
        CustomerView(self, at: instant, policy: policy).groups.map { $0.state(at: instant) }
    }
}

/// A state by its name, or why it is unknown.
public enum StateResolution: Sendable, Hashable {
    case determined(SubscriptionStateName)
    case undetermined(ReasonCode)

    public var name: SubscriptionStateName? {
        guard case .determined(let name) = self else { return nil }
        return name
    }

    public var undeterminedReason: ReasonCode? {
        guard case .undetermined(let reason) = self else { return nil }
        return reason
    }

    /// `nil` if unknown.
    public var hasAccess: Bool? {
        guard case .determined(let name) = self else { return nil }
        switch name {
        case .introductoryOffer, .subscribed, .inGracePeriod: return true
        case .neverSubscribed, .inBillingRetryPeriod, .expired, .revoked: return false
        }
    }
}

/// An event of a subscription that becomes due by itself.
public struct DueEvent: Sendable, Hashable {
    public var type: EventType
    public var dueAt: Instant
    /// The date that the event is about, which identifies it.
    public var announced: Instant

    public init(type: EventType, dueAt: Instant, announced: Instant) {
        self.type = type
        self.dueAt = dueAt
        self.announced = announced
    }

    public var cause: String { "\(announced.milliseconds)" }

    /// How long before its end a trial is announced to end, in milliseconds.
    public static let trialNotice = 48 * Instant.Duration.hour
    /// The same of a grace period.
    public static let graceNotice = 3 * Instant.Duration.day
}

extension DueEvent {
    /// The events of one subscription that its data gives a date.
    ///
    /// A future event has a date on any statement; access that has ended is news only for a few days, and only if
    /// Apple has signed it.
    ///
    /// - Parameter history: everything that is known of the subscription.
    public static func all(of history: History, at now: Instant) -> [DueEvent] {
        let past = SubscriptionHistory(SubjectFacts(history: history), countsPaidTime: false)
        return past.groups.values.flatMap { $0.subscriptions(at: now) }.flatMap { $0.dueEvents(at: now) }
    }
}

extension Subscription {
    fileprivate func dueEvents(at now: Instant) -> [DueEvent] {
        var due: [DueEvent] = []
        if isInTrial, let ends = current.payload.expiresDate, ends > now {
            due.append(
                DueEvent(
                    type: .trialEnding, dueAt: ends.adding(milliseconds: -DueEvent.trialNotice), announced: ends))
        }
        if let ends = graceEnds, ends > now, current.isKept {
            due.append(
                DueEvent(
                    type: .graceEnding, dueAt: ends.adding(milliseconds: -DueEvent.graceNotice), announced: ends))
        }
        // A period that was charged early keeps access, unless it was refunded.
        let last = upcoming.last(where: \.isKept).map { seen(at: $0.payload.purchaseDate) } ?? self
        if let ends = last.accessEnds, ends > now || last.isNews(endedAt: ends, at: now) {
            due.append(DueEvent(type: .accessLost, dueAt: ends, announced: ends))
        }
        return due
    }

    /// Only a free introductory offer is surely one period; `nil` counts as free, because old data names no price.
    private var isInTrial: Bool {
        !isSuperseded && current.isKept && current.payload.offerType == .introductory && current.isFree != false
    }

    private func isNews(endedAt ends: Instant, at now: Instant) -> Bool {
        current.provenance.isProven && now.milliseconds(since: ends) <= SubscriptionEvent.newsLife
    }
}

extension DueEvent {
    /// The event to send if it still holds at an instant: a subscription may have been renewed meanwhile, or another of
    /// its group gives access. Where the state is not known it does not hold; new data gives it a date again.
    ///
    /// - Parameter history: everything that is known of the customer.
    public func event(
        of subscription: TransactionId, in history: History, at now: Instant, policy: Policy
    ) -> SubscriptionEvent? {
        for group in CustomerView(history, at: now, policy: policy).groups {
            guard let own = group.subscriptions.first(where: { $0.original == subscription }) else { continue }
            let state = group.state(at: now)
            guard holds(in: state, of: subscription) else { return nil }
            return SubscriptionEvent(
                type: type, cause: cause, at: announced, transaction: own.current.payload,
                willAutoRenew: own.willAutoRenew, state: type == .accessLost ? state.name : nil)
        }
        return nil
    }

    private func holds(in state: SubscriptionState, of subscription: TransactionId) -> Bool {
        let isGoverned = state.transaction?.originalTransactionId == subscription
        return switch type {
        case .trialEnding: isGoverned && state.name == .introductoryOffer && state.accessEnds == announced
        case .graceEnding: isGoverned && state.name == .inGracePeriod && state.graceEnds == announced
        case .accessLost: state.hasAccess == false
        default: false
        }
    }
}

extension Subscription {
    fileprivate var original: TransactionId { current.payload.originalTransactionId }
}

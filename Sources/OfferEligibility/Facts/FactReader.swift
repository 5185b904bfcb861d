import OfferModel

/// An instant, and the state of the product's group at it; `nil` if the group is not known.
struct Moment: Sendable {
    let now: Instant
    let state: SubscriptionState?
}

/// Reads the facts of the vocabulary from a subject and a question, each family with a reader of its own.
///
/// The families never mix: what the backend says has names of its own and cannot outrank what Apple signed.
struct FactReader {
    let question: Question
    let subject: Subject

    /// The fact as it is known at a moment; `nil` is a name that no fact has.
    func fact(_ name: FactName?, at moment: Moment) -> Fact {
        switch name {
        case nil:
            Fact(.undetermined(.factUnknown))
        case .subscription(let fact):
            moment.state.map { SubscriptionFactReader(subject: subject, state: $0).fact(fact) }
                ?? Fact(.undetermined(.groupUnknown))
        case .customer(let fact):
            CustomerFactReader(subject: subject, now: moment.now).fact(fact)
        case .redeemed(let offer):
            RedemptionFactReader(subject: subject).redeemed(offer, question)
        case .attribute, .request, .signal:
            CallerFactReader(question: question, attributes: subject.attributes).fact(name)
        }
    }

    /// The instants after the given one, ascending, at which time alone can change the fact's value, or its answer to
    /// those numbers.
    func turningInstants(of name: FactName?, numbers: [Double], after now: Instant) -> [Instant] {
        guard name?.dependsOnTime == true else { return [] }
        let transitions = name?.followsState == true ? subject.asked?.transitions ?? [] : []
        let later = instants(of: name, numbers: numbers, transitions: transitions).filter { $0 > now }
        return later.count < 2 ? later : Set(later).sorted()
    }

    private func instants(of name: FactName?, numbers: [Double], transitions: [Instant]) -> [Instant] {
        let counts = numbers.filter { abs($0) < 1_000_000 }.flatMap { number in
            [Int(number.rounded(.down)), Int(number.rounded(.down)) + 1]
        }
        func daysAfter(_ start: Instant) -> [Instant] {
            counts.map { start.adding(milliseconds: Int64($0) * Instant.Duration.day) }
        }
        switch name {
        case .subscription(.daysSinceExpired):
            return transitions + transitions.flatMap(daysAfter)
        case .subscription(.monthsSinceExpired):
            return transitions + transitions.flatMap { end in counts.map { end.adding(months: $0) } }
        case .subscription(.daysUntilExpiry):
            return transitions
                + transitions.flatMap { end in
                    counts.map { end.adding(milliseconds: 1 - Int64($0) * Instant.Duration.day) }
                }
        case .subscription(let fact):
            return fact.dependsOnTime ? transitions : []
        case .customer(.daysSinceFirstPurchase):
            return subject.purchases.first.map(\.date).map(daysAfter) ?? []
        case .customer(.daysSinceFirstSeen):
            return subject.firstSeen.map(\.date).map(daysAfter) ?? []
        case .customer(.daysSinceLastOffer):
            return RedemptionFactReader(subject: subject).newest.map(\.firstEvidence).map(daysAfter) ?? []
        case .customer(.refunds):
            return subject.purchases.refunds.map(\.date)
        case .customer(.everSubscribed), .customer(.storefront), .customer(.offersRedeemed), .redeemed, .attribute,
            .request, .signal, nil:
            return []
        }
    }
}

extension FactName {
    /// Whether its value belongs to the state of the product's group at an instant.
    var followsState: Bool {
        guard case .subscription(let fact) = self else { return false }
        return fact.dependsOnTime
    }
}

extension FactName {
    /// Whether the value can change by itself as time goes on.
    var dependsOnTime: Bool {
        switch self {
        case .subscription(let fact): fact.dependsOnTime
        case .customer(.daysSinceFirstPurchase), .customer(.daysSinceFirstSeen), .customer(.daysSinceLastOffer),
            .customer(.refunds):
            true
        case .customer(.everSubscribed), .customer(.storefront), .customer(.offersRedeemed), .redeemed, .attribute,
            .request, .signal:
            false
        }
    }
}

extension SubscriptionFact {
    /// Whether the value can change by itself as time goes on.
    fileprivate var dependsOnTime: Bool {
        switch self {
        case .paidMonths, .paidPeriods, .everInGroup: false
        case .state, .productId, .willAutoRenew, .expirationIntent, .daysUntilExpiry, .daysSinceExpired,
            .monthsSinceExpired, .isInTrial, .renewalPrice, .pendingProductId:
            true
        }
    }
}

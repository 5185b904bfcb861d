/// The value of a fact at an instant, with its provenance.
struct Fact: Sendable {
    enum Knowledge: Sendable {
        case known(FactValue)
        /// At least this, and perhaps more: a value that unknown data can only raise.
        case atLeast(Double, because: ReasonCode)
        case undetermined(ReasonCode)
    }

    /// The events, other than time, that can change a known value.
    enum Change: Sendable {
        case none
        case any(TurningEvent)
        /// A greater value only.
        case growth(TurningEvent)
        /// That value only.
        case to(FactValue, TurningEvent)
    }

    var knowledge: Knowledge
    var provenance: Provenance?
    var transactionId: TransactionId?
    var change: Change

    init(
        _ knowledge: Knowledge, provenance: Provenance? = nil, transactionId: TransactionId? = nil,
        change: Change = .any(.subscriptionChanged)
    ) {
        self.knowledge = knowledge
        self.provenance = provenance
        self.transactionId = transactionId
        self.change = change
    }

    init(_ knowledge: Knowledge, from row: Recorded<Transaction>?, change: Change = .none) {
        self.init(
            knowledge, provenance: row?.provenance, transactionId: row?.payload.transactionId, change: change)
    }

    /// Whether a subscription was ever bought, of one group or of all.
    init(_ ever: OwnPurchases.Subscribed?, of subject: Subject, doubt: ReasonCode?) {
        if let own = ever?.own {
            self.init(.known(.boolean(true)), from: subject.history.transactions[own])
        } else {
            let doubt = ever?.isUncertain == true ? .valueUnknown : doubt
            self.init(
                doubt.map(Knowledge.undetermined) ?? .known(.boolean(false)),
                change: .to(.boolean(true), .subscriptionBought))
        }
    }

    /// The value, or the known bound of it.
    var observed: FactValue? {
        switch knowledge {
        case .known(let value): value
        case .atLeast(let number, _): .number(number)
        case .undetermined: nil
        }
    }
}

extension Fact.Knowledge {
    /// A number that unknown data could only raise.
    static func number(_ number: Double, doubt: ReasonCode?) -> Self {
        doubt.map { .atLeast(number, because: $0) } ?? .known(.number(number))
    }

    /// Whole days from `start`; what begins in the future, because Apple charges early, has begun.
    static func days(since start: Instant, at now: Instant, doubt: ReasonCode?) -> Self {
        number(Double(max(0, now.days(since: start))), doubt: doubt)
    }
}

/// Reads the facts of the vocabulary from a subject and a question.
///
/// The families never mix: what the backend says has separate names and cannot outrank what Apple signed.
///
/// A question has many members, and every comparison reads one of them: hence a class.
final class FactReader {
    let question: Question
    let subject: Subject

    init(question: Question, subject: Subject) {
        self.question = question
        self.subject = subject
    }

    /// The fact as it is known at an instant; `nil` is a name that no fact has.
    ///
    /// - Parameter state: that of the product's group at the instant; `nil` if the group is not known.
    func fact(_ name: FactName?, at instant: Instant, _ state: SubscriptionState?) -> Fact {
        switch name {
        case nil:
            Fact(.undetermined(.factUnknown))
        case .subscription(let fact):
            state.map { reader(of: $0).fact(fact) }
                ?? Fact(.undetermined(.groupUnknown))
        case .customer(let fact):
            CustomerFactReader(subject: subject, now: instant).fact(fact)
        case .redeemed(let offer):
            RedemptionFactReader(subject: subject).redeemed(offer, question)
        case .owns(let product):
            ProductFactReader(subject: subject, product: product).owned
        case .purchases(let product):
            ProductFactReader(subject: subject, product: product).purchases
        case .attribute(let name):
            stated(subject.attributes[name], else: .attributeMissing, .attributesSet)
        case .request(let fact):
            stated(question.request[fact].map { .text($0) }, else: .deviceUnknown, .requestChanged)
        case .signal(let name):
            stated(question.signals[name], else: .signalMissing, .signalReceived)
        }
    }

    /// The backend's statement; evidence names it as the source.
    private func stated(_ value: FactValue?, else missing: ReasonCode, _ event: TurningEvent) -> Fact {
        Fact(
            value.map(Fact.Knowledge.known) ?? .undetermined(missing), provenance: value == nil ? nil : .caller,
            change: .any(event))
    }

    /// The value of the fact at another instant, at which the product's group may be in another state.
    func knowledge(of name: FactName?, at instant: Instant) -> Fact.Knowledge {
        guard case .subscription(let fact) = name, fact.dependsOnTime else {
            return self.fact(name, at: instant, nil).knowledge
        }
        guard let state = subject.requestedState(at: instant) else { return .undetermined(.groupUnknown) }
        return reader(of: state).knowledge(of: fact)
    }

    private func reader(of state: SubscriptionState) -> SubscriptionFactReader {
        SubscriptionFactReader(subject: subject, state: state, products: question.products)
    }

    /// The instants after the given one, ascending, at which time alone can change the fact's value, or its answer to
    /// those numbers.
    func turningInstants(of name: FactName?, numbers: [Double], after now: Instant) -> [Instant] {
        guard name?.dependsOnTime == true else { return [] }
        var later: [Instant] = []
        var transitions: [Instant] = []
        if case .subscription = name { transitions = subject.requested?.transitions ?? [] }
        func add(_ instant: Instant) {
            if instant > now { later.append(instant) }
        }
        func add(_ counted: (Int) -> Instant) {
            for number in numbers where number.magnitude < 1_000_000 {
                let count = Int(saturating: number)
                add(counted(count))
                add(counted(count + 1))
            }
        }
        func addDays(after start: Instant?) {
            guard let start else { return }
            add { start.adding(milliseconds: Int64($0) * Instant.Duration.day) }
        }
        for transition in transitions { add(transition) }
        switch name {
        case .subscription(.daysSinceExpired):
            for end in transitions { addDays(after: end) }
        case .subscription(.monthsSinceExpired):
            for end in transitions { add { end.adding(months: $0) } }
        case .subscription(.daysUntilExpiry):
            for end in transitions { add { end.adding(milliseconds: 1 - Int64($0) * Instant.Duration.day) } }
        case .customer(.daysSinceFirstPurchase):
            addDays(after: subject.purchases.first?.date)
        case .customer(.daysSinceFirstSeen):
            addDays(after: subject.firstSeen?.date)
        case .customer(.daysSinceLastOffer):
            addDays(after: RedemptionFactReader(subject: subject).newest?.firstEvidence)
        case .customer(.refunds):
            for refund in subject.purchases.refunds { add(refund.date) }
        case .subscription, .customer(.everSubscribed), .customer(.storefront), .customer(.offersRedeemed), .redeemed,
            .owns, .purchases, .attribute, .request, .signal, nil:
            break
        }
        later.sortOnce()
        return later
    }
}

extension FactName {
    /// Whether the value can change with time alone.
    var dependsOnTime: Bool {
        switch self {
        case .subscription(let fact): fact.dependsOnTime
        case .customer(.daysSinceFirstPurchase), .customer(.daysSinceFirstSeen), .customer(.daysSinceLastOffer),
            .customer(.refunds):
            true
        case .customer(.everSubscribed), .customer(.storefront), .customer(.offersRedeemed), .redeemed, .owns,
            .purchases, .attribute, .request, .signal:
            false
        }
    }
}

extension SubscriptionFact {
    var dependsOnTime: Bool {
        switch self {
        case .paidMonths, .paidPeriods, .everInGroup: false
        case .state, .productId, .willAutoRenew, .expirationIntent, .daysUntilExpiry, .daysSinceExpired,
            .monthsSinceExpired, .isInTrial, .renewalPrice, .pendingProductId, .offerType, .discountType, .period,
            .level, .billingPlan, .priceIncreaseStatus, .startedAt:
            true
        }
    }
}

extension DeviceRequest {
    fileprivate subscript(fact: RequestFact) -> String? {
        switch fact {
        case .appVersion: appVersion
        case .osVersion: osVersion
        case .locale: locale
        case .placement: placement
        }
    }
}

/// Reads `customer.owns.<productId>` and `customer.purchases.<productId>`: facts of one product outside subscription
/// groups.
///
/// Presence decides at once; what is absent, and counts that could be greater, need a complete history (invariant 3).
struct ProductFactReader {
    private let subject: Subject
    /// By purchase date.
    private let rows: [Recorded<Transaction>]

    init(subject: Subject, product: ProductId) {
        self.subject = subject
        rows = (subject.past.otherPurchases[product] ?? []).map { subject.history.transactions[$0] }
    }

    /// Shared products are owned too, as in ``PurchasedProduct/isOwned``.
    var owned: Fact {
        if let kept = rows.last(where: \.isKept) {
            return Fact(.known(.boolean(true)), from: kept, change: .any(.transactionReceived))
        }
        return Fact(
            subject.incompleteness.map(Fact.Knowledge.undetermined) ?? .known(.boolean(false)), from: rows.last,
            change: .any(.transactionReceived))
    }

    /// A refund takes a purchase away and its reversal brings it back, so the count may also shrink.
    var purchases: Fact {
        let kept = rows.filter(\.isKept)
        let own = kept.filter { $0.isOwned == true }
        let doubt = kept.contains { $0.isOwned == nil } ? .valueUnknown : subject.incompleteness
        return Fact(.number(Double(own.count), doubt: doubt), from: own.last, change: .any(.transactionReceived))
    }
}

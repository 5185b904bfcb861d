/// One condition of an offer: a pure function of the question and the known facts.
protocol Rule: Sendable {
    var id: RuleId { get }
    /// What it requires, in words for support.
    var requirement: String { get }

    /// Whether it applies to that kind of offer; if not, the decision does not mention it.
    func concerns(_ offer: Offer) -> Bool

    func finding(_ context: RuleContext) -> Finding
}

extension RuleId {
    public var requirement: String {
        Policy.standard.rules.first { $0.id == self }?.requirement ?? rawValue
    }
}

extension Rule {
    func concerns(_ offer: Offer) -> Bool { true }

    func satisfied(
        _ message: @autoclosure @escaping @Sendable () -> String, reason: ReasonCode = .holds,
        evidence: [Evidence] = [], until: Instant? = nil
    ) -> Finding {
        Finding(
            rule: id, verdict: .satisfied, reason: reason, sentence: Message(message), evidence: evidence,
            turningPoint: until.map(TurningPoint.at))
    }

    func violated(
        _ reason: ReasonCode, _ message: @autoclosure @escaping @Sendable () -> String, evidence: [Evidence] = [],
        turningPoint: TurningPoint? = nil
    ) -> Finding {
        Finding(
            rule: id, verdict: .violated, reason: reason, sentence: Message(message), evidence: evidence,
            turningPoint: turningPoint)
    }

    /// A missing value also names the event that would bring it.
    func undetermined(
        _ reason: ReasonCode, _ message: @autoclosure @escaping @Sendable () -> String, evidence: [Evidence] = []
    ) -> Finding {
        Finding(
            rule: id, verdict: .undetermined, reason: reason, sentence: Message(message), evidence: evidence,
            turningPoint: reason.bringing.map(TurningPoint.event))
    }

    /// The same with a sentence about the unknown value and the reason.
    func unknown(
        _ subject: @autoclosure @escaping @Sendable () -> String, _ reason: ReasonCode, evidence: [Evidence] = []
    ) -> Finding {
        undetermined(reason, "\(subject()) is not known: \(reason.explanation)", evidence: evidence)
    }

    var groupUnknown: Finding { undetermined(.groupUnknown, "the group of the product is not known") }

    func neverSubscribed(_ state: SubscriptionState, evidence: [Evidence] = []) -> Finding {
        violated(
            .neverSubscribed, "no subscription of group `\(state.subscriptionGroupIdentifier)` was ever bought",
            evidence: evidence, turningPoint: .event(.subscriptionBought))
    }

    func notApplicable(
        _ message: @autoclosure @escaping @Sendable () -> String, evidence: [Evidence] = []
    ) -> Finding {
        Finding(
            rule: id, verdict: .notApplicable, reason: .notApplicable, sentence: Message(message), evidence: evidence)
    }
}

extension ReasonCode {
    /// The event that brings what is not known; `nil` where nothing but time or the catalog would.
    var bringing: TurningEvent? { meaning.bringing }

    /// The missing information, in words that follow "because".
    package var explanation: String { meaning.explanation }

    private var meaning: (bringing: TurningEvent?, explanation: String) {
        switch self {
        case .historyIncomplete: (.historyCompleted, "the history is not known to be complete")
        case .historyStale: (.renewalInfoReceived, "a renewal was due and no newer renewal info is known")
        case .expiryUnknown: (.transactionReceived, "Apple does not say when access ends")
        case .groupUnknown: (.catalogChanged, "the catalog does not say which group the product is in")
        case .groupMismatch:
            (.catalogChanged, "a purchase of one of the group's products names another group or none")
        case .introductoryOfferShared:
            (.subscriptionChanged, "the only introductory offer known was not bought by the customer")
        case .transactionUnknown: (.transactionReceived, "nothing signed by Apple is known")
        case .renewalInfoMissing: (.renewalInfoReceived, "no renewal info of the current period says it")
        case .valueUnknown: (.subscriptionChanged, "Apple sent a value that is not known here")
        case .signalMissing: (.signalReceived, "the backend did not send it")
        case .typeMismatch: (.signalReceived, "its type is not that of the value it is compared with")
        case .currencyMismatch: (.subscriptionChanged, "the amounts are of different currencies")
        case .factUnknown: (.catalogChanged, "the fact is not known here")
        case .comparisonMalformed: (.catalogChanged, "the comparison's values do not fit its operator")
        case .usesNotCounted: (nil, "what everyone together has used was not counted")
        case .noSubscription: (.subscriptionBought, "there is no subscription in the group")
        case .noAccess: (.subscriptionBought, "there is no access")
        case .accessGoesOn: (.subscriptionEnded, "access goes on")
        case .nothingPending: (.subscriptionChanged, "no change is pending")
        case .noOffer: (.subscriptionChanged, "the period has no offer")
        case .valueMissing: (.subscriptionChanged, "Apple's data does not state it")
        case .attributeMissing: (.attributesSet, "it is not set")
        case .deviceUnknown: (.requestChanged, "the request does not state it")
        case .textUnreadable: (.requestChanged, "it cannot be read")
        case .noPurchase: (.transactionReceived, "nothing was bought")
        case .noRedemption: (.offerRedeemed, "no offer was redeemed")
        case .storefrontUnknown: (.transactionReceived, "no purchase known names its storefront")
        case .appTransactionUnknown:
            (.transactionReceived, "no app transaction known says when the app was obtained")
        case .offerUnknown: (.catalogChanged, "the catalog does not have the offer and none was issued")
        case .rolloutKeyUnknown: (.transactionReceived, "no identifier of the customer is known to draw by")
        case .accountUnknown: (.requestChanged, "the request names neither `appAccountToken` nor `customerId`")
        default: (nil, rawValue)
        }
    }
}

/// The input of a rule: the question, the subject, and what several rules derive from both.
///
/// A class, because every rule and every deferred message refers to it.
final class RuleContext: Sendable {
    let question: Question
    let subject: Subject
    let policy: Policy
    /// The offers of the catalog in force that each use may be of.
    let catalog: CatalogUses
    /// The parts of the requested offer that identify a use without an issued offer.
    let own: RedemptionMatcher
    /// The state of the product's group; `nil` if the catalog does not know the group.
    let state: SubscriptionState?
    let condition: JudgedNode?
    let use: OfferUse

    init(
        question: Question, subject: Subject, catalog: CatalogUses, policy: Policy, judged: inout JudgedNodes
    ) {
        self.catalog = catalog
        let own = question.catalog.matcher(of: question.compiledOffer, in: question.subscriptionGroupIdentifier)
        self.own = own
        self.question = question
        self.policy = policy
        self.subject = subject
        let state = question.subscriptionGroupIdentifier.map { subject.state(of: $0, at: question.now) }
        self.state = state
        condition = question.compiledOffer.condition.map { node in
            let reader = FactReader(question: question, subject: subject)
            return Condition(reader: reader, subject: subject, state: state).judge(node, &judged)
        }
        use = OfferUse(of: own, matching: catalog.redemptions(matching: own), subject: subject, at: question.now)
    }

    var offer: Offer { question.offer }
    var now: Instant { question.now }
    var rolloutKey: String? { subject.past.facts.rolloutKey }
    var openedAt: Instant? { subject.past.facts.openedAt(of: offer) }
    var counters: OfferCounters? { subject.past.facts.counters[offer.id] }
    var accountUses: [AccountUse]? { subject.past.facts.accountUses[offer.id] }

    /// When access in the group ends without an event; the event if it continues.
    func endOfAccess(_ state: SubscriptionState) -> TurningPoint {
        subject.firstInstant(of: state.subscriptionGroupIdentifier, after: now) { $0.hasAccess == false }
            .map(TurningPoint.at) ?? .event(.subscriptionEnded)
    }

    /// When the group's state becomes `expired` without an event; the event where it does not: what was revoked has
    /// ended, and only a reversed refund or another purchase changes that.
    func expiry(_ state: SubscriptionState) -> TurningPoint {
        subject.firstInstant(of: state.subscriptionGroupIdentifier, after: now) { $0.name == .expired }
            .map(TurningPoint.at) ?? .event(state.name == .revoked ? .subscriptionChanged : .subscriptionEnded)
    }

    /// Whether anything of the subject's history was signed by Apple; a history supplied for a "what if" counts as
    /// signed.
    var isProven: Bool {
        question.takesHistoryAsProven
            && !(subject.history.transactions.isEmpty && subject.history.appTransactions.isEmpty)
            || subject.past.isProven
    }
}

extension Recorded<Transaction> {
    /// The row as the source of something seen.
    func evidence(_ field: String, _ observed: EvidenceValue?, required: EvidenceValue? = nil) -> Evidence {
        Evidence(
            field: field, observed: observed, required: required, provenance: provenance,
            transactionId: payload.transactionId)
    }
}

extension SubscriptionState {
    func evidence(required: EvidenceValue? = nil) -> Evidence {
        Evidence(
            field: "subscription.state", observed: name.map { .text($0.rawValue) }, required: required,
            provenance: provenance, transactionId: transactionId)
    }
}

extension Instant {
    /// The day in UTC, for messages: `2026-01-01`.
    var day: Substring { Substring(description.utf8.prefix { $0 != 0x54 }) }
}

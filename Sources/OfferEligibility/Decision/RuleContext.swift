import OfferModel

/// What a rule sees: the question, the subject, and what several rules derive from both.
///
/// Every rule and every message it leaves to be written refers to it: hence a class.
final class RuleContext: Sendable {
    let question: Question
    let subject: Subject
    let policy: Policy
    /// Which offers of the catalog in force each use may be of.
    let catalog: CatalogUses
    /// What a use without a slot shows of the offer asked for.
    let own: OfferMark
    /// The state of the product's group; `nil` if the catalog does not know the group.
    let state: SubscriptionState?
    /// The offer's own condition, judged; `nil` if it has none.
    let condition: JudgedNode?
    /// The use of the offer asked for.
    let use: OfferUse

    init(
        question: Question, subject: Subject, catalog: CatalogUses, policy: Policy, judged: inout JudgedNodes
    ) {
        self.catalog = catalog
        let own = question.catalog.mark(of: question.compiledOffer, in: question.subscriptionGroupIdentifier)
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
    /// The identifier by which rollouts draw.
    var rolloutKey: String? { subject.past.facts.rolloutKey }
    /// When the offer asked for was opened to the subject.
    var openedAt: Instant? { subject.past.facts.openedAt[own.id] }
    /// How much everyone has used of the offer asked for.
    var counters: OfferCounters? { subject.past.facts.counters[own.id] }

    /// The state of the product's group at another instant.
    func state(at instant: Instant) -> SubscriptionState? {
        question.subscriptionGroupIdentifier.map { subject.state(of: $0, at: instant) }
    }

    /// When access in the group ends by itself; the event where it goes on.
    func endOfAccess(_ state: SubscriptionState) -> TurningPoint {
        subject.firstInstant(of: state.subscriptionGroupIdentifier, after: now) { $0.hasAccess == false }
            .map(TurningPoint.at) ?? .event(.subscriptionEnded)
    }

    /// When the group's state becomes `expired` by itself; the event where it does not: what was revoked has ended, and
    /// only a reversed refund or another purchase changes that.
    func expiry(_ state: SubscriptionState) -> TurningPoint {
        subject.firstInstant(of: state.subscriptionGroupIdentifier, after: now) { $0.name == .expired }
            .map(TurningPoint.at) ?? .event(state.name == .revoked ? .subscriptionChanged : .subscriptionEnded)
    }

    /// Whether something Apple signed stands behind the subject; a history supplied for a "what if" counts as such.
    var isProven: Bool {
        question.takesHistoryAsProven
            && !(subject.history.transactions.isEmpty && subject.history.appTransactions.isEmpty)
            || subject.past.isProven
    }
}

extension SubscriptionState {
    /// The state as evidence.
    func evidence(required: EvidenceValue? = nil) -> Evidence {
        Evidence(
            field: "subscription.state", observed: name.map { .text($0.rawValue) }, required: required,
            provenance: provenance, transactionId: transactionId)
    }
}

extension EvidenceValue {
    static func text(_ text: String) -> EvidenceValue { .value(.text(text)) }
    static func number(_ number: Int) -> EvidenceValue { .value(.number(Double(number))) }
    static func boolean(_ flag: Bool) -> EvidenceValue { .value(.boolean(flag)) }
    static func instant(_ instant: Instant) -> EvidenceValue { .value(.instant(instant)) }
}

extension Instant {
    /// The day in UTC, for messages: `2026-01-01`.
    var day: Substring { Substring(description.utf8.prefix { $0 != 0x54 }) }
}

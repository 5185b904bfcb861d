import OfferModel

/// What a rule sees: the question, the subject, and what several rules derive from both.
struct RuleContext: Sendable {
    let question: Question
    let subject: Subject
    let policy: Policy
    /// The state of the product's group; `nil` if the catalog does not know the group.
    let state: SubscriptionState?
    /// The identifier by which rollouts draw.
    let rolloutKey: String?
    /// When the offer asked for was opened to the subject.
    let openedAt: Instant?

    init(question: Question, facts: SubjectFacts, policy: Policy) {
        self.question = question
        self.policy = policy
        let subject = Subject(facts, at: question.now, policy: policy, question: question)
        self.subject = subject
        state = question.subscriptionGroupIdentifier.map { subject.state(of: $0, at: question.now) }
        rolloutKey = facts.rolloutKey
        openedAt = facts.openedAt[question.offer.id]
    }

    var offer: Offer { question.offer }
    var now: Instant { question.now }

    /// The use of the offer asked for.
    var use: OfferUse {
        OfferUse(of: offer, in: question.subscriptionGroupIdentifier, subject: subject, at: now)
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
            || subject.history.transactions.contains { $0.provenance.isProven }
            || subject.history.appTransactions.contains {
                $0.provenance.isProven && $0.payload.appTransactionId != nil
            }
    }
}

extension SubscriptionState {
    /// The state as evidence.
    func evidence(required: EvidenceValue? = nil) -> Evidence {
        Evidence(
            field: "subscription.state", observed: name.map { .text($0.rawValue) }, required: required,
            provenance: provenance, transactionId: transaction?.transactionId)
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
    var day: Substring { description.prefix { $0 != "T" } }
}

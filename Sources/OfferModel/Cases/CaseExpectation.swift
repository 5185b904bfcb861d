/// What a case expects; what it does not mention is not compared, except that a no must list every rule that decides it.
///
/// Rules, verdicts and reasons are words of a ``CaseVocabulary``, because the evaluator's own types are not known here.
public struct CaseExpectation: Sendable, Hashable {
    /// The answer for the offer.
    public var outcome: String?
    /// The findings; every one that decides the outcome, others as wished.
    public var findings: [ExpectedFinding]
    /// The state of a subscription group.
    public var state: ExpectedState?

    /// An expectation by its parts.
    public init(outcome: String? = nil, findings: [ExpectedFinding] = [], state: ExpectedState? = nil) {
        self.outcome = outcome
        self.findings = findings
        self.state = state
    }
}

/// A value that must be there, or must not (written as null).
public enum Expected<Value: Sendable & Hashable>: Sendable, Hashable {
    /// There must be none.
    case nothing
    /// It must be this one.
    case value(Value)
}

/// A finding by its rule and path.
public struct ExpectedFinding: Sendable, Hashable {
    /// The rule's id.
    public var rule: String
    /// The place in the offer's condition; absent for the rule's own finding.
    public var path: String?
    /// The verdict.
    public var verdict: String
    /// The reason's code.
    public var reason: String?
    /// When it would flip.
    public var turningPoint: Expected<ExpectedTurningPoint>?
    /// A transaction that its evidence names.
    public var transactionId: TransactionId?
    /// Its sentence, word for word.
    public var message: String?

    /// A finding by its parts.
    public init(
        rule: String, path: String? = nil, verdict: String, reason: String? = nil,
        turningPoint: Expected<ExpectedTurningPoint>? = nil, transactionId: TransactionId? = nil,
        message: String? = nil
    ) {
        self.rule = rule
        self.path = path
        self.verdict = verdict
        self.reason = reason
        self.turningPoint = turningPoint
        self.transactionId = transactionId
        self.message = message
    }
}

/// When an expected finding would flip.
public enum ExpectedTurningPoint: Sendable, Hashable {
    /// At this instant.
    case at(Instant)
    /// When this happens.
    case event(String)
}

/// The expected state of a group, member by member.
public struct ExpectedState: Sendable, Hashable {
    /// The group; that of the offer's product if absent.
    public var subscriptionGroupIdentifier: SubscriptionGroupId?
    /// What is expected of each member, as text.
    public var members: [String: Expected<String>]

    /// A state by its parts.
    public init(subscriptionGroupIdentifier: SubscriptionGroupId? = nil, members: [String: Expected<String>]) {
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.members = members
    }
}

/// The closed lists of words that cases may use; the evaluator supplies them.
public struct CaseVocabulary: Sendable, Hashable {
    /// Outcomes of a decision.
    public var outcomes: [String]
    /// Ids of rules.
    public var rules: [String]
    /// Verdicts of findings.
    public var verdicts: [String]
    /// Reasons of findings.
    public var reasons: [String]
    /// Events of turning points.
    public var events: [String]
    /// Positions of the kill switch.
    public var pauses: [String]
    /// Members of a subscription state.
    public var stateMembers: [String]

    /// A vocabulary by its lists.
    public init(
        outcomes: [String], rules: [String], verdicts: [String], reasons: [String], events: [String],
        pauses: [String], stateMembers: [String]
    ) {
        self.outcomes = outcomes
        self.rules = rules
        self.verdicts = verdicts
        self.reasons = reasons
        self.events = events
        self.pauses = pauses
        self.stateMembers = stateMembers
    }
}

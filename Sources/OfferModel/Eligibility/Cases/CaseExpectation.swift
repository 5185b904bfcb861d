/// The expectation of a case; members that it leaves out are not compared, except that a no must list every rule that
/// decides it.
public struct CaseExpectation: Sendable, Hashable {
    public var outcome: Outcome?
    /// The findings; every one that decides the outcome, others as wished.
    public var findings: [ExpectedFinding]
    public var state: ExpectedState?

    public init(outcome: Outcome? = nil, findings: [ExpectedFinding] = [], state: ExpectedState? = nil) {
        self.outcome = outcome
        self.findings = findings
        self.state = state
    }
}

/// A value that must be there, or must not (written as null).
public enum Expected<Value: Sendable & Hashable>: Sendable, Hashable {
    case nothing
    case value(Value)
}

public struct ExpectedFinding: Sendable, Hashable {
    public var rule: RuleId
    /// The place in the offer's condition; absent for the rule's own finding.
    public var path: String?
    public var verdict: Verdict
    public var reason: ReasonCode?
    /// An instant, or the word of an event.
    public var turningPoint: Expected<String>?
    /// A transaction that its evidence names.
    public var transactionId: TransactionId?
    public var message: String?

    public init(rule: RuleId, verdict: Verdict) {
        self.rule = rule
        self.verdict = verdict
    }
}

public struct ExpectedState: Sendable, Hashable {
    /// The group; that of the offer's product if absent.
    public var subscriptionGroupIdentifier: SubscriptionGroupId?
    /// The expected value of each member, as text.
    public var members: [String: Expected<String>]

    public init(subscriptionGroupIdentifier: SubscriptionGroupId? = nil, members: [String: Expected<String>]) {
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.members = members
    }
}

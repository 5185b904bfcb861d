/// A rule that kept an offer from a customer.
public struct BlockingRule: Sendable, Hashable {
    public var rule: RuleId
    /// `violated` or `undetermined`.
    public var verdict: Verdict
    /// Of the offer's own condition, the fact that decided it.
    public var fact: String?
}

public struct BlockingRules: Sendable, Hashable {
    /// The rule that the refusal counts under; absent if nothing blocked the offer.
    public let kind: RefusalKind?
    /// The rules that decided it: those that said no, else those that were undetermined. A customer who is ineligible
    /// anyway is not also counted as left out by the rollout.
    public let deciding: Set<BlockingRule>

    public init(_ findings: [RuleAnswer]) {
        let violated = findings.filter { $0.verdict == .violated }
        let undetermined = findings.filter { $0.verdict == .undetermined }
        let refusing = violated.filter { !$0.isRollout }
        let (kind, blocking): (RefusalKind?, [RuleAnswer]) =
            if refusing.contains(where: { $0.rule != .catalogPaused }) {
                (.ineligible, refusing)
            } else if !undetermined.isEmpty {
                (.undetermined, undetermined)
            } else if !refusing.isEmpty {
                (.paused, refusing)
            } else if violated.contains(where: { $0.rule == .rolloutPercent }) {
                (.notInRollout, violated)
            } else {
                (violated.isEmpty ? nil : .heldOut, violated)
            }
        self.kind = kind
        deciding = Set(blocking.flatMap(\.blockingRules))
    }
}

extension RuleAnswer {
    fileprivate var isRollout: Bool { rule == .rolloutPercent || rule == .rolloutHoldout }

    /// The rule, or the facts of the offer's own condition that decided it.
    fileprivate var blockingRules: [BlockingRule] {
        facts.isEmpty
            ? [BlockingRule(rule: rule, verdict: verdict)]
            : facts.map { BlockingRule(rule: rule, verdict: verdict, fact: $0) }
    }
}

/// Why an issue request led to no offer, in the words that a report counts by.
public enum RefusalKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Everything held but the holdout: this customer is kept for comparison.
    case heldOut
    /// Everything held but the rollout's percentage.
    case notInRollout
    /// Everything held but the kill switch was on.
    case paused
    case ineligible
    case undetermined
    /// Why is not recorded any more: retention removed it.
    case removed
}

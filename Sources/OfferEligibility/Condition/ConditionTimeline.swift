import OfferModel

/// The instants at which an offer's condition can change by itself, and the state of the group at each.
///
/// A condition is judged at all of them at once, so that the instant at which a node flips is found exactly, however
/// its parts change.
struct ConditionTimeline: Sendable {
    /// The instant of the question first, then ascending.
    let instants: [Instant]
    /// The group's state at each instant; `nil` if the group is not known.
    let states: [SubscriptionState?]

    init(_ condition: RuleNode, context: RuleContext) {
        let now = context.now
        let subject = context.subject
        guard let group = context.question.subscriptionGroupIdentifier else {
            instants = [now]
            states = [nil]
            return
        }
        let comparisons = condition.comparisons.filter { FactReader.dependsOnTime($0.fact) }
        var later = Set<Instant>()
        if !comparisons.isEmpty {
            let transitions = (subject.subscriptions[group] ?? []).flatMap { $0.transitions(context.policy) }
            later.formUnion(transitions)
            for comparison in comparisons {
                for end in Set(transitions) {
                    later.formUnion(comparison.thresholds(around: end))
                }
            }
        }
        instants = [now] + later.filter { $0 > now }.sorted()
        states = instants.map { subject.state(of: group, at: $0) }
    }

    /// When what holds ceases to, or what does not hold or is not known begins to; becoming unknown is no flip.
    func flip(_ verdicts: [Verdict]) -> Instant? {
        let wanted: Verdict = verdicts.first == .satisfied ? .violated : .satisfied
        return zip(instants, verdicts).first { $0.1 == wanted }?.0
    }
}

extension RuleNode {
    fileprivate var comparisons: [Comparison] {
        switch self {
        case .all(let children), .any(let children): children.flatMap(\.comparisons)
        case .not(let child): child.comparisons
        case .comparison(let comparison): [comparison]
        }
    }
}

extension Comparison {
    /// The instants at which a count of days or months since or until `end` reaches or passes an operand.
    fileprivate func thresholds(around end: Instant) -> [Instant] {
        let counts = operands.compactMap(\.number).filter { abs($0) < 1_000_000 }.flatMap { number in
            [Int(number.rounded(.down)), Int(number.rounded(.down)) + 1]
        }
        return switch fact {
        case "subscription.daysSinceExpired":
            counts.map { end.adding(milliseconds: Int64($0) * Instant.Duration.day) }
        case "subscription.monthsSinceExpired":
            counts.map { end.adding(months: $0) }
        case "subscription.daysUntilExpiry":
            counts.map { end.adding(milliseconds: 1 - Int64($0) * Instant.Duration.day) }
        default: []
        }
    }
}

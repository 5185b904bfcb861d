import OfferModel

/// The instants at which an offer's condition can change by itself, and the state of the group at each.
///
/// A condition is judged at all of them at once, so that the instant at which a node flips is found exactly, however
/// its parts change.
struct ConditionTimeline: Sendable {
    /// The moment of the question first, then ascending.
    let moments: [Moment]

    init(_ condition: RuleNode, context: RuleContext) {
        let now = context.now
        let subject = context.subject
        let group = context.question.subscriptionGroupIdentifier
        let reader = FactReader(question: context.question, subject: subject)
        let comparisons = condition.comparisons.map { (name: FactName($0.fact), operands: $0.operands) }
        let followsState = comparisons.contains { $0.name?.followsState == true }
        let transitions =
            followsState
            ? Set(group.flatMap { subject.subscriptions[$0] }?.flatMap { $0.transitions(context.policy) } ?? []) : []
        var later = Set<Instant>()
        for comparison in comparisons {
            later.formUnion(
                reader.turningInstants(
                    of: comparison.name, numbers: comparison.operands.compactMap(\.number),
                    transitions: Array(transitions)))
        }
        moments =
            [Moment(now: now, state: context.state)]
            + later.filter { $0 > now }.sorted().map { instant in
                Moment(now: instant, state: followsState ? group.map { subject.state(of: $0, at: instant) } : nil)
            }
    }

    /// When what holds ceases to, or what does not hold or is not known begins to; becoming unknown is no flip.
    func flip(_ verdicts: [Verdict]) -> Instant? {
        let wanted: Verdict = verdicts.first == .satisfied ? .violated : .satisfied
        return zip(moments, verdicts).first { $0.1 == wanted }?.0.now
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

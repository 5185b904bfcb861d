import OfferModel

/// Judges an offer's own condition: every node, also where the outcome is settled already.
struct Condition {
    let reader: FactReader
    let subject: Subject
    let state: SubscriptionState?
    /// What was found for other offers.
    let known: JudgedComparisons

    /// A node's finding, and how its verdict goes on.
    struct Judged: Sendable {
        var finding: Finding
        var course: VerdictCourse
    }

    func judge(_ node: CompiledNode) -> Judged {
        switch node.kind {
        case .group(let group, let nodes):
            var (children, courses): ([Finding], [VerdictCourse]) = ([], [])
            children.reserveCapacity(nodes.count)
            courses.reserveCapacity(nodes.count)
            for node in nodes {
                let judged = judge(node)
                children.append(judged.finding)
                courses.append(judged.course)
            }
            return judged(group, children, VerdictCourse(courses, combine: group.combine), path: node.path)
        case .comparison(let comparison):
            var judged = known.judged(comparison) { judge(comparison) }
            judged.finding.path = node.path
            return judged
        }
    }

    private func judged(
        _ group: CompiledNode.Group, _ children: [Finding], _ course: VerdictCourse, path: String?
    ) -> Judged {
        let verdict = course.now
        let decisive = group == .not ? Kleene.not(verdict) : verdict
        let reason: ReasonCode =
            switch verdict {
            case .satisfied: .holds
            case .violated, .notApplicable: .conditionNotMet
            case .undetermined:
                children.firstIndex { $0.verdict == decisive }.map { children[$0].reason } ?? .conditionNotMet
            }
        let finding = Finding(
            rule: .ruleEligibility, verdict: verdict, reason: reason, path: path,
            sentence: Message { group.message(verdict, children.filter { $0.verdict == decisive }) },
            turningPoint: turningPoint(course, children, decisive), children: children)
        return Judged(finding: finding, course: course)
    }

    /// The instant, or the event that the first deciding child waits for.
    private func turningPoint(_ course: VerdictCourse, _ children: [Finding], _ decisive: Verdict) -> TurningPoint? {
        if let flip = course.flip { return .at(flip) }
        return children.indices.first { children[$0].verdict == decisive && children[$0].turningPoint?.event != nil }
            .flatMap { children[$0].turningPoint }
    }
}

extension CompiledNode.Group {
    fileprivate func message(_ verdict: Verdict, _ deciding: [Finding]) -> String {
        if self != .not, verdict == .satisfied { return "the condition holds" }
        let parts = deciding.map(\.message).joined(separator: "; ")
        switch (self, verdict) {
        case (.not, .satisfied): return "as wanted, this does not hold: \(parts)"
        case (.not, .violated): return "this must not hold and does: \(parts)"
        // A group inside begins so itself; said once is enough.
        case (_, .undetermined): return "not known: \(parts.replacing("not known: ", with: ""))"
        default: return parts.isEmpty ? "none of no conditions can hold" : parts
        }
    }
}

/// What comparisons said of one subject at one instant, for the other offers that ask the same.
final class JudgedComparisons {
    private var judged: [ObjectIdentifier: (comparison: CompiledComparison, judged: Condition.Judged)] = [:]

    func judged(_ comparison: CompiledComparison, _ judge: () -> Condition.Judged) -> Condition.Judged {
        if comparison.readsOffers { return judge() }
        // The comparison is kept too, so that no other one takes its identity.
        if let known = judged[ObjectIdentifier(comparison)] { return known.judged }
        let found = judge()
        judged[ObjectIdentifier(comparison)] = (comparison, found)
        return found
    }
}

import OfferModel

/// Judges an offer's own condition: every node, also where the outcome is settled already.
struct Condition {
    let reader: FactReader
    let subject: Subject
    let state: SubscriptionState?

    /// - Parameter known: what was found for other offers.
    func judge(_ node: CompiledNode, _ known: inout JudgedNodes) -> JudgedNode {
        if let judged = known.nodes[node] { return judged }
        let judged: JudgedNode
        switch node.kind {
        case .group(let group, let nodes):
            var parts: [JudgedNode] = []
            parts.reserveCapacity(nodes.count)
            for node in nodes { parts.append(judge(node, &known)) }
            judged = self.judged(group, parts, path: node.path)
        case .comparison(let comparison):
            judged = (known.comparisons[comparison] ?? judge(comparison, path: node.path)).placed(at: node.path)
            known.comparisons[comparison] = judged
        }
        known.nodes[node] = judged
        return judged
    }

    private func judged(_ group: CompiledNode.Group, _ nodes: [JudgedNode], path: String?) -> JudgedNode {
        let course = VerdictCourse(nodes, combine: group.combine)
        let verdict = course.now
        let decisive = group == .not ? Kleene.not(verdict) : verdict
        let reason: ReasonCode =
            switch verdict {
            case .satisfied: .holds
            case .violated, .notApplicable: .conditionNotMet
            case .undetermined: nodes.first { $0.finding.verdict == decisive }?.finding.reason ?? .conditionNotMet
            }
        let finding = Finding(
            rule: .ruleEligibility, verdict: verdict, reason: reason, path: path,
            sentence: Message { group.message(verdict, nodes.filter { $0.finding.verdict == decisive }) },
            turningPoint: turningPoint(course, nodes, decisive), children: nodes.map(\.finding))
        return JudgedNode(finding, course)
    }

    /// The instant, or the event that the first deciding child waits for.
    private func turningPoint(_ course: VerdictCourse, _ nodes: [JudgedNode], _ decisive: Verdict) -> TurningPoint? {
        if let flip = course.flip { return .at(flip) }
        return nodes.first { $0.finding.verdict == decisive && $0.finding.turningPoint?.event != nil }?
            .finding.turningPoint
    }
}

extension CompiledNode.Group {
    fileprivate func message(_ verdict: Verdict, _ deciding: [JudgedNode]) -> String {
        if self != .not, verdict == .satisfied { return "the condition holds" }
        let parts = deciding.map(\.finding.message).joined(separator: "; ")
        switch (self, verdict) {
        case (.not, .satisfied): return "as wanted, this does not hold: \(parts)"
        case (.not, .violated): return "this must not hold and does: \(parts)"
        // A group inside begins so itself; said once is enough.
        case (_, .undetermined): return "not known: \(parts.replacing("not known: ", with: ""))"
        default: return parts.isEmpty ? "none of no conditions can hold" : parts
        }
    }
}

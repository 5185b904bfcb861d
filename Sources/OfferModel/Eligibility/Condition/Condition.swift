/// Judges an offer's own condition: every node, also where the outcome is already certain.
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
        let timeline = VerdictTimeline(nodes, combine: group.combine)
        let verdict = timeline.now
        let decisive = group == .not ? Kleene.not(verdict) : verdict
        let reason: ReasonCode =
            switch verdict {
            case .satisfied: .holds
            case .violated, .notApplicable, .lifted: .conditionNotMet
            case .undetermined: nodes.first { $0.finding.verdict == decisive }?.finding.reason ?? .conditionNotMet
            }
        let finding = Finding(
            rule: .ruleEligibility, verdict: verdict, reason: reason, path: path,
            sentence: Message { group.message(verdict, nodes.filter { $0.finding.verdict == decisive }) },
            turningPoint: turningPoint(timeline, nodes, decisive), children: nodes.map(\.finding))
        return JudgedNode(finding, timeline)
    }

    /// The instant, or the event that the first deciding child waits for.
    private func turningPoint(_ timeline: VerdictTimeline, _ nodes: [JudgedNode], _ decisive: Verdict) -> TurningPoint?
    {
        if let flip = timeline.flip { return .at(flip) }
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
        default: return parts.isEmpty ? "none of no conditions can hold" : parts
        }
    }
}

extension Condition {
    func judge(_ compiled: CompiledComparison, path: String?) -> JudgedNode {
        let (comparison, type) = (compiled.comparison, compiled.type)
        let fact = reader.fact(compiled.name, at: subject.now, state)
        let answer = comparison.answer(fact.knowledge, as: type)
        let instants = reader.turningInstants(of: compiled.name, numbers: compiled.numbers, after: subject.now)
        let timeline = VerdictTimeline(answer.verdict, at: instants) { instant in
            comparison.answer(reader.knowledge(of: compiled.name, at: instant), as: type).verdict
        }
        let evidence = Evidence(
            field: comparison.fact, observed: fact.observed.map(EvidenceValue.value),
            required: compiled.required, provenance: fact.provenance, transactionId: fact.transactionId)
        let turningPoint =
            timeline.flip.map(TurningPoint.at)
            ?? comparison.event(fact, answer, as: type).map(TurningPoint.event)
        let finding = Finding(
            rule: .ruleEligibility, verdict: answer.verdict, reason: answer.reason, path: path,
            sentence: Message { comparison.message(fact, answer) }, evidence: [evidence], turningPoint: turningPoint)
        return JudgedNode(finding, timeline)
    }
}

extension Comparison {
    fileprivate func message(_ fact: Fact, _ answer: ComparisonAnswer) -> String {
        let observed =
            switch fact.knowledge {
            case .known(let value): value.words
            case .atLeast(let number, _): "at least " + FactValue.number(number).words
            case .undetermined(let reason): "unknown because \(reason.explanation)"
            }
        let because =
            if answer.verdict == .undetermined, fact.observed != nil {
                ", which does not decide because \(answer.reason.explanation)"
            } else { "" }
        let verb = answer.verdict == .satisfied ? "as required:" : "must be"
        return "\(FactVocabulary.words(self.fact)): \(observed)\(because) (\(verb) \(requirement))"
    }

    fileprivate var requirement: String {
        let values = operands.map(\.words)
        let first = values.first ?? ""
        return switch comparisonOperator {
        case .is: first
        case .isNot: "not \(first)"
        case .in: "one of \(values.joined(separator: ", "))"
        case .notIn: "none of \(values.joined(separator: ", "))"
        case .atLeast: "at least \(first)"
        case .atMost: "at most \(first)"
        case .moreThan: "more than \(first)"
        case .lessThan: "less than \(first)"
        case .between: "between \(values.joined(separator: " and "))"
        case .exists: operands.first == .boolean(false) ? "unknown" : "known"
        }
    }
}

/// A node's finding, and how its verdict goes on: by reference, because the offers that share the node share it.
final class JudgedNode: Sendable {
    let finding: Finding
    let timeline: VerdictTimeline

    init(_ finding: Finding, _ timeline: VerdictTimeline) {
        self.finding = finding
        self.timeline = timeline
    }

    /// The same of the same comparison at a place in a condition.
    func placed(at path: String?) -> JudgedNode {
        guard path != finding.path else { return self }
        var placed = finding
        placed.path = path
        return JudgedNode(placed, timeline)
    }
}

/// Verdicts of nodes and comparisons about one subject at one instant, shared by the offers that have the same.
struct JudgedNodes {
    var nodes = Judgements<CompiledNode>()
    var comparisons = Judgements<CompiledComparison>()
}

/// Findings of nodes or comparisons compiled together, by index: quicker than by hash.
///
/// One of another catalog may have the same index. It is told apart, and only the last of them is kept.
struct Judgements<Made: Placed> {
    private var found: [(made: Made, judged: JudgedNode)?] = []

    /// `nil` too where each offer has a separate answer.
    subscript(made: Made) -> JudgedNode? {
        get {
            guard made.place < found.count, let known = found[made.place], known.made === made else { return nil }
            return known.judged
        }
        set {
            guard !made.readsOffers else { return }
            while found.count <= made.place { found.append(nil) }
            found[made.place] = newValue.map { (made, $0) }
        }
    }
}

extension FactValue {
    /// The value in a sentence: text in backticks, because callers and customers choose it.
    fileprivate var words: String {
        switch self {
        case .text(let text): "`\(text)`"
        case .boolean(let flag): flag ? "yes" : "no"
        case .number, .money, .instant: description
        }
    }
}

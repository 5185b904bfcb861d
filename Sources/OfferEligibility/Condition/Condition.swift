import OfferModel

/// Judges an offer's own condition: every node, also where the outcome is settled already.
struct Condition {
    let reader: FactReader
    let context: RuleContext

    init(_ context: RuleContext) {
        self.context = context
        reader = FactReader(question: context.question, subject: context.subject)
    }

    /// A node's finding, and how its verdict goes on.
    struct Judged {
        var finding: Finding
        var course: VerdictCourse
    }

    /// - Parameter path: the place of the node in the offer's condition; `nil` at the root.
    func judge(_ node: RuleNode, path: String? = nil) -> Judged {
        switch node {
        case .all(let children):
            group(children, path: path, name: "all", combine: Kleene.all)
        case .any(let children):
            group(children, path: path, name: "any", combine: Kleene.any)
        case .not(let child):
            negation(child, path: path)
        case .comparison(let comparison):
            judge(comparison, path: path)
        }
    }

    private func group(
        _ nodes: [RuleNode], path: String?, name: String, combine: ([Verdict]) -> Verdict
    ) -> Judged {
        let children = nodes.enumerated().map { index, node in
            judge(node, path: joined(path, "\(name)[\(index)]"))
        }
        let course = VerdictCourse(children.map(\.course), combine: combine)
        return judged(children.map(\.finding), course, path: path, name: name)
    }

    private func negation(_ node: RuleNode, path: String?) -> Judged {
        let child = judge(node, path: joined(path, "not"))
        return judged([child.finding], child.course.negated, path: path, name: "not")
    }

    private func judged(_ children: [Finding], _ course: VerdictCourse, path: String?, name: String) -> Judged {
        let verdict = course.now
        let deciding = children.filter { $0.verdict == (name == "not" ? Kleene.not(verdict) : verdict) }
        let reason: ReasonCode =
            switch verdict {
            case .satisfied: .holds
            case .violated, .notApplicable: .conditionNotMet
            case .undetermined: deciding.first?.reason ?? .conditionNotMet
            }
        let finding = Finding(
            rule: .ruleEligibility, verdict: verdict, reason: reason, path: path,
            sentence: Message { Self.message(verdict, name: name, deciding) }, turningPoint: turningPoint(course, deciding),
            children: children)
        return Judged(finding: finding, course: course)
    }

    /// The instant, or the event that the first deciding child waits for.
    private func turningPoint(_ course: VerdictCourse, _ deciding: [Finding]) -> TurningPoint? {
        if let flip = course.flip { return .at(flip) }
        return deciding.lazy.compactMap(\.turningPoint).first { if case .event = $0 { true } else { false } }
    }

    private static func message(_ verdict: Verdict, name: String, _ deciding: [Finding]) -> String {
        let parts = deciding.map(\.message).joined(separator: "; ")
        switch (name, verdict) {
        case ("not", .satisfied): return "as wanted, this does not hold: \(parts)"
        case ("not", .violated): return "this must not hold and does: \(parts)"
        case (_, .satisfied): return "the condition holds"
        // A group inside begins so itself; said once is enough.
        case (_, .undetermined): return "not known: \(parts.replacing("not known: ", with: ""))"
        default: return parts.isEmpty ? "none of no conditions can hold" : parts
        }
    }

    private func joined(_ path: String?, _ step: String) -> String {
        path.map { "\($0).\(step)" } ?? step
    }
}

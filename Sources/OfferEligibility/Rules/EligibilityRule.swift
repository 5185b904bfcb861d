import OfferModel

/// The offer's own condition: one finding whose children are the nodes of the condition.
///
/// As long as the offer is open to the customer (`availableFor`), the condition counts as held whatever became of it.
struct EligibilityRule: Rule {
    let id = RuleId.ruleEligibility

    func finding(_ context: RuleContext) -> Finding {
        guard let condition = context.offer.eligibility else {
            return notApplicable("the offer has no condition of its own")
        }
        let reader = FactReader(question: context.question, subject: context.subject)
        let timeline = ConditionTimeline(condition, context: context)
        let judged = Condition(reader: reader, timeline: timeline).judge(condition)
        guard let opening = context.opening, context.now < opening.closes else { return judged.finding }
        return held(judged, timeline, opening)
    }

    /// It can only cease to hold when the offer closes, or later.
    private func held(_ judged: Condition.Judged, _ timeline: ConditionTimeline, _ opening: Opening) -> Finding {
        var finding = judged.finding
        let instants = timeline.moments.map(\.now)
        let atClosing = instants.lastIndex { $0 <= opening.closes } ?? 0
        let flip = judged.verdicts.indices.dropFirst(atClosing).first { judged.verdicts[$0] == .violated }
        finding.turningPoint = flip.map { .at(max(instants[$0], opening.closes)) }
        guard finding.verdict != .satisfied else { return finding }
        finding.verdict = .satisfied
        finding.reason = .heldOpen
        finding.message =
            "the condition held on \(opening.opened), so it counts as held until \(opening.closes)"
        return finding
    }
}

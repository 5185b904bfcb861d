import OfferModel

/// The offer's own condition: one finding whose children are the nodes of the condition.
///
/// As long as the offer is open to the customer (`availableFor`), the condition counts as held whatever became of it.
struct EligibilityRule: Rule {
    let id = RuleId.ruleEligibility

    func finding(_ context: RuleContext) -> Finding {
        guard let judged = context.condition else {
            return notApplicable("the offer has no condition of its own")
        }
        guard let opening = context.opening, context.now < opening.closes else { return judged.finding }
        return held(judged, opening)
    }

    /// It can only cease to hold when the offer closes, or later.
    private func held(_ judged: JudgedNode, _ opening: Opening) -> Finding {
        var finding = judged.finding
        finding.turningPoint = judged.course.violated(from: opening.closes).map(TurningPoint.at)
        guard finding.verdict != .satisfied else { return finding }
        finding.verdict = .satisfied
        finding.reason = .heldOpen
        finding.message =
            "the condition held on \(opening.opened), so it counts as held until \(opening.closes)"
        return finding
    }
}

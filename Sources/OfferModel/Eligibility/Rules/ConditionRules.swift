/// The offer's own condition: one finding whose children are the nodes of the condition.
///
/// While the offer is open to the customer (`availableFor`), the condition counts as held whatever happened since.
struct EligibilityRule: Rule {
    let id = RuleId.ruleEligibility
    var requirement: String { "the offer's own condition must hold" }

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
        finding.turningPoint = judged.timeline.violated(from: opening.closes).map(TurningPoint.at)
        guard finding.verdict != .satisfied else { return finding }
        finding.verdict = .satisfied
        finding.reason = .heldOpen
        finding.message =
            "the condition held on \(opening.opened), so it counts as held until \(opening.closes)"
        return finding
    }
}

/// The time is not over for which the offer stays open to the customer once its condition held
/// (docs/design.md#decisions).
struct AvailableForRule: Rule {
    let id = RuleId.ruleAvailableFor
    var requirement: String { "the offer must still be open to the customer" }

    func finding(_ context: RuleContext) -> Finding {
        guard let length = context.offer.availableFor else {
            return notApplicable("the offer has no availability window")
        }
        guard let opening = context.opening else {
            return satisfied("the first request that finds the condition held opens the offer for \(length.words)")
        }
        let evidence = [
            Evidence(field: "openedAt", observed: .instant(opening.opened)),
            Evidence(field: "offer.availableFor", observed: .instant(context.now), required: .instant(opening.closes)),
        ]
        guard context.now < opening.closes else {
            return violated(
                .availabilityEnded,
                "the offer was open to the customer from \(opening.opened) for \(length.words), until "
                    + "\(opening.closes)", evidence: evidence)
        }
        return satisfied(
            "the offer is open to the customer from \(opening.opened) for \(length.words), until \(opening.closes)",
            evidence: evidence, until: opening.closes)
    }
}

/// The time for which an offer with `availableFor` is open to a customer (docs/design.md#decisions).
struct Opening: Sendable, Hashable {
    /// When an issue request first found the condition held.
    let opened: Instant
    /// The first moment at which it is over.
    let closes: Instant
}

extension Decision {
    /// When this decision opens the offer to the subject, if it does: the instant of the question.
    ///
    /// An issue request commits it as `SubjectFacts.openedAt` of the offer, whatever else it answers; a dry-run never
    /// does. An offer is opened once: by the first request that finds its condition held, while nothing on our side
    /// keeps the offer back. A draft, a schedule, a pause or a rollout must not use up the customer's time.
    public func opening(_ question: Question, facts: SubjectFacts) -> Instant? {
        guard question.offer.availableFor != nil, facts.openedAt(of: question.offer) == nil else { return nil }
        let isHeldBack = findings.contains {
            $0.verdict != .satisfied && $0.verdict != .notApplicable && $0.rule.isOurs
        }
        let condition = findings.first { $0.rule == .ruleEligibility }?.verdict
        return !isHeldBack && (condition == .satisfied || condition == .notApplicable) ? question.now : nil
    }
}

extension RuleId {
    /// Whether the operator of the offer, not the customer, can change the rule's answer.
    fileprivate var isOurs: Bool {
        switch self {
        case .catalogStatus, .catalogSchedule, .catalogEnvironment, .catalogProduct, .catalogPaused, .rolloutPercent,
            .rolloutHoldout:
            true
        default: false
        }
    }
}

extension RuleContext {
    /// Since when and until when the offer is or was open to the subject; `nil` if it never was.
    var opening: Opening? {
        guard let length = offer.availableFor, let openedAt else { return nil }
        return Opening(opened: openedAt, closes: openedAt.adding(length))
    }
}

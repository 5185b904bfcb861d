public import OfferModel

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
        guard question.offer.availableFor != nil, facts.openedAt[question.offer.id] == nil else { return nil }
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

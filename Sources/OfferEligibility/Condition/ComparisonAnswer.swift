import OfferModel

/// A comparison's answer and why.
struct ComparisonAnswer: Sendable, Equatable {
    let verdict: Verdict
    let reason: ReasonCode

    static func of(_ holds: Bool) -> ComparisonAnswer {
        holds
            ? ComparisonAnswer(verdict: .satisfied, reason: .holds)
            : ComparisonAnswer(verdict: .violated, reason: .conditionNotMet)
    }

    static func undetermined(_ reason: ReasonCode) -> ComparisonAnswer {
        ComparisonAnswer(verdict: .undetermined, reason: reason)
    }

    /// The answer to the opposite question.
    var negated: ComparisonAnswer {
        switch verdict {
        case .satisfied: .of(false)
        case .violated: .of(true)
        case .undetermined, .notApplicable: self
        }
    }
}

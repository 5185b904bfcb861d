public import OfferModel

extension CaseVocabulary {
    /// The words of this evaluator.
    public static let evaluator = CaseVocabulary(
        outcomes: Outcome.allCases.map(\.rawValue), rules: RuleId.allCases.map(\.rawValue),
        verdicts: Verdict.allCases.map(\.rawValue), reasons: ReasonCode.allCases.map(\.rawValue),
        events: TurningEvent.allCases.map(\.rawValue), pauses: Pause.allCases.map(\.rawValue),
        stateMembers: StateMember.allCases.map(\.rawValue))
}

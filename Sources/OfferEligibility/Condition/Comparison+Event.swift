import OfferModel

extension Comparison {
    /// The event that the answer waits for, where time alone does not change it; `nil` where nothing can.
    func event(_ fact: Fact, _ answer: ComparisonAnswer, as type: FactType?) -> TurningEvent? {
        if answer.verdict == .undetermined {
            // A value of the wrong type is put right by whoever gave it.
            guard answer.reason == .typeMismatch, case .any(let event) = fact.change else {
                return answer.reason.bringing
            }
            return event
        }
        switch fact.change {
        case .none: return nil
        case .any(let event): return event
        case .to(let value, let event):
            return differs(from: answer, for: [value], as: type) ? event : nil
        case .growth(let event):
            guard let known = fact.observed?.number else { return event }
            let greater = ([known] + operands.compactMap(\.number)).flatMap { [$0, $0 + 1] }.filter { $0 > known }
            return differs(from: answer, for: greater.map { .number($0) }, as: type) ? event : nil
        }
    }

    private func differs(from answer: ComparisonAnswer, for values: [FactValue], as type: FactType?) -> Bool {
        values.contains { self.answer(.known($0), as: type).verdict != answer.verdict }
    }
}

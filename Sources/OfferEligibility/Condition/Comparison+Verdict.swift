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
}

extension Comparison {
    /// Compares what is known with the operands.
    func answer(_ knowledge: Fact.Knowledge) -> ComparisonAnswer {
        guard operands.count >= comparisonOperator.leastOperands else { return .undetermined(.comparisonMalformed) }
        switch knowledge {
        case .undetermined(let reason):
            return comparisonOperator == .exists && reason.isAbsence ? exists(false) : .undetermined(reason)
        case .atLeast(let known, let reason):
            return answer(knownPart: known, because: reason)
        case .known(let value):
            return answer(value)
        }
    }

    private func answer(_ value: FactValue) -> ComparisonAnswer {
        switch comparisonOperator {
        case .exists: exists(true)
        case .is, .in: isOneOf(value)
        case .isNot, .notIn: isOneOf(value).negated
        case .atLeast: ordered(value) { $0 >= $1[0] }
        case .atMost: ordered(value) { $0 <= $1[0] }
        case .moreThan: ordered(value) { $0 > $1[0] }
        case .lessThan: ordered(value) { $0 < $1[0] }
        case .between: ordered(value) { $0 >= $1[0] && $0 <= $1[1] }
        }
    }

    /// Only what more of the history could not change is decided.
    private func answer(knownPart known: Double, because reason: ReasonCode) -> ComparisonAnswer {
        let bounds = operands.compactMap(\.number)
        guard comparisonOperator == .exists || bounds.count == operands.count else {
            return .undetermined(.typeMismatch)
        }
        let unknown = ComparisonAnswer.undetermined(reason)
        switch comparisonOperator {
        case .exists: return exists(true)
        case .atLeast: return known >= bounds[0] ? .of(true) : unknown
        case .moreThan: return known > bounds[0] ? .of(true) : unknown
        case .atMost: return known > bounds[0] ? .of(false) : unknown
        case .lessThan: return known >= bounds[0] ? .of(false) : unknown
        case .between: return known > bounds[1] ? .of(false) : unknown
        case .is, .in: return bounds.allSatisfy { known > $0 } ? .of(false) : unknown
        case .isNot, .notIn: return bounds.allSatisfy { known > $0 } ? .of(true) : unknown
        }
    }

    /// The operand says whether it should exist; without one, it should.
    private func exists(_ isThere: Bool) -> ComparisonAnswer {
        switch operands.first {
        case nil, .boolean(true): .of(isThere)
        case .boolean(false): .of(!isThere)
        default: .undetermined(.comparisonMalformed)
        }
    }

    private func isOneOf(_ value: FactValue) -> ComparisonAnswer {
        if operands.contains(value) { return .of(true) }
        let mismatch = operands.lazy.compactMap { value.mismatch($0) }.first
        return mismatch.map(ComparisonAnswer.undetermined) ?? .of(false)
    }

    private func ordered(_ value: FactValue, _ holds: (Double, [Double]) -> Bool) -> ComparisonAnswer {
        if let mismatch = operands.lazy.compactMap({ value.mismatch($0) }).first { return .undetermined(mismatch) }
        let bounds = operands.compactMap(\.magnitude)
        guard let magnitude = value.magnitude, bounds.count == operands.count else {
            return .undetermined(.comparisonMalformed)
        }
        return .of(holds(magnitude, bounds))
    }
}

extension ComparisonAnswer {
    fileprivate var negated: ComparisonAnswer {
        switch verdict {
        case .satisfied: .of(false)
        case .violated: .of(true)
        case .undetermined, .notApplicable: self
        }
    }
}

extension ReasonCode {
    /// Whether there is nothing to know, rather than something that is not known.
    fileprivate var isAbsence: Bool {
        switch self {
        case .signalMissing, .noSubscription, .nothingPending: true
        default: false
        }
    }
}

extension ComparisonOperator {
    fileprivate var leastOperands: Int {
        switch self {
        case .exists: 0
        case .is, .isNot, .in, .notIn, .atLeast, .atMost, .moreThan, .lessThan: 1
        case .between: 2
        }
    }
}

extension FactValue {
    /// A finite number.
    var number: Double? {
        guard case .number(let number) = self, number.isFinite else { return nil }
        return number
    }

    /// What orders values of one type; `nil` for text and flags. Amounts and dates stay exact far beyond real ones.
    fileprivate var magnitude: Double? {
        switch self {
        case .number: number
        case .money(let money): Double(money.milliunits)
        case .instant(let instant): Double(instant.milliseconds)
        case .text, .boolean: nil
        }
    }

    /// Why the two cannot be compared, if they cannot.
    fileprivate func mismatch(_ other: FactValue) -> ReasonCode? {
        if case .money(let left) = self, case .money(let right) = other {
            return left.currency == right.currency ? nil : .currencyMismatch
        }
        return type == other.type ? nil : .typeMismatch
    }
}

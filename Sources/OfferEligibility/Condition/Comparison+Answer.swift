import OfferModel

extension Comparison {
    /// Compares what is known with the operands.
    ///
    /// - Parameter type: the fact's type; `nil` where the values themselves say it.
    func answer(_ knowledge: Fact.Knowledge, as type: FactType?) -> ComparisonAnswer {
        guard operands.count >= comparisonOperator.leastOperands else { return .undetermined(.comparisonMalformed) }
        if comparisonOperator == .exists { return exists(knowledge) }
        switch knowledge {
        case .undetermined(let reason): return .undetermined(reason)
        case .atLeast(let known, let reason): return answer(ValueRange(low: known, high: nil), because: reason)
        case .atMost(let known, let reason): return answer(ValueRange(low: 0, high: known), because: reason)
        case .known(let value): return answer(value, as: type)
        }
    }

    /// Whether there is anything to know. Decided unless what is missing might still turn up: a signal that was not
    /// sent, a subscription that is proven absent, do not exist.
    private func exists(_ knowledge: Fact.Knowledge) -> ComparisonAnswer {
        let isThere: Bool
        switch knowledge {
        case .known, .atLeast, .atMost: isThere = true
        case .undetermined(let reason):
            guard reason.isAbsence else { return .undetermined(reason) }
            isThere = false
        }
        // The operand says whether it should exist; without one, it should.
        switch operands.first {
        case nil, .boolean(true): return .of(isThere)
        case .boolean(false): return .of(!isThere)
        default: return .undetermined(.comparisonMalformed)
        }
    }

    private func answer(_ value: FactValue, as type: FactType?) -> ComparisonAnswer {
        let relations = operands.map { value.relation(to: $0, as: type) }
        switch comparisonOperator {
        case .is, .in: return isOneOf(relations)
        case .isNot, .notIn: return isOneOf(relations).negated
        case .atLeast: return ordered(relations) { $0[0] != .less }
        case .atMost: return ordered(relations) { $0[0] != .greater }
        case .moreThan: return ordered(relations) { $0[0] == .greater }
        case .lessThan: return ordered(relations) { $0[0] == .less }
        case .between: return ordered(relations) { $0[0] != .less && $0[1] != .greater }
        case .exists: return exists(.known(value))
        }
    }

    private func isOneOf(_ relations: [FactRelation]) -> ComparisonAnswer {
        if relations.contains(.equal) { return .of(true) }
        return relations.lazy.compactMap(\.incomparability).first.map(ComparisonAnswer.undetermined) ?? .of(false)
    }

    private func ordered(_ relations: [FactRelation], _ holds: ([FactRelation]) -> Bool) -> ComparisonAnswer {
        if let reason = relations.lazy.compactMap(\.incomparability).first { return .undetermined(reason) }
        return relations.contains(.different) ? .undetermined(.comparisonMalformed) : .of(holds(relations))
    }

    /// Only what holds of every value that it may be, or of none, is decided.
    private func answer(_ range: ValueRange, because reason: ReasonCode) -> ComparisonAnswer {
        let bounds = operands.compactMap(\.number)
        guard bounds.count == operands.count else { return .undetermined(.typeMismatch) }
        let holds: Bool? =
            switch comparisonOperator {
            case .atLeast: range.isAtLeast(bounds[0])
            case .lessThan: range.isAtLeast(bounds[0]).map { !$0 }
            case .moreThan: range.isMore(than: bounds[0])
            case .atMost: range.isMore(than: bounds[0]).map { !$0 }
            case .between: range.isBetween(bounds[0], bounds[1])
            case .is, .in: bounds.contains(where: range.contains) ? nil : false
            case .isNot, .notIn: bounds.contains(where: range.contains) ? nil : true
            case .exists: true
            }
        return holds.map(ComparisonAnswer.of) ?? .undetermined(reason)
    }
}

/// The numbers that a value may be.
private struct ValueRange {
    let low: Double
    /// `nil` where it has no end.
    let high: Double?

    func contains(_ number: Double) -> Bool {
        number >= low && high.map { number <= $0 } ?? true
    }

    func isAtLeast(_ bound: Double) -> Bool? {
        if low >= bound { return true }
        return high.map { $0 < bound } == true ? false : nil
    }

    func isMore(than bound: Double) -> Bool? {
        if low > bound { return true }
        return high.map { $0 <= bound } == true ? false : nil
    }

    func isBetween(_ least: Double, _ most: Double) -> Bool? {
        if isAtLeast(least) == false || isMore(than: most) == true { return false }
        return isAtLeast(least) == true && isMore(than: most) == false ? true : nil
    }
}

extension ReasonCode {
    /// Whether there is nothing to know, rather than something that is not known.
    fileprivate var isAbsence: Bool {
        switch self {
        case .signalMissing, .attributeMissing, .deviceUnknown, .noSubscription, .noAccess, .accessGoesOn,
            .nothingPending, .noPurchase, .noRedemption:
            true
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
}

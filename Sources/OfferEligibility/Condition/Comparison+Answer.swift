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
        case .atLeast(let known, let reason): return answer(knownPart: known, because: reason)
        case .known(let value): return answer(value, as: type)
        }
    }

    /// Whether there is anything to know. Decided unless what is missing might still turn up: a signal that was not
    /// sent, a subscription that is proven absent, do not exist.
    private func exists(_ knowledge: Fact.Knowledge) -> ComparisonAnswer {
        let isThere: Bool
        switch knowledge {
        case .known, .atLeast: isThere = true
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
        switch comparisonOperator {
        case .is, .in: return isOneOf(value, as: type)
        case .isNot, .notIn: return isOneOf(value, as: type).negated
        case .atLeast: return ordered(value, as: type) { $0 > 0 || $1 != .less }
        case .atMost: return ordered(value, as: type) { $0 > 0 || $1 != .greater }
        case .moreThan: return ordered(value, as: type) { $0 > 0 || $1 == .greater }
        case .lessThan: return ordered(value, as: type) { $0 > 0 || $1 == .less }
        case .between: return ordered(value, as: type) { $0 == 0 ? $1 != .less : $0 > 1 || $1 != .greater }
        case .exists: return exists(.known(value))
        }
    }

    private func isOneOf(_ value: FactValue, as type: FactType?) -> ComparisonAnswer {
        var reason: ReasonCode?
        for operand in operands {
            let relation = value.relation(to: operand, as: type)
            if relation == .equal { return .of(true) }
            reason = reason ?? relation.incomparability
        }
        return reason.map(ComparisonAnswer.undetermined) ?? .of(false)
    }

    /// - Parameter holds: whether the value may stand so to the operand at a place.
    private func ordered(
        _ value: FactValue, as type: FactType?, _ holds: (Int, FactRelation) -> Bool
    ) -> ComparisonAnswer {
        var (isOrdered, doesHold) = (true, true)
        for place in operands.indices {
            let relation = value.relation(to: operands[place], as: type)
            if let reason = relation.incomparability { return .undetermined(reason) }
            if relation == .different { isOrdered = false }
            if !holds(place, relation) { doesHold = false }
        }
        return isOrdered ? .of(doesHold) : .undetermined(.comparisonMalformed)
    }

    /// Only what more could not change is decided.
    private func answer(knownPart known: Double, because reason: ReasonCode) -> ComparisonAnswer {
        let bounds = operands.compactMap(\.number)
        guard bounds.count == operands.count else { return .undetermined(.typeMismatch) }
        let holds: Bool? =
            switch comparisonOperator {
            case .atLeast: known >= bounds[0] ? true : nil
            case .moreThan: known > bounds[0] ? true : nil
            case .atMost: known > bounds[0] ? false : nil
            case .lessThan: known >= bounds[0] ? false : nil
            case .between: known > bounds[1] ? false : nil
            case .is, .in: bounds.allSatisfy { known > $0 } ? false : nil
            case .isNot, .notIn: bounds.allSatisfy { known > $0 } ? true : nil
            case .exists: true
            }
        return holds.map(ComparisonAnswer.of) ?? .undetermined(reason)
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

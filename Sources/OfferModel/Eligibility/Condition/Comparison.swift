extension Comparison {
    /// Compares the known value with the operands.
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

    /// - Parameter holds: whether the relation to the operand at an index is as required.
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
    /// Whether the value is absent, rather than unknown.
    fileprivate var isAbsence: Bool {
        switch self {
        case .signalMissing, .attributeMissing, .deviceUnknown, .noSubscription, .noAccess, .accessGoesOn,
            .nothingPending, .noPurchase, .noRedemption, .noOffer:
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
    var number: Double? {
        guard case .number(let number) = self, number.isFinite else { return nil }
        return number
    }
}

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

    var negated: ComparisonAnswer {
        switch verdict {
        case .satisfied: .of(false)
        case .violated: .of(true)
        case .undetermined, .notApplicable, .lifted: self
        }
    }
}

extension Comparison {
    /// The event that the answer waits for, where time alone does not change it; `nil` where nothing can.
    func event(_ fact: Fact, _ answer: ComparisonAnswer, as type: FactType?) -> TurningEvent? {
        if answer.verdict == .undetermined {
            // The caller who gave a value of the wrong type corrects it.
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

enum FactRelation: Equatable {
    case less
    case equal
    case greater
    /// Not equal, and of a type without an order.
    case different
    /// Not to be compared at all.
    case incomparable(ReasonCode)

    var incomparability: ReasonCode? {
        guard case .incomparable(let reason) = self else { return nil }
        return reason
    }

    fileprivate init<Value: Comparable>(_ left: Value, _ right: Value) {
        // A number that is none is neither.
        self = left == right ? .equal : left < right ? .less : left > right ? .greater : .different
    }
}

extension FactValue {
    /// - Parameter type: the fact's type; texts are compared as it says.
    func relation(to other: FactValue, as type: FactType?) -> FactRelation {
        switch (self, other) {
        case (.text(let left), .text(let right)): Self.relation(left, right, as: type)
        case (.number(let left), .number(let right)): FactRelation(left, right)
        case (.boolean(let left), .boolean(let right)): left == right ? .equal : .different
        case (.instant(let left), .instant(let right)): FactRelation(left, right)
        case (.money(let left), .money(let right)):
            left.currency == right.currency
                ? FactRelation(left.milliunits, right.milliunits) : .incomparable(.currencyMismatch)
        case (.text, _), (.number, _), (.boolean, _), (.money, _), (.instant, _): .incomparable(.typeMismatch)
        }
    }

    private static func relation(_ left: String, _ right: String, as type: FactType?) -> FactRelation {
        switch type {
        case .version:
            guard let left = DottedVersion(left) else { return .incomparable(.textUnreadable) }
            guard let right = DottedVersion(right) else { return .incomparable(.comparisonMalformed) }
            return FactRelation(left, right)
        case .locale:
            guard let left = LocaleTag(left) else { return .incomparable(.textUnreadable) }
            guard let right = LocaleTag(right) else { return .incomparable(.comparisonMalformed) }
            return left.begins(with: right) ? .equal : .different
        case .text, .storefront, .number, .boolean, .money, .instant, nil:
            return left.hasSameBytes(as: right) ? .equal : .different
        }
    }
}

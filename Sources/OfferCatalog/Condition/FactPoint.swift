import OfferModel

/// What a fact can be where a comparison is decided: nothing at all, or a value.
enum FactPoint {
    /// There is nothing to know, as of a signal that was not sent.
    case absent
    case value(FactValue)
    /// A text that no comparison names.
    case otherText
}

extension Comparison {
    /// Whether it holds at a point; `nil` where it is undetermined. The evaluator's own answer for known values.
    func holds(at point: FactPoint) -> Bool? {
        switch (comparisonOperator, point) {
        case (.exists, .absent): return operands.first == .boolean(false)
        case (.exists, _): return operands.first != .boolean(false)
        case (_, .absent): return nil
        case (.is, _), (.in, _): return isOneOf(point)
        case (.isNot, _), (.notIn, _): return isOneOf(point).map { !$0 }
        case (_, .value(let value)): return isInOrder(value)
        case (_, .otherText): return nil
        }
    }

    private func isOneOf(_ point: FactPoint) -> Bool? {
        guard case .value(let value) = point else {
            return operands.allSatisfy { $0.type == .text } ? false : nil
        }
        if operands.contains(value) { return true }
        return operands.allSatisfy(value.isComparable) ? false : nil
    }

    private func isInOrder(_ value: FactValue) -> Bool? {
        let bounds = operands.compactMap(\.magnitude)
        guard operands.allSatisfy(value.isComparable), bounds.count == operands.count, let first = bounds.first,
            let last = bounds.last, let magnitude = value.magnitude
        else { return nil }
        return switch comparisonOperator {
        case .atLeast: magnitude >= first
        case .atMost: magnitude <= first
        case .moreThan: magnitude > first
        case .lessThan: magnitude < first
        case .between: magnitude >= first && magnitude <= last
        case .is, .isNot, .in, .notIn, .exists: nil
        }
    }

    /// Whether its meaning follows from its operands alone: versions and locales have an order of their own.
    var isPlain: Bool {
        guard !fact.hasPrefix("request.") else { return false }
        switch comparisonOperator {
        case .exists: return true
        case .is, .isNot, .in, .notIn: return !operands.isEmpty
        case .atLeast, .atMost, .moreThan, .lessThan: return operands.count == 1 && operands[0].magnitude != nil
        case .between: return operands.count == 2 && operands.allSatisfy { $0.magnitude != nil }
        }
    }
}

extension FactValue {
    /// What orders values of one type; `nil` for text and flags.
    var magnitude: Double? {
        switch self {
        case .number(let number): number
        case .money(let money): Double(money.milliunits)
        case .instant(let instant): Double(instant.milliseconds)
        case .text, .boolean: nil
        }
    }

    fileprivate func isComparable(with other: FactValue) -> Bool {
        if case .money(let left) = self, case .money(let right) = other { return left.currency == right.currency }
        return type == other.type
    }
}

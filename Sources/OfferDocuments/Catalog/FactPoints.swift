import OfferModel

/// The values that a fact can have where a comparison is decided: none at all, or one.
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
    /// The order of values of one type; `nil` for text and flags.
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

/// The points of a fact at which comparisons can differ: every operand, what lies beside it, and nothing at all.
///
/// Between two neighbouring points nothing changes, so what holds nowhere on them holds nowhere.
enum FactPoints {
    static func all(of fact: String, comparedBy comparisons: [Comparison]) -> [FactPoint] {
        let operands = comparisons.filter { $0.comparisonOperator != .exists }.flatMap(\.operands)
        let definition = FactVocabulary.definition(fact)
        var points: [FactPoint] = [.absent]
        switch FactName(fact)?.type {
        case .number?:
            points += wholeNumbers(operands)
        case .boolean?:
            points += flags
        case .text?:
            points += texts(operands, closed: definition?.values)
        default:
            points += numbers(operands) + amounts(operands) + instants(operands) + texts(operands, closed: nil) + flags
        }
        return points
    }

    private static let flags: [FactPoint] = [.value(.boolean(true)), .value(.boolean(false))]

    /// More than any operand: the reader refuses greater ones.
    private static let vast = 1e12

    /// Counts and days are whole and never negative: the operands and their neighbours.
    private static func wholeNumbers(_ operands: [FactValue]) -> [FactPoint] {
        let near = operands.compactMap(\.magnitude).flatMap { number in
            [number.rounded(.down) - 1, number.rounded(.down), number.rounded(.up), number.rounded(.up) + 1]
        }
        return Set(near + [0, vast]).filter { $0 >= 0 }.sorted().map { .value(.number($0)) }
    }

    /// Of a signal also what lies between two operands.
    private static func numbers(_ operands: [FactValue]) -> [FactPoint] {
        let known = Set(operands.compactMap { value in if case .number(let number) = value { number } else { nil } })
            .sorted()
        let between = zip(known, known.dropFirst()).map { $0 + ($1 - $0) / 2 }
        // At and beyond 2^53 one more is the same number.
        let around = [
            known.first.map { min($0 - 1, $0.nextDown) } ?? 0, known.last.map { max($0 + 1, $0.nextUp) } ?? 0,
        ]
        return (known + between + around).map { .value(.number($0)) }
    }

    private static func amounts(_ operands: [FactValue]) -> [FactPoint] {
        let amounts = operands.compactMap { value in if case .money(let money) = value { money } else { nil } }
        return Set(
            amounts.flatMap { money in
                [-1, 0, 1].map { Money(milliunits: money.milliunits.saturatingAdding($0), currency: money.currency) }
            }
        )
        .map { .value(.money($0)) }
    }

    private static func instants(_ operands: [FactValue]) -> [FactPoint] {
        let instants = operands.compactMap { value in if case .instant(let instant) = value { instant } else { nil } }
        return Set(instants.flatMap { instant in [-1, 0, 1].map { instant.adding(milliseconds: $0) } })
            .map { .value(.instant($0)) }
    }

    private static func texts(_ operands: [FactValue], closed: [String]?) -> [FactPoint] {
        if let closed { return closed.map { .value(.text($0)) } }
        let texts = operands.filter { $0.type == .text }
        return Set(texts).map { .value($0) } + [.otherText]
    }
}

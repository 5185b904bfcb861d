import OfferModel

/// The points of a fact at which comparisons can differ: every operand, what lies beside it, and nothing at all.
///
/// Between two neighbouring points nothing changes, so what holds nowhere on them holds nowhere.
enum FactPoints {
    static func all(of fact: String, comparedBy comparisons: [Comparison]) -> [FactPoint] {
        let operands = comparisons.filter { $0.comparisonOperator != .exists }.flatMap(\.operands)
        let definition = FactVocabulary.definition(fact)
        var points: [FactPoint] = [.absent]
        switch definition?.type {
        case .number?:
            points += wholeNumbers(operands, from: definition?.minimum ?? -.greatestFiniteMagnitude)
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

    /// Counts and days are whole: the operands and their neighbours, none below the least there is.
    private static func wholeNumbers(_ operands: [FactValue], from minimum: Double) -> [FactPoint] {
        let near = operands.compactMap(\.magnitude).flatMap { number in
            [number.rounded(.down) - 1, number.rounded(.down), number.rounded(.up), number.rounded(.up) + 1]
        }
        let start = minimum > -.greatestFiniteMagnitude ? [minimum] : [0]
        return Set(near + start + [vast]).filter { $0 >= minimum }.sorted().map { .value(.number($0)) }
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

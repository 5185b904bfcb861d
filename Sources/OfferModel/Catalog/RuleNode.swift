/// A node of an offer's own condition.
public indirect enum RuleNode: Sendable, Hashable {
    case all([RuleNode])
    case any([RuleNode])
    case not(RuleNode)
    case comparison(Comparison)
}

/// One comparison of a fact with values of the catalog.
public struct Comparison: Sendable, Hashable {
    public var fact: String
    public var comparisonOperator: ComparisonOperator
    /// One value, two for `between` (both inclusive), any number for `in` and `notIn`; true or false for `exists`.
    public var operands: [FactValue]

    public init(fact: String, comparisonOperator: ComparisonOperator, operands: [FactValue]) {
        self.fact = fact
        self.comparisonOperator = comparisonOperator
        self.operands = operands
    }
}

/// How a fact is compared; the names are those of the catalog file.
public enum ComparisonOperator: String, Sendable, Hashable, CaseIterable, Codable {
    case `is`
    case isNot
    case `in`
    case notIn
    case atLeast
    case atMost
    case moreThan
    case lessThan
    case between
    /// Whether there is anything to know.
    case exists
}

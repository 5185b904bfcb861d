/// A node of an offer's own condition.
public indirect enum RuleNode: Sendable, Hashable {
    /// Every child must hold.
    case all([RuleNode])
    /// At least one child must hold.
    case any([RuleNode])
    /// The child must not hold.
    case not(RuleNode)
    /// A fact must compare as stated.
    case comparison(Comparison)
}

/// One comparison of a fact with values of the catalog.
public struct Comparison: Sendable, Hashable {
    /// The fact's dotted name, such as `subscription.state`.
    public var fact: String
    /// How to compare.
    public var comparisonOperator: ComparisonOperator
    /// One value, two for `between` (both inclusive), any number for `in` and `notIn`; true or false for `exists`.
    public var operands: [FactValue]

    /// A comparison by its parts.
    public init(fact: String, comparisonOperator: ComparisonOperator, operands: [FactValue]) {
        self.fact = fact
        self.comparisonOperator = comparisonOperator
        self.operands = operands
    }
}

/// How a fact is compared; the names are those of the catalog file.
public enum ComparisonOperator: String, Sendable, Hashable, CaseIterable, Codable {
    /// Equal.
    case `is`
    /// Not equal.
    case isNot
    /// One of several.
    case `in`
    /// None of several.
    case notIn
    /// Greater or equal.
    case atLeast
    /// Less or equal.
    case atMost
    /// Greater.
    case moreThan
    /// Less.
    case lessThan
    /// Between two values, both inclusive.
    case between
    /// Whether there is anything to know.
    case exists
}

/// A document that was read, with what may not have been meant.
public struct ValidDocument<Value: Sendable>: Sendable {
    /// What the document says.
    public let value: Value
    /// In the order of their lines.
    public let warnings: [DocumentIssue]
}

/// A document that is not accepted.
public struct InvalidDocument: Error, Sendable, Hashable {
    /// Every error found, at least one, in the order of their lines.
    public let errors: [DocumentIssue]
    /// In the order of their lines.
    public let warnings: [DocumentIssue]
}

/// What bounds every document, so that a hostile one costs little.
public enum DocumentLimits {
    /// The most bytes of a document: 2 MiB, as for a request body (docs/design.md#http).
    public static let bytes = 2 * 1_024 * 1_024
    /// The deepest nesting of lists and mappings.
    public static let depth = 64
    /// The most comparisons of one offer's condition.
    public static let comparisons = 500
    /// The most levels of one offer's condition: a comparison in a group is at the second.
    public static let conditionDepth = 20
    /// The most errors, and the most warnings, that are reported.
    public static let issues = 500
}

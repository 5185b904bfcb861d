/// A scenario that cannot have happened.
public struct ScenarioError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where, as in the document: `steps[2].renew`.
    public let path: String
    /// What is wrong, in one lower-case line.
    public let message: String
    /// What to do next.
    public let hint: String?

    /// An error by its parts.
    public init(path: String, message: String, hint: String? = nil) {
        self.path = path
        self.message = message
        self.hint = hint
    }

    /// `the group has no subscription at steps[2].renew`.
    public var description: String { "\(message) at \(path)" }
}

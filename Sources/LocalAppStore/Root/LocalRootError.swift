/// A local root that cannot be written or read.
public struct LocalRootError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in one lower-case line.
    public let message: String
    /// What to do next.
    public let hint: String

    /// An error by its parts.
    public init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }

    /// The message.
    public var description: String { message }
}

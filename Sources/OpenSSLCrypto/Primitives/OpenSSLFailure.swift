/// Something that libcrypto could not do, which no input should cause: no memory, no entropy, a broken installation.
///
/// The library's own error text is never attached: it means nothing to operators and could quote what it was given.
public struct OpenSSLFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was tried, such as `sign`.
    public let operation: String

    init(_ operation: String) {
        self.operation = operation
    }

    /// `libcrypto could not …`.
    public var description: String { "libcrypto could not \(operation)" }
}

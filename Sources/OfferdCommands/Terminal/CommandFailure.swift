/// A failure in words: one line, then hints, then the exit code (docs/design.md#commands).
struct CommandFailure: Error, Equatable {
    /// Lower case, offending values in backticks, no full stop.
    var message: String
    /// What to do next.
    var hints: [String]
    /// 1 failed, 2 usage or configuration.
    var exitCode: Int32

    static func failed(_ message: String, hints: [String] = []) -> CommandFailure {
        CommandFailure(message: message, hints: hints, exitCode: 1)
    }

    static func configuration(_ message: String, hints: [String] = []) -> CommandFailure {
        CommandFailure(message: message, hints: hints, exitCode: 2)
    }
}

/// Errors of a document, with the file they are in.
struct DocumentFailure: Error {
    /// The lines to print, as `IssueText` renders them.
    var lines: [String]
    /// 1 failed, 2 usage or configuration.
    var exitCode: Int32
}

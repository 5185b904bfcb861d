/// How a command ends (docs/design.md#commands).
package enum ExitStatus: Int32, Sendable {
    case done = 0
    /// It failed, or the answer is no: not eligible, undetermined, an invalid catalog, a refusal by the server.
    case failed = 1
    /// The command line, a configuration or a file cannot be used.
    case usage = 2
    /// The server cannot be reached, or failed.
    case unavailable = 3
}

/// Why a command ends without having done what was asked.
package struct CommandFailure: Error, Hashable {
    package let status: ExitStatus
    /// What stderr says: lines `error: …`, each followed by its `hint: …`; none if stdout has said it all.
    package let lines: [String]

    /// - Parameter lines: printed as they are, but for line breaks, which would look like another message.
    package init(_ status: ExitStatus, lines: [String]) {
        self.status = status
        self.lines = lines.map(\.printable)
    }

    package init(_ status: ExitStatus, _ message: String, hints: [String] = []) {
        self.init(status, lines: ["error: " + message] + hints.map { "hint: " + $0 })
    }

    /// The answer is no, and stdout has said so.
    package static let answeredNo = CommandFailure(.failed, lines: [])

    package var message: String { texts("error: ").first ?? "" }

    package var hints: [String] { texts("hint: ") }

    private func texts(_ label: String) -> [String] {
        lines.filter { $0.hasPrefix(label) }.map { String($0.dropFirst(label.count)) }
    }
}

/// Why a command ends without having done what was asked.
struct CommandFailure: Error, Sendable, Hashable {
    /// How the program ends.
    var status: ExitStatus
    /// What stderr says: lines `error: …`, each followed by its lines `hint: …`; none if the answer on stdout says it all.
    var messages: [String]

    /// A failure with its messages; a line break inside one would look like another message.
    init(_ status: ExitStatus, messages: [String]) {
        self.status = status
        self.messages = messages.map(\.printable)
    }

    /// A failure with one thing wrong.
    ///
    /// - Parameters:
    ///   - error: what is wrong: lower case, no final full stop, the offending value in backticks.
    ///   - hints: what to do next.
    init(_ status: ExitStatus, _ error: String, hints: [String] = []) {
        self.init(status, messages: ["error: " + error] + hints.map { "hint: " + $0 })
    }

    /// The answer was no, and has been printed.
    static let answeredNo = CommandFailure(.no, messages: [])
}

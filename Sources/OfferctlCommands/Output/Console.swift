import Foundation

/// Where commands write: data to stdout, messages to stderr, both unbuffered so that nothing is lost at exit.
struct Console: Sendable {
    /// The process's own streams and environment.
    static let process = Console(environment: ProcessInfo.processInfo.environment)

    /// The environment variables.
    let environment: [String: String]

    /// The colours of stdout.
    var palette: Palette {
        Palette.chosen(isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment)
    }

    /// Writes data for people or machines, ended by a line break.
    func write(_ text: String) {
        Self.write(text, to: .standardOutput)
    }

    /// Writes a JSON answer as the server gave it, ended by a line break.
    func write(json: [UInt8]) {
        Self.write(String(decoding: json, as: UTF8.self), to: .standardOutput)
    }

    /// Writes a message about what happened.
    func note(_ text: String) {
        Self.write(text, to: .standardError)
    }

    /// A reader that went away, such as `head`, is no failure of ours.
    private static func write(_ text: String, to stream: FileHandle) {
        // By bytes: CR LF is one character.
        let isEnded = text.utf8.last == UInt8(ascii: "\n")
        try? stream.write(contentsOf: Data((isEnded ? text : text + "\n").utf8))
    }
}

import Foundation
import OfferModel
import Synchronization

/// Where commands write: data to stdout, messages to stderr, both unbuffered so that nothing is lost at exit.
package enum Console {
    package static let palette = Palette.chosen(
        isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment
    ).fitting(columns(STDOUT_FILENO))

    /// For messages.
    package static var notePalette: Palette {
        keepsNotesWhole.load(ordering: .relaxed) ? terminalNotes.fitting(nil) : terminalNotes
    }

    private static let terminalNotes = Palette.chosen(
        isTerminal: isatty(STDERR_FILENO) == 1, environment: ProcessInfo.processInfo.environment
    ).fitting(columns(STDERR_FILENO))

    private static let keepsNotesWhole = Atomic(false)

    /// Wraps no message from now on.
    static func keepNotesWhole() {
        keepsNotesWhole.store(true, ordering: .relaxed)
    }

    /// The terminal's width; `nil` where there is none, so that programs read whole lines.
    private static func columns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
        else { return nil }
        return max(Int(size.ws_col), 80)
    }

    /// Whether there is a user who reads messages and can answer a question.
    package static let canAsk = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1

    /// Asks a question on stderr; anything but `y` or `yes` means no.
    package static func ask(_ question: String) -> Bool {
        draw("\(question) [y/N] ")
        return ["y", "yes"].contains((readLine() ?? "").trimmingCharacters(in: .whitespaces).lowercased())
    }

    /// Writes data and a line break; a reader that went away, such as `head`, is not a failure.
    package static func write(_ text: String) {
        try? put(text, to: .standardOutput)
    }

    /// Writes data that must arrive, such as a token that is shown once.
    package static func output(_ text: String) throws {
        do {
            try put(text, to: .standardOutput)
        } catch {
            throw CommandFailure(.failed, "standard output cannot be written")
        }
    }

    package static func note(_ text: String) {
        // Where standard error is closed too, there is no other place to report it.
        try? put(notePalette.wrap(TimeText.readable(text)), to: .standardError)
    }

    /// Writes to stderr without a line break, as a line that changes needs it.
    package static func draw(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    private static func put(_ text: String, to stream: FileHandle) throws {
        // By bytes: CR LF is one character.
        let isEnded = text.utf8.last == UInt8(ascii: "\n")
        try stream.write(contentsOf: Data((isEnded ? text : text + "\n").utf8))
    }
}

package struct Palette: Sendable {
    /// The meaning of a piece of text, so that colours are chosen in one place.
    package enum Role: String, Sendable {
        case good = "32"
        case bad = "31"
        case unsure = "33"
        case quiet = "2"
        case heading = "1"
        case alarm = "1;31"
    }

    private let isColoured: Bool
    /// The most characters of a line; `nil` for any number.
    package private(set) var width: Int?

    package static let plain = Palette(isColoured: false)
    package static let ansi = Palette(isColoured: true)

    /// The same for lines of at most `width` characters.
    package func fitting(_ width: Int?) -> Palette {
        var palette = self
        palette.width = width
        return palette
    }

    /// Colours only on a terminal that has them, and never with `NO_COLOR` (no-color.org: any value but an empty one).
    package static func chosen(isTerminal: Bool, environment: [String: String]) -> Palette {
        let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return isTerminal && !isUnwanted && environment["TERM"] != "dumb" ? .ansi : .plain
    }

    package func paint(_ text: String, _ role: Role) -> String {
        isColoured ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
    }
}

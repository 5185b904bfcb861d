import CommandLineSupport
import Foundation
import Logging
import OfferModel
import Synchronization

/// A clock that a test sets: the milliseconds since 1970 that a file holds, read each time (docs/design.md#time).
final class ClockFile: Sendable {
    private struct State {
        var last: Instant
        var isLost = false
    }

    private let path: String
    private let logger: Logger
    private let state: Mutex<State>

    init(path: String, logger: Logger) throws {
        let text = try InputFile.text(path, "clock file")
        guard let now = Self.instant(text) else {
            throw CommandFailure(
                .usage, "clock file `\(path)` holds no time",
                hints: ["write the milliseconds since 1970 in digits, such as `1767225600000`"])
        }
        self.path = path
        self.logger = logger
        state = Mutex(State(last: now))
    }

    /// The time in the file; while it cannot be read or holds none, the time it held last.
    ///
    /// The file may be read while it is being written, so one bad read ends nothing. The log
    /// says once when the file is lost and once when it is found.
    var now: Instant {
        let read = FileManager.default.contents(atPath: path).flatMap { data in
            String(validating: data, as: UTF8.self).flatMap(Self.instant)
        }
        let (now, isNews) = state.withLock { state in
            let isNews = state.isLost == (read != nil)
            state.isLost = read == nil
            if let read { state.last = read }
            return (state.last, isNews)
        }
        if isNews, read == nil {
            logger.warning(
                "the clock file has no valid time; the last one read stays in use", metadata: ["path": "\(path)"])
        } else if isNews {
            logger.info("the clock file holds a time again", metadata: ["path": "\(path)"])
        }
        return now
    }

    /// Digits, and white space around them; a time that no calendar can write is none.
    private static func instant(_ text: String) -> Instant? {
        let digits = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let milliseconds = Int64(digits), milliseconds <= lastOfCalendar
        else { return nil }
        return Instant(milliseconds: milliseconds)
    }

    private static let lastOfCalendar: Int64 = 253_402_300_799_999
}

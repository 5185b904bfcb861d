import CommandLineSupport
import Foundation
import OfferDocuments

/// A server's output: its log on standard error, its listen address on standard output.
///
/// Neither waits for a reader, also where both are one pipe: not a request, nor the start, nor the end.
struct ServerOutput: Sendable {
    let log: LogLines
    private let announcements = LogLines(to: STDOUT_FILENO)

    init(_ format: LogFormat) {
        log = LogLines(format, to: STDERR_FILENO)
    }

    func announce(_ line: String) {
        announcements.add(Array("\(line)\n".utf8), isUrgent: true)
    }

    /// Runs a body, and returns once all lines are written, or shortly after it where their reader has stalled.
    ///
    /// - Throws: what the body throws; without words if standard error is blocked, because writing them would block.
    func whileRunning(_ body: () async throws -> Void) async throws {
        do {
            try await body()
            flush()
        } catch {
            guard flush(), LogLines.takesMore(STDERR_FILENO, within: 0) else {
                throw CommandFailure(CommandFailure.words(error)?.status ?? .failed, lines: [])
            }
            throw error
        }
    }

    @discardableResult
    private func flush() -> Bool {
        let deadline = DispatchTime.now() + LogLines.patience
        announcements.flush(by: deadline)
        return log.flush(by: deadline)
    }
}

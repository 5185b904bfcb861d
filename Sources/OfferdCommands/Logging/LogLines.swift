import Foundation
import Synchronization

/// Lines on their way to standard error, gathered so that a busy server writes many at once.
///
/// A line waits a twentieth of a second at most. What somebody must act on goes out at once, with all that was said
/// before it. A process that is killed loses the lines of that moment, never a recorded offer.
final class LogLines: Sendable {
    /// Standard error.
    static let standardError: LogLines = {
        let output = LogOutput(descriptor: STDERR_FILENO)
        return LogLines { output.write($0) }
    }()

    /// From how many bytes on a line waits no longer. Whoever says so much to a reader that is slow waits for it.
    private static let most = 32 * 1_024
    private static let patience = DispatchTimeInterval.milliseconds(50)

    private struct State {
        var waiting: [UInt8] = []
        var isFlushDue = false
    }

    private let state = Mutex(State())
    /// Held while lines are written, so that they stay in their order.
    private let turn = Mutex(())
    private let write: @Sendable ([UInt8]) -> Void

    init(write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    /// Adds a line; one that is urgent is written before this returns.
    func add(_ line: String, isUrgent: Bool) {
        let (isFull, startsWaiting) = state.withLock { state in
            state.waiting.append(contentsOf: line.utf8)
            let startsWaiting = !state.isFlushDue
            state.isFlushDue = true
            return (state.waiting.count >= Self.most, startsWaiting)
        }
        if isUrgent || isFull { flush() }
        if startsWaiting {
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.patience) {
                self.state.withLock { $0.isFlushDue = false }
                self.flush()
            }
        }
    }

    /// Writes what waits.
    func flush() {
        turn.withLock { _ in
            let lines = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            if !lines.isEmpty { write(lines) }
        }
    }
}

import CommandLineSupport
import Foundation
import OfferDocuments
import OfferModel
import Synchronization

/// Lines on their way to standard error, gathered so that a busy server writes many at once.
///
/// A line waits a twentieth of a second at most. Warnings and errors are written at once, with all lines
/// before them. A process that is killed loses the lines of that moment, never a recorded offer.
final class LogLines: Sendable {
    static func standardError(_ format: LogFormat) -> LogLines {
        let output = LogOutput(descriptor: STDERR_FILENO, format: format)
        return LogLines(format) { output.write($0) }
    }

    /// From this many bytes on a line is written at once; with a slow reader the caller waits for it.
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
    let format: LogFormat

    init(_ format: LogFormat = .text, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.format = format
        self.write = write
    }

    /// Adds a line; one that is urgent is written before this returns.
    func add(_ line: some Sequence<UInt8> & Sendable, isUrgent: Bool) {
        let (isFull, startsWaiting) = state.withLock { state in
            state.waiting.append(contentsOf: line)
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

/// Writes lines of the log to a descriptor, which the parent process may have made non-blocking.
///
/// Lines wait a bounded time for their reader. What is lost then is reported as soon as the reader is back. Until then,
/// and for five times as long as they have waited, nothing waits any more: a reader that is gone or slow must not hold
/// up each write, as the caller may be answering requests.
final class LogOutput: Sendable {
    private struct Loss {
        var lines = 0
        var isCut = false
        var calm = ContinuousClock.now
    }

    private let descriptor: Int32
    private let patience: Duration
    private let format: LogFormat
    private let loss = Mutex(Loss())

    init(descriptor: Int32, patience: Duration = .seconds(2), format: LogFormat = .text) {
        self.descriptor = descriptor
        self.patience = patience
        self.format = format
    }

    func write(_ lines: [UInt8]) {
        loss.withLock { loss in
            var bytes = lines
            if loss.lines > 0 {
                bytes = Array("\(loss.isCut ? "\n" : "")\(notice(of: loss.lines))".utf8) + lines
            }
            let mayWait = loss.lines == 0 && ContinuousClock.now >= loss.calm
            let rest = put(bytes, patience: mayWait ? patience : .zero)
            guard !rest.isEmpty else { return (loss.lines, loss.isCut) = (0, false) }
            loss.calm = ContinuousClock.now + patience * 5
            // The rest may begin within the notice, which then counts as a line: what it reported is lost once more.
            let isNew = rest.count <= lines.count
            loss.lines = (isNew ? 0 : loss.lines) + rest.suffix(lines.count).count { $0 == 0x0A }
            if rest.count < bytes.count { loss.isCut = bytes[rest.startIndex - 1] != 0x0A }
        }
    }

    private func notice(of lines: Int) -> String {
        let words = "\(lines) \(lines == 1 ? "line" : "lines") of the log were lost: standard error was not read"
        return switch format {
        case .text: "offerd: \(words)\n"
        case .json:
            #"{"label":"offerd","level":"error","message":"\#(words)","metadata":{},"source":"OfferdCommands","ts":"\#(Instant.wallClock)"}"#
                + "\n"
        }
    }

    private func put(_ bytes: [UInt8], patience: Duration) -> ArraySlice<UInt8> {
        let end = ContinuousClock.now + patience
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: guard waitForRoom(until: end) else { return rest }
            // There is nowhere to report that the log is gone.
            default: return rest
            }
        }
        return rest
    }

    /// - Returns: whether there may be room now; `false` when the time is over.
    private func waitForRoom(until end: ContinuousClock.Instant) -> Bool {
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { return false }
        let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&waiting, 1, Int32(clamping: milliseconds + 1)) != 0
    }
}

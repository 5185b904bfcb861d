import Foundation
import Synchronization

/// Where lines of the log are written to, also if it takes no more for the moment: whoever has started the process may
/// have made it non-blocking.
///
/// Lines wait a bounded time for their reader. What is lost then is told as soon as the reader is back. Until then, and for
/// five times as long as they have waited, nothing waits any more: a reader that is gone or slow must not hold up each
/// write, as whoever logs may be answering requests.
final class LogOutput: Sendable {
    private struct Loss {
        var lines = 0
        /// Whether half a line was written.
        var isCut = false
        /// Until when nothing waits.
        var calm = ContinuousClock.now
    }

    private let descriptor: Int32
    private let patience: Duration
    private let loss = Mutex(Loss())

    /// - Parameter patience: how long lines wait for room.
    init(descriptor: Int32, patience: Duration = .seconds(2)) {
        self.descriptor = descriptor
        self.patience = patience
    }

    /// Writes lines.
    func write(_ lines: [UInt8]) {
        loss.withLock { loss in
            var bytes = lines
            if loss.lines > 0 {
                bytes = Array("\(loss.isCut ? "\n" : "")\(Self.notice(of: loss.lines))".utf8) + lines
            }
            let mayWait = loss.lines == 0 && ContinuousClock.now >= loss.calm
            let rest = put(bytes, patience: mayWait ? patience : .zero)
            guard !rest.isEmpty else { return (loss.lines, loss.isCut) = (0, false) }
            loss.calm = ContinuousClock.now + patience * 5
            // The rest may begin within the notice, which then counts as a line: what it told of is lost once more.
            let isNew = rest.count <= lines.count
            loss.lines = (isNew ? 0 : loss.lines) + rest.suffix(lines.count).count { $0 == 0x0A }
            if rest.count < bytes.count { loss.isCut = bytes[rest.startIndex - 1] != 0x0A }
        }
    }

    private static func notice(of lines: Int) -> String {
        "offerd: \(lines) \(lines == 1 ? "line" : "lines") of the log were lost: nobody took them from standard error\n"
    }

    /// - Returns: what could not be written.
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
            // Nobody could be told that the log is gone.
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

import CommandLineSupport
import Foundation
import OfferDocuments
import OfferModel
import Synchronization

/// Lines on their way to a descriptor, gathered so that a busy server writes many at once.
///
/// No caller waits for a reader: lines wait in a bounded queue and are written on a thread of their own.
/// If the reader stalls, that thread alone waits in `write`. Lines that do not fit into the queue are dropped and
/// counted; the next line that is written tells how many. The descriptor is left in the mode that it has, because other
/// processes may share it.
///
/// A line waits a twentieth of a second at most for others; warnings and errors are written at once, with all lines
/// before them. A process that is killed loses the lines of that moment, never a recorded offer.
final class LogLines: Sendable {
    /// How many bytes wait at most, beside those that are being written: two seconds of a busy server.
    static let most = 1_024 * 1_024
    /// From this many bytes on lines are written at once.
    private static let many = 32 * 1_024
    private static let delay = DispatchTimeInterval.milliseconds(50)
    /// How long the end of the process waits for the readers of its lines.
    static let patience = DispatchTimeInterval.seconds(2)

    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        /// How many did not fit since the queue was last emptied.
        var untold = 0
        var isWriteDue = false
        var isWriteDueNow = false
    }

    private struct Reader {
        /// How many lines the descriptor has refused since it last took one.
        var lost = 0
        /// Whether the last byte that it took is within a line.
        var isCut = false
    }

    private enum Turn {
        case now, soon
    }

    private let state = Mutex(State())
    /// A serial queue, to which Dispatch gives a thread beyond those that all tasks share.
    private let queue = DispatchQueue(label: "offerd.lines")
    /// Used on the queue alone.
    private let reader = Mutex(Reader())
    private let write: @Sendable ([UInt8]) -> ArraySlice<UInt8>
    let format: LogFormat

    /// - Parameter write: writes bytes, for as long as it takes, and gives back those at the end that it could not.
    init(_ format: LogFormat = .text, write: @escaping @Sendable ([UInt8]) -> ArraySlice<UInt8>) {
        self.format = format
        self.write = write
    }

    convenience init(_ format: LogFormat = .text, to descriptor: Int32) {
        self.init(format) { LogLines.put($0, to: descriptor) }
    }

    /// How many lines were not written, because they did not fit or because the descriptor failed.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Adds a line, and returns without waiting for anything.
    func add(_ line: some Collection<UInt8> & Sendable, isUrgent: Bool) {
        let turn: Turn? = state.withLock { state in
            // After one that did not fit none does, so that what is missing is in one place.
            let fits = state.untold == 0 && state.waiting.count + line.count <= Self.most
            if fits {
                state.waiting.append(contentsOf: line)
            } else {
                state.dropped += 1
                state.untold += 1
            }
            if isUrgent || !fits || state.waiting.count >= Self.many {
                defer { state.isWriteDueNow = true }
                return state.isWriteDueNow ? nil : .now
            }
            defer { state.isWriteDue = true }
            return state.isWriteDue ? nil : .soon
        }
        switch turn {
        case .now: queue.async { self.writeWaiting { $0.isWriteDueNow = false } }
        case .soon: queue.asyncAfter(deadline: .now() + Self.delay) { self.writeWaiting { $0.isWriteDue = false } }
        case nil: break
        }
    }

    /// Writes what waits.
    ///
    /// - Parameter deadline: when to return even though the reader has stalled.
    /// - Returns: whether all of it was taken.
    @discardableResult
    func flush(by deadline: DispatchTime = .now() + LogLines.patience) -> Bool {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async {
            self.writeWaiting { _ in }
            isWritten.signal()
        }
        return isWritten.wait(timeout: deadline) == .success
    }

    private func writeWaiting(_ note: (inout State) -> Void) {
        let (lines, dropped) = state.withLock { state in
            note(&state)
            defer { (state.waiting, state.untold) = ([], 0) }
            return (state.waiting, state.untold)
        }
        guard !lines.isEmpty || dropped > 0 else { return }
        reader.withLock { reader in
            // What was lost came before all that waited, and what was dropped after it.
            let head = (reader.isCut ? "\n" : "") + (reader.lost > 0 ? notice(of: reader.lost) : "")
            let tail = dropped > 0 ? notice(of: dropped) : ""
            let bytes = head.isEmpty && tail.isEmpty ? lines : Array(head.utf8) + lines + Array(tail.utf8)
            let rest = write(bytes)
            if rest.count < bytes.count { reader.isCut = bytes[bytes.count - rest.count - 1] != UInt8(ascii: "\n") }
            if rest.count <= lines.count + tail.utf8.count { reader.lost = 0 }
            guard !rest.isEmpty else { return }
            // A notice that did not get through is given again.
            let lost = rest.dropLast(tail.utf8.count).suffix(lines.count).count { $0 == UInt8(ascii: "\n") }
            reader.lost += lost + dropped
            state.withLock { $0.dropped += lost }
        }
    }

    private func notice(of lines: Int) -> String {
        let subject = lines == 1 ? "line of the log was" : "lines of the log were"
        let words = "\(lines) \(subject) dropped: the reader took no more"
        return switch format {
        case .text: "offerd: \(words)\n"
        case .json:
            #"{"label":"offerd","level":"error","message":"\#(words)","metadata":{},"source":"OfferdCommands","ts":"\#(Instant.wallClock)"}"#
                + "\n"
        }
    }

    /// Writes to a descriptor, and waits for its reader as long as it takes.
    ///
    /// - Returns: what could not be written: nothing, unless the reader is gone or the descriptor fails.
    private static func put(_ bytes: [UInt8], to descriptor: Int32) -> ArraySlice<UInt8> {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: takesMore(descriptor, within: -1)
            // There is nowhere to report that the log is gone.
            default: return rest
            }
        }
        return rest
    }

    /// Whether a write of up to a page would not wait for the reader.
    ///
    /// - Parameter milliseconds: how long to wait for that; negative for as long as it takes.
    @discardableResult
    static func takesMore(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&waiting, 1, milliseconds) == 1
    }
}

import Foundation
import Logging
import Synchronization

/// Writes each event as one line: time, level, label, metadata by name, source, message; as swift-log's own handler for
/// standard error does, but without a look for the time zone and a call to the system for each line.
struct LineLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadataProvider: Logger.MetadataProvider?
    /// Few, so a list is both smaller and faster than a dictionary, and it stays sorted.
    private var own: [(name: String, value: Logger.MetadataValue)] = []
    private let label: String
    private let lines: LogLines

    init(label: String, lines: LogLines = .standardError) {
        self.label = label
        self.lines = lines
    }

    var metadata: Logger.Metadata {
        get { Dictionary(own.map { ($0.name, $0.value) }) { $1 } }
        set { own = newValue.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name } }
    }

    subscript(metadataKey name: String) -> Logger.MetadataValue? {
        get { own.first { $0.name == name }?.value }
        set { Self.set(name, newValue, in: &own) }
    }

    func log(event: LogEvent) {
        var members = own
        for given in [metadataProvider?.get(), event.metadata] {
            for (name, value) in given ?? [:] { Self.set(name, value, in: &members) }
        }
        var line = "\(LogTime.now()) \(event.level.rawValue) \(label):"
        line.reserveCapacity(256)
        for (name, value) in members {
            line += " "
            line += name
            line += "="
            if case .string(let text) = value { line += text } else { line += value.description }
        }
        line += " [\(event.source)] \(event.message)\n"
        lines.add(line, isUrgent: event.level >= .warning)
    }

    private static func set(
        _ name: String, _ value: Logger.MetadataValue?, in members: inout [(name: String, value: Logger.MetadataValue)]
    ) {
        let place = members.firstIndex { name <= $0.name } ?? members.endIndex
        let isThere = place < members.endIndex && members[place].name == name
        switch (value, isThere) {
        case (let value?, true): members[place].value = value
        case (let value?, false): members.insert((name: name, value: value), at: place)
        case (nil, true): members.remove(at: place)
        case (nil, false): break
        }
    }
}

/// The time at the beginning of a line, formatted once a second.
private enum LogTime {
    private static let last = Mutex<(second: time_t, text: String)>((0, ""))

    static func now() -> String {
        let second = time(nil)
        return last.withLock { last in
            if last.second != second { last = (second, text(second)) }
            return last.text
        }
    }

    private static func text(_ second: time_t) -> String {
        var second = second
        var parts = tm()
        guard localtime_r(&second, &parts) != nil else { return "<unknown>" }
        var buffer = [CChar](repeating: 0, count: 32)
        let length = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S%z", &parts)
        return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Lines on their way to standard error, gathered so that a busy server writes many at once.
///
/// A line waits a twentieth of a second at most. Warnings and errors are written at once, with all lines
/// before them. A process that is killed loses the lines of that moment, never a recorded offer.
final class LogLines: Sendable {
    static let standardError: LogLines = {
        let output = LogOutput(descriptor: STDERR_FILENO)
        return LogLines { output.write($0) }
    }()

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
/// Lines wait a bounded time for their reader. What is lost then is reported as soon as the reader is back. Until then, and for
/// five times as long as they have waited, nothing waits any more: a reader that is gone or slow must not hold up each
/// write, as the caller may be answering requests.
final class LogOutput: Sendable {
    private struct Loss {
        var lines = 0
        var isCut = false
        var calm = ContinuousClock.now
    }

    private let descriptor: Int32
    private let patience: Duration
    private let loss = Mutex(Loss())

    init(descriptor: Int32, patience: Duration = .seconds(2)) {
        self.descriptor = descriptor
        self.patience = patience
    }

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
            // The rest may begin within the notice, which then counts as a line: what it reported is lost once more.
            let isNew = rest.count <= lines.count
            loss.lines = (isNew ? 0 : loss.lines) + rest.suffix(lines.count).count { $0 == 0x0A }
            if rest.count < bytes.count { loss.isCut = bytes[rest.startIndex - 1] != 0x0A }
        }
    }

    private static func notice(of lines: Int) -> String {
        "offerd: \(lines) \(lines == 1 ? "line" : "lines") of the log were lost: standard error was not read\n"
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

import Logging
import Synchronization

/// The lines of a log kept in memory.
final class CapturedLog: Sendable {
    private let kept = Mutex([String]())

    var lines: [String] { kept.withLock { $0 } }

    func add(_ line: String) {
        kept.withLock { $0.append(line) }
    }
}

/// Writes to a ``CapturedLog``, metadata sorted.
struct CapturedLogHandler: LogHandler {
    let log: CapturedLog
    var logLevel = Logger.Level.debug
    var metadata = Logger.Metadata()

    init(_ log: CapturedLog) {
        self.log = log
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        log.add(
            "\(event.level) \(event.message) " + all.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " "))
    }
}

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
        get { Dictionary(uniqueKeysWithValues: own.map { ($0.name, $0.value) }) }
        set { own = newValue.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name } }
    }

    subscript(metadataKey name: String) -> Logger.MetadataValue? {
        get { own.first { $0.name == name }?.value }
        set {
            own.removeAll { $0.name == name }
            guard let newValue else { return }
            let place = own.firstIndex { name < $0.name } ?? own.endIndex
            own.insert((name: name, value: newValue), at: place)
        }
    }

    func log(event: LogEvent) {
        var members = own
        let given = (metadataProvider?.get() ?? [:]).merging(event.metadata ?? [:]) { _, last in last }
        if !given.isEmpty {
            members.removeAll { given[$0.name] != nil }
            members += given.map { (name: $0.key, value: $0.value) }
            members.sort { $0.name < $1.name }
        }
        var line = "\(LogTime.now()) \(event.level) \(label):"
        for (name, value) in members { line += " \(name)=\(value)" }
        line += " [\(event.source)] \(event.message)\n"
        lines.add(line, isUrgent: event.level >= .warning)
    }
}

/// The time as a line begins with it, written once a second.
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

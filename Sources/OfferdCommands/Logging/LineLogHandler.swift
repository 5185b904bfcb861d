import CommandLineSupport
import Foundation
import JSON
import Logging
import OfferDocuments
import OfferModel
import Synchronization

/// Writes each event as one line. As text: time, level, label, metadata by name, source, message, as swift-log's own
/// handler for standard error does, but without a look for the time zone and a call to the system for each line. As
/// JSON: one object (docs/monitoring.md#logs).
struct LineLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadataProvider: Logger.MetadataProvider?
    /// Values as text, from when they are set, sorted by name. They are few, so a list is smaller and faster than a
    /// dictionary.
    private var own: [Member] = []
    private let label: String
    private let lines: LogLines

    private typealias Member = (name: String, text: String)

    init(label: String, lines: LogLines) {
        self.label = label
        self.lines = lines
    }

    var metadata: Logger.Metadata {
        get { Dictionary(own.map { ($0.name, .string($0.text)) }) { $1 } }
        set { own = newValue.map { ($0.key, $0.value.description) }.sorted { $0.name < $1.name } }
    }

    subscript(metadataKey name: String) -> Logger.MetadataValue? {
        get { own.first { $0.name == name }.map { .string($0.text) } }
        set { Self.set(name, newValue?.description, in: &own) }
    }

    func log(event: LogEvent) {
        var members = own
        for given in [metadataProvider?.get(), event.metadata] {
            for (name, value) in given ?? [:] { Self.set(name, value.description, in: &members) }
        }
        let isUrgent = event.level >= .warning
        if lines.format == .json { return lines.add(json(event, members), isUrgent: isUrgent) }
        var line = [UInt8]()
        line.reserveCapacity(512)
        line += "\(LogTime.now()) \(event.level.rawValue) \(label):".utf8
        for (name, text) in members {
            line.append(UInt8(ascii: " "))
            line += name.utf8
            line.append(UInt8(ascii: "="))
            line += text.utf8
        }
        line += " [\(event.source)] \(event.message)\n".utf8
        lines.add(line, isUrgent: isUrgent)
    }

    private func json(_ event: LogEvent, _ members: [Member]) -> [UInt8] {
        var metadata = JSONWriter.beginObject(.visible)
        for (name, text) in members {
            metadata.name(name)
            metadata.text(text)
        }
        var json = JSONWriter.beginObject(.visible)
        json.member("label", label)
        json.member("level", event.level.rawValue)
        json.member("message", "\(event.message)")
        json.member("metadata", object: metadata.endObject())
        json.member("source", event.source)
        json.member("ts", "\(Instant.wallClock)")
        return json.endObject() + [UInt8(ascii: "\n")]
    }

    private static func set(_ name: String, _ text: String?, in members: inout [Member]) {
        var place = members.startIndex
        while place < members.endIndex, members[place].name < name { place += 1 }
        let isThere = place < members.endIndex && members[place].name == name
        switch (text, isThere) {
        case (let text?, true): members[place].text = text
        case (let text?, false): members.insert((name, text), at: place)
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

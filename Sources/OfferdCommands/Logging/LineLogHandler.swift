import CommandLineSupport
import Foundation
import JSON
import Logging
import OfferDocuments
import OfferModel
import Synchronization

/// Writes each event as one line (docs/monitoring.md#logs). As text: time, level, label, source, message, and metadata
/// by name. As JSON: one object.
struct LineLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadataProvider: Logger.MetadataProvider?
    /// Values as text, from when they are set, sorted by name. They are few, so a list is smaller and faster than a
    /// dictionary.
    private var own: [Member] = []
    private let label: String
    private let lines: LogLines

    private struct Member {
        let name: String
        let text: String
        /// What JSON has instead of the text.
        let number: Int64?

        var value: Logger.MetadataValue { number.map { .stringConvertible($0) } ?? .string(text) }

        init(_ name: String, _ value: Logger.MetadataValue) {
            (self.name, text) = (name, value.description)
            guard case .stringConvertible(let value) = value else {
                number = nil
                return
            }
            number = value as? Int64 ?? (value as? Int).map { Int64(clamping: $0) }
        }
    }

    init(label: String, lines: LogLines) {
        self.label = label
        self.lines = lines
    }

    var metadata: Logger.Metadata {
        get { Dictionary(own.map { ($0.name, $0.value) }) { $1 } }
        set { own = newValue.map { Member($0.key, $0.value) }.sorted { $0.name < $1.name } }
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
        let isUrgent = event.level >= .warning
        if lines.format == .json { return lines.add(json(event, members), isUrgent: isUrgent) }
        var line = [UInt8]()
        line.reserveCapacity(512)
        line += "\(LogTime.now()) \(event.level.rawValue) \(label): [\(event.source)] \(event.message)".utf8
        for member in members {
            line.append(UInt8(ascii: " "))
            line += member.name.utf8
            line.append(UInt8(ascii: "="))
            line += member.text.utf8
        }
        line.append(UInt8(ascii: "\n"))
        lines.add(line, isUrgent: isUrgent)
    }

    private func json(_ event: LogEvent, _ members: [Member]) -> [UInt8] {
        var metadata = JSONWriter.beginObject(.visible)
        for member in members {
            metadata.name(member.name)
            if let number = member.number { metadata.integer(number) } else { metadata.text(member.text) }
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

    private static func set(_ name: String, _ value: Logger.MetadataValue?, in members: inout [Member]) {
        var place = members.startIndex
        while place < members.endIndex, members[place].name < name { place += 1 }
        let isThere = place < members.endIndex && members[place].name == name
        switch (value, isThere) {
        case (let value?, true): members[place] = Member(name, value)
        case (let value?, false): members.insert(Member(name, value), at: place)
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

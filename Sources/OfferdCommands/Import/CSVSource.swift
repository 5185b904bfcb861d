import CommandLineSupport
import OfferApplication
import OfferDocuments
import OfferModel

final class CSVSource: ImportSource {
    private let file: LineFile
    private let reader: PurchaseReader
    private let mapping: any ColumnMapping
    private let header: CSVHeader
    private let firstRecord: Int64

    /// Reads the header.
    ///
    /// - Parameter ignored: columns that mean nothing.
    init(_ file: LineFile, mapping: any ColumnMapping, reader: PurchaseReader, ignored: Set<String>) throws {
        self.file = file
        self.reader = reader
        self.mapping = mapping
        guard let line = try file.next(), !line.isTooLong else {
            throw CommandFailure(.usage, "`\(file.path)` has no header that can be read")
        }
        header = try CSVHeader(line.bytes, of: file.path, mapping: mapping, ignored: ignored)
        firstRecord = line.end
    }

    var size: Int64 { file.size }

    func resume(at position: Int64, after lines: Int64) throws {
        try file.seek(to: max(position, firstRecord))
    }

    func next() throws -> ImportLine? {
        while let line = try file.next() {
            if line.bytes.isEmpty, !line.isTooLong { continue }
            return try record(beginning: line)
        }
        return nil
    }

    private func record(beginning line: LineFile.Line) throws -> ImportLine {
        guard !line.isTooLong else {
            return refused(line, .tooLong, "the line has more than \(file.longestLine) bytes")
        }
        var bytes = line.bytes
        var end = line.end
        var isWhole = CSVRecord.isWhole(bytes)
        while !isWhole {
            let following = bytes.count < Self.longestRecord ? try file.next() : nil
            guard let following, !following.isTooLong else {
                // Only this line is lost: what follows may be whole again.
                try file.seek(to: line.end, after: line.number)
                return refused(line, .malformed, "a quoted field does not end within \(Self.longestRecord) bytes")
            }
            // Two halves make a whole, and what is whole does not change that.
            isWhole = !CSVRecord.isWhole(following.bytes)
            bytes.append(0x0A)
            bytes += following.bytes
            end = following.end
        }
        do throws(ImportRefusal) {
            let row = try header.row(of: try CSVRecord.fields(bytes))
            return ImportLine(
                number: line.number, end: end, content: .success(try reader.read(try mapping.purchase(row))))
        } catch {
            if end > line.end, error.reason == .malformed {
                try file.seek(to: line.end, after: line.number)
                end = line.end
            }
            return ImportLine(number: line.number, end: end, content: .failure(error))
        }
    }

    private func refused(_ line: LineFile.Line, _ reason: ImportRefusal.Reason, _ detail: String) -> ImportLine {
        ImportLine(number: line.number, end: line.end, content: .failure(ImportRefusal(reason, detail)))
    }

    /// No purchase is longer; a quote that is never closed must not swallow the file.
    private static let longestRecord = 65_536
}

struct CSVHeader {
    private let places: [String: Int]
    private let names: [String: String]
    private let count: Int

    init(_ bytes: [UInt8], of path: String, mapping: any ColumnMapping, ignored: Set<String>) throws {
        let names: [String]
        do throws(ImportRefusal) {
            names = try CSVRecord.fields(bytes)
        } catch {
            throw CommandFailure(.usage, "the header of `\(path)` cannot be read: \(error.detail)")
        }
        if names.count == 1, let name = names.first, name.contains(";") || name.contains("\t") {
            throw CommandFailure(
                .usage, "the columns of `\(path)` are not separated by commas", hints: ["export it with commas"])
        }
        var places: [String: Int] = [:]
        var synonyms: [String: String] = [:]
        for (place, name) in names.enumerated() where !ignored.contains(name) {
            let column = mapping.synonyms[name] ?? name
            guard mapping.columns.contains(column) else { throw Self.unknown(name, of: path, mapping) }
            if let other = places.updateValue(place, forKey: column).map({ names[$0] }) {
                guard other != name else { throw CommandFailure(.usage, "`\(path)` has the column `\(name)` twice") }
                throw CommandFailure(
                    .usage, "the columns `\(other)` and `\(name)` of `\(path)` mean the same",
                    hints: ["pass one over with `--ignore-column \(name)`"])
            }
            if column != name { synonyms[column] = name }
        }
        for name in mapping.needed where places[name] == nil {
            throw CommandFailure(
                .usage, "`\(path)` has no column `\(name)`", hints: ["docs/import.md has the columns of every mapping"])
        }
        self.places = places
        self.names = synonyms
        count = names.count
    }

    private static func unknown(_ name: String, of path: String, _ mapping: any ColumnMapping) -> CommandFailure {
        let guess = Suggestion.nearest(to: name, among: mapping.columns + mapping.synonyms.keys.sorted()).map {
            "did you mean `\($0)`?"
        }
        return CommandFailure(
            .usage, "`\(path)` has a column `\(name)` that is not known",
            hints: (guess.map { [$0] } ?? []) + [
                "docs/import.md has the columns of every mapping; pass one over with `--ignore-column \(name)`"
            ])
    }

    func row(of fields: [String]) throws(ImportRefusal) -> CSVRow {
        guard fields.count == count else {
            throw ImportRefusal(.malformed, "the line has \(fields.count) fields and the header \(count)")
        }
        return CSVRow(places: places, names: names, fields: fields)
    }
}

/// Purchases as JSON Lines; blank lines are ignored.
final class JSONLinesSource: ImportSource {
    private let file: LineFile
    private let reader: PurchaseReader

    init(_ file: LineFile, reader: PurchaseReader) throws {
        self.file = file
        self.reader = reader
        if let first = try file.next(), first.bytes.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "[") {
            throw CommandFailure(
                .usage, "`\(file.path)` is a JSON array and not JSON Lines",
                hints: ["write one object a line: `jq -c '.[]' \(file.path) > lines.jsonl`"])
        }
        try file.seek(to: 0, after: 0)
    }

    var size: Int64 { file.size }

    func resume(at position: Int64, after lines: Int64) throws {
        try file.seek(to: position)
    }

    func next() throws -> ImportLine? {
        while let line = try file.next() {
            let isBlank = line.bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            if isBlank, !line.isTooLong { continue }
            return ImportLine(number: line.number, end: line.end, content: content(of: line))
        }
        return nil
    }

    private func content(of line: LineFile.Line) -> Result<ImportedHistory, ImportRefusal> {
        guard !line.isTooLong else {
            return .failure(ImportRefusal(.tooLong, "the line has more than \(file.longestLine) bytes"))
        }
        do throws(ImportRefusal) {
            return .success(try reader.read(line.bytes))
        } catch {
            return .failure(error)
        }
    }
}

import CommandLineSupport
import OfferApplication
import OfferDocuments
import OfferModel

final class CSVSource: ImportSource {
    private let records: CSVRecords
    private let reader: PurchaseReader
    private let mapping: any ColumnMapping
    private let header: CSVHeader
    private let firstRecord: Int64

    init(_ file: LineFile, mapping: any ColumnMapping, reader: PurchaseReader, ignored: Set<String>) throws {
        records = CSVRecords(file)
        self.reader = reader
        self.mapping = mapping
        var record = try records.next()
        if let first = record, CSVHeader.namesDelimiter(first.bytes) { record = try records.next() }
        guard let record else { throw CommandFailure(.usage, "`\(file.path)` has no header") }
        if let refusal = record.refusal {
            throw CommandFailure(.usage, "the header of `\(file.path)` cannot be read: \(refusal.detail)")
        }
        header = try CSVHeader(record.bytes, of: file.path, mapping: mapping, ignored: ignored)
        firstRecord = record.end
    }

    var size: Int64 { records.file.size }

    var notices: [String] { header.notices }

    func resume(at position: Int64, after lines: Int64) throws {
        try records.resume(at: max(position, firstRecord))
    }

    func next() throws -> ImportLine? {
        while let record = try records.next() {
            if let refusal = record.refusal { return refused(record, refusal) }
            if let line = line(of: record) { return line }
        }
        return nil
    }

    /// `nil` for a record of empty fields, with which spreadsheets end a file.
    private func line(of record: CSVRecords.Record) -> ImportLine? {
        do throws(ImportRefusal) {
            let fields = try CSVRecord.fields(record.bytes, by: header.columns.delimiter)
            if fields.count > 1, fields.allSatisfy(\.isEmpty) { return nil }
            let purchase = try mapping.purchase(try header.row(of: fields))
            return ImportLine(
                number: record.first.number, end: record.end, content: .success(try reader.read(purchase)))
        } catch {
            // Only the first line is lost: what follows may be whole.
            return refused(error.reason == .malformed ? records.split(record) : record, error)
        }
    }

    private func refused(_ record: CSVRecords.Record, _ refusal: ImportRefusal) -> ImportLine {
        ImportLine(number: record.first.number, end: record.end, content: .failure(refusal))
    }
}

/// The records of a file, each of one line or of several where a quoted field has line breaks.
///
/// Nothing is read twice: lines that were read for a record that turned out not to be one are kept and come next.
final class CSVRecords {
    struct Record {
        var first: LineFile.Line
        /// The lines that it goes on in.
        var following: [LineFile.Line] = []
        var refusal: ImportRefusal?

        var bytes: [UInt8] { following.reduce(into: first.bytes) { $0 += [0x0A] + $1.bytes } }
        var end: Int64 { following.last?.end ?? first.end }
    }

    let file: LineFile
    /// The next one last.
    private var kept: [LineFile.Line] = []

    init(_ file: LineFile) {
        self.file = file
    }

    func resume(at position: Int64) throws {
        kept = []
        try file.seek(to: position)
    }

    /// The next record, without blank lines; `nil` at the end of the file.
    func next() throws -> Record? {
        while let line = try nextLine() {
            if line.bytes.isEmpty, !line.isTooLong { continue }
            return try record(beginning: line)
        }
        return nil
    }

    /// Makes of a record of several lines one of its first line alone: the others may be records.
    func split(_ record: Record) -> Record {
        kept += record.following.reversed()
        return Record(first: record.first)
    }

    private func record(beginning line: LineFile.Line) throws -> Record {
        var record = Record(first: line)
        guard !line.isTooLong else {
            record.refusal = ImportRefusal(.tooLong, "the line has more than \(file.longestLine) bytes")
            return record
        }
        var count = line.bytes.count
        var isWhole = CSVRecord.isWhole(line.bytes)
        while !isWhole {
            let following = count < Self.longest ? try nextLine() : nil
            guard let following else { return unclosed(record) }
            record.following.append(following)
            guard !following.isTooLong else { return unclosed(record) }
            // Two halves make a whole, and what is whole does not change that.
            isWhole = !CSVRecord.isWhole(following.bytes)
            count += following.bytes.count + 1
        }
        return record
    }

    private func unclosed(_ record: Record) -> Record {
        var first = split(record)
        first.refusal = ImportRefusal(.malformed, "a quoted field does not end within \(Self.longest) bytes")
        return first
    }

    private func nextLine() throws -> LineFile.Line? {
        if let line = kept.popLast() { return line }
        return try file.next()
    }

    /// No purchase is longer; a quote that is never closed must not swallow the file.
    private static let longest = 65_536
}

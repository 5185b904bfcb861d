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

    /// Reads the header.
    ///
    /// - Parameter ignored: columns that mean nothing.
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

    /// What is said once of the file, beside its lines.
    var notices: [String] { header.notices(of: records.file.path) }

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

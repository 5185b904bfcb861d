import CommandLineSupport
import OfferApplication
import OfferModel

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
        try file.nextFilled().map { ImportLine(number: $0.number, end: $0.end, content: content(of: $0)) }
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

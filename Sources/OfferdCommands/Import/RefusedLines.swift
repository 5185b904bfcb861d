import CommandLineSupport
import JSON
import OfferSigning
import OfferStore
import SQLiteStore

/// The refused lines: all go into a file if one was named, else the first few to the terminal.
final class RefusedLines {
    private let file: AtomicFile?
    private var first: [RefusedLine] = []
    private var count = 0

    /// Begins the file, which only its owner can read: reasons quote what was in the lines. What was there before stays
    /// until the new one is whole.
    ///
    /// - Parameter inputs: what is imported.
    init(path: String?, inputs: [String]) throws {
        file = try AtomicFile.named(by: "--refused", path, inputs: inputs)
        if isCSV { try file?.write("line,reason,detail\r\n") }
    }

    func add(_ lines: [RefusedLine]) throws {
        count += lines.count
        first += lines.prefix(Self.shown - first.count)
        try file?.write(lines.map { isCSV ? Self.csv($0) : Self.json($0) }.joined())
    }

    func finish() throws {
        try file?.finish()
    }

    func showFirst() {
        guard count > 0, file == nil else { return }
        for line in first { Console.note("line \(line.line): \(line.reason): \(line.detail)") }
        if count > first.count { Console.note("and \(count - first.count) more") }
        Console.note("hint: `--refused FILE` writes all of them to a file")
    }

    private var isCSV: Bool { file?.path.lowercased().hasSuffix(".csv") == true }

    private static let shown = 5

    private static func json(_ line: RefusedLine) -> String {
        var json = JSONWriter.beginObject(.hexadecimal)
        json.member("detail", line.detail)
        json.member("line", line.line)
        json.member("reason", line.reason)
        return String(decoding: json.endObject(), as: UTF8.self) + "\n"
    }

    /// The detail is always quoted: it begins with no sign of a formula, and may hold commas and quotes.
    private static func csv(_ line: RefusedLine) -> String {
        "\(line.line),\(line.reason),\"\(line.detail.replacing("\"", with: "\"\""))\"\r\n"
    }
}

extension AtomicFile {
    /// The file that an option of an import names; `nil` without one.
    ///
    /// - Parameter inputs: what is imported, which is never written over.
    static func named(by option: String, _ path: String?, inputs: [String]) throws -> AtomicFile? {
        guard let path else { return nil }
        if let place = FileIdentity(path: path), inputs.contains(where: { FileIdentity(path: $0) == place }) {
            throw CommandFailure(
                .usage, "`\(option) \(path)` is the file that is imported", hints: ["name another file"])
        }
        removeLeftovers(of: path, except: inputs)
        return try AtomicFile(path: path)
    }
}

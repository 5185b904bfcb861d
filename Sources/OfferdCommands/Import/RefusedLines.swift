import Foundation
import OfferSigning
import OfferStore

/// The lines that were refused: into a file if there is one, and the first few for the terminal.
final class RefusedLines {
    private let path: String?
    private let handle: FileHandle?
    private var first: [RefusedLine] = []
    private var count = 0

    /// Makes the file, which only its owner can read: reasons quote what was in the lines.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be written.
    init(path: String?) throws {
        self.path = path
        guard let path else {
            handle = nil
            return
        }
        let isMade = FileManager.default.createFile(
            atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade, let handle = FileHandle(forWritingAtPath: path) else {
            throw CommandFailure.configuration(
                "`\(path)` cannot be written", hints: ["check that the directory exists and may be written to"])
        }
        self.handle = handle
        if isCSV { try write("line,reason,detail\r\n") }
    }

    deinit { try? handle?.close() }

    func add(_ lines: [RefusedLine]) throws {
        count += lines.count
        first += lines.prefix(Self.shown - first.count)
        guard handle != nil else { return }
        try write(lines.map { isCSV ? Self.csv($0) : Self.json($0) }.joined())
    }

    /// Makes sure that the file is on the disk before the import is closed for good.
    func finish() throws {
        do {
            try handle?.synchronize()
        } catch {
            throw unwritable
        }
    }

    /// Tells the first few to whoever has named no file.
    func showFirst() {
        guard count > 0, path == nil else { return }
        for line in first { Terminal.message("line \(line.line): \(line.reason): \(line.detail)") }
        if count > first.count { Terminal.message("and \(count - first.count) more") }
        Terminal.message("hint: `--refused FILE` writes all of them to a file")
    }

    private var isCSV: Bool { path?.lowercased().hasSuffix(".csv") == true }

    private static let shown = 5

    private func write(_ text: String) throws {
        do {
            try handle?.write(contentsOf: Data(text.utf8))
        } catch {
            throw unwritable
        }
    }

    private var unwritable: CommandFailure {
        .failed("`\(path ?? "")` cannot be written any more", hints: ["free space on its disk, then import again"])
    }

    private static func json(_ line: RefusedLine) -> String {
        var json = JSONObjectWriter()
        json.add("detail", line.detail)
        json.add("line", line.line)
        json.add("reason", line.reason)
        return String(decoding: json.finish(), as: UTF8.self) + "\n"
    }

    /// The detail is always quoted: it begins with no sign of a formula, and may hold commas and quotes.
    private static func csv(_ line: RefusedLine) -> String {
        "\(line.line),\(line.reason),\"\(line.detail.replacing("\"", with: "\"\""))\"\r\n"
    }
}

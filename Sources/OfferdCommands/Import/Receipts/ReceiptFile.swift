import AppStoreData
import Foundation

/// A file with answers of verifyReceipt.
struct ReceiptFile {
    /// How its answers stand in it.
    enum Form {
        /// The whole file is one.
        case whole
        /// Each line is one.
        case lines
    }

    let path: String
    /// What it was when the command began.
    private let version: FileVersion

    /// In bytes.
    var size: Int64 { version.size }

    /// Told by the file's name: an answer as Apple gives it stands on many lines.
    var form: Form { Self.lineExtensions.contains(Self.ending(of: path)) ? .lines : .whole }

    /// Files as they are named, and for a folder those in it that end in `.json`, `.jsonl` or `.ndjson`, by name.
    ///
    /// - Throws: ``CommandFailure`` for what is not there or holds no answers.
    static func all(at paths: [String]) throws -> [ReceiptFile] {
        try paths.flatMap { path in
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
                return [try ReceiptFile(path: path)]
            }
            return try files(in: path)
        }
    }

    private static func files(in folder: String) throws -> [ReceiptFile] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw CommandFailure.configuration("`\(folder)` cannot be read", hints: ["check the folder's permissions"])
        }
        let known = names.filter { lineExtensions.contains(ending(of: $0)) || ending(of: $0) == "json" }.sorted()
        guard !known.isEmpty else {
            throw CommandFailure.configuration(
                "`\(folder)` holds no receipts", hints: ["their names end in .json, .jsonl or .ndjson"])
        }
        return try known.map {
            try ReceiptFile(path: "\(folder.hasSuffix("/") ? String(folder.dropLast()) : folder)/\($0)")
        }
    }

    private init(path: String) throws {
        self.path = path
        version = try LineFile(path: path, what: "receipt", longestLine: ReceiptReader.maximumBytes).version
    }

    /// Opens it at its beginning.
    ///
    /// - Throws: ``CommandFailure`` if it went away or was written to.
    func open() throws -> LineFile {
        let file = try LineFile(path: path, what: "receipt", longestLine: ReceiptReader.maximumBytes)
        guard file.size == size else { throw file.changed(from: size, to: file.size) }
        guard file.version == version else { throw file.rewritten }
        return file
    }

    private static func ending(of path: String) -> String { URL(filePath: path).pathExtension.lowercased() }

    private static let lineExtensions: Set<String> = ["jsonl", "ndjson"]
}

import Foundation

/// Text files named on the command line.
enum TextFile {
    /// Reads a file.
    ///
    /// - Throws: ``CommandFailure`` naming the file and the cause.
    static func read(_ path: String, what: String) throws -> String {
        let url = URL(filePath: path)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw CommandFailure.configuration("there is no \(what) `\(path)`")
        }
        guard !isDirectory.boolValue else {
            throw CommandFailure.configuration("\(what) `\(path)` is a directory")
        }
        guard let data = FileManager.default.contents(atPath: url.path) else {
            throw CommandFailure.configuration(
                "\(what) `\(path)` cannot be read", hints: ["check the file's permissions"])
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure.configuration("\(what) `\(path)` is not UTF-8 text")
        }
        return text
    }

    /// Writes a file, replacing an older one.
    ///
    /// - Throws: ``CommandFailure`` naming the file.
    static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandFailure.failed(
                "`\(path)` cannot be written", hints: ["check that the directory exists and may be written to"])
        }
    }
}

import Foundation

/// A document on disk.
enum FileDocument {
    /// The bytes of a file.
    ///
    /// - Throws: `CommandFailure` with status 2 that says why it cannot be read.
    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw CommandFailure(.usage, "`\(path)` cannot be read: \(reason(error, path))")
        }
    }

    private static func reason(_ error: any Error, _ path: String) -> String {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return "there is no such file"
        }
        if isDirectory.boolValue { return "it is a directory" }
        return (error as? CocoaError)?.code == .fileReadNoPermission
            ? "this user may not read it" : "the file system refused it"
    }
}

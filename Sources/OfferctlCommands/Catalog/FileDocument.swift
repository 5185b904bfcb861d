import Foundation

/// A document on disk, or what a pipe such as `/dev/stdin` or `<(command)` brings.
enum FileDocument {
    /// The bytes of a file, up to its end.
    ///
    /// - Throws: `CommandFailure` with status 2 that says why it cannot be read.
    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        do {
            // Not `Data(contentsOf:)`: it reads as many bytes as the file says it has, and a pipe says none.
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            return Array(try file.readToEnd() ?? Data())
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

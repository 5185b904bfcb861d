import Foundation

/// Files that only their owner may read, and that replace none.
enum NewPrivateFile {
    /// Makes a file that does not exist yet.
    ///
    /// - Throws: ``CommandFailure`` naming the file.
    static func make(_ text: String, at path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? CommandFailure.failed("`\(path)` exists already and is not replaced", hints: ["give it another name"])
                : CommandFailure.failed(
                    "`\(path)` cannot be written", hints: ["check that the directory exists and may be written to"])
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.synchronize()
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw CommandFailure.failed("`\(path)` cannot be written", hints: ["check the room on its disk"])
        }
    }
}

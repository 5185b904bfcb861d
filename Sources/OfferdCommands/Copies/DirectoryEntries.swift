import Foundation

/// The names of files in a directory.
enum DirectoryEntries {
    /// Makes the name of a file survive the loss of power, which the flush of its content does not cover.
    ///
    /// - Throws: ``CommandFailure``.
    static func flush(of path: String) throws {
        try flush(
            URL(filePath: path).deletingLastPathComponent().path, O_DIRECTORY, what: "the name of `\(path)`")
    }

    /// Makes the content of a file survive it.
    ///
    /// - Throws: ``CommandFailure``.
    static func flushContent(of path: String) throws {
        try flush(path, 0, what: "`\(path)`")
    }

    private static func flush(_ path: String, _ flags: Int32, what: String) throws {
        let descriptor = open(path, O_RDONLY | flags | O_CLOEXEC)
        let isFlushed = descriptor >= 0 && fsync(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard isFlushed else {
            throw CommandFailure.failed(
                "\(what) could not be flushed to the disk", hints: ["check the disk, and do it again"])
        }
    }
}

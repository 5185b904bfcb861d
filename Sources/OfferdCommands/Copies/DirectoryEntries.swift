import Foundation

/// The names of files in a directory.
enum DirectoryEntries {
    /// Makes the name of a file survive the loss of power, which the flush of its content does not cover.
    ///
    /// - Throws: ``CommandFailure``.
    static func flush(of path: String) throws {
        let directory = URL(filePath: path).deletingLastPathComponent().path
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let isFlushed = descriptor >= 0 && fsync(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard isFlushed else {
            throw CommandFailure.failed(
                "the name of `\(path)` could not be flushed to the disk", hints: ["check the disk, and do it again"])
        }
    }
}

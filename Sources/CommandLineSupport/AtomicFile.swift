package import Foundation

/// A file that only its owner can read, and that gets its name when it is whole: the older file stays until then.
///
/// Its draft is beside it and named after the process that writes it, such as `state.json.4711.part`.
package final class AtomicFile {
    package let path: String
    private let target: String
    private let draft: String
    private var handle: FileHandle?

    package init(path: String) throws {
        self.path = path
        // A link stays, and the file it leads to is replaced.
        target = URL(filePath: path).resolvingSymlinksInPath().path
        draft = Self.draft(of: target, process: getpid())
        var status = stat()
        if stat(target, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw CommandFailure(.usage, "`\(path)` is not a regular file", hints: ["name a file to be written"])
        }
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .usage, "`\(path)` cannot be written", hints: ["check that the directory exists and may be written to"])
        }
        // Held until it is closed: see `removeLeftovers` of offerd.
        flock(descriptor, LOCK_EX | LOCK_NB)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    deinit {
        if handle != nil { unlink(draft) }
    }

    package func write(_ text: String) throws {
        do {
            try handle?.write(contentsOf: Data(text.utf8))
        } catch {
            throw unwritable
        }
    }

    /// Gives it its name, so that it survives the loss of power; nothing can be added then.
    package func finish() throws {
        guard let handle else { return }
        guard Disk.flush(handle.fileDescriptor) == 0, rename(draft, target) == 0 else { throw unwritable }
        self.handle = nil
        try Disk.flushName(of: target)
    }

    private var unwritable: CommandFailure {
        CommandFailure(
            .failed, "`\(path)` can no longer be written", hints: ["free space on its disk, then run the command again"]
        )
    }

    /// Writes a file that does not exist yet, at once.
    package static func create(_ text: String, at path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? CommandFailure(
                    .failed, "`\(path)` exists already and is not replaced", hints: ["give it another name"])
                : CommandFailure(
                    .failed, "`\(path)` cannot be written",
                    hints: ["check that the directory exists and may be written to"])
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard (try? file.write(contentsOf: Data(text.utf8))) != nil, Disk.flush(descriptor) == 0 else {
            try? FileManager.default.removeItem(atPath: path)
            throw CommandFailure(.failed, "`\(path)` cannot be written", hints: ["check the room on its disk"])
        }
    }

    package static func draft(of target: String, process: pid_t) -> String { "\(target).\(process).part" }
}

package enum Disk {
    /// As `fsync`, which on macOS leaves the bytes in the drive's cache.
    package static func flush(_ descriptor: Int32) -> Int32 {
        #if os(macOS)
            // Not every file system has it.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(descriptor)
    }

    /// Makes the name of a file survive the loss of power, which the flush of its content does not cover.
    package static func flushName(of path: String) throws {
        try flush(URL(filePath: path).deletingLastPathComponent().path, O_DIRECTORY, "the name of `\(path)`")
    }

    package static func flushContent(of path: String) throws {
        try flush(path, 0, "`\(path)`")
    }

    private static func flush(_ path: String, _ flags: Int32, _ what: String) throws {
        let descriptor = open(path, O_RDONLY | flags | O_CLOEXEC)
        let isFlushed = descriptor >= 0 && flush(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard isFlushed else {
            throw CommandFailure(
                .failed, "\(what) could not be flushed to the disk",
                hints: ["check the disk, then run the command again"])
        }
    }
}

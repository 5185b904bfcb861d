import CommandLineSupport
import Foundation
import OfferModel
import SQLiteStore

/// A file that only its owner can read, and that gets its name when it is whole: the older file stays until then.
///
/// Its draft is beside it and named after the process that writes it, such as `state.json.4711.part`.
final class AtomicFile {
    let path: String
    private let target: String
    private let draft: String
    private var handle: FileHandle?

    init(path: String) throws {
        self.path = path
        // A link stays, and the file it leads to is replaced.
        target = URL(filePath: path).resolvingSymlinksInPath().path
        draft = Self.draft(of: target, process: getpid())
        if let identity = FileIdentity(path: target), !identity.isRegular {
            throw CommandFailure(.usage, "`\(path)` is not a regular file", hints: ["name a file to be written"])
        }
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .usage, "`\(path)` cannot be written", hints: ["check that the directory exists and may be written to"])
        }
        // Held until it is closed: see `removeLeftovers`.
        flock(descriptor, LOCK_EX | LOCK_NB)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    deinit {
        if handle != nil { unlink(draft) }
    }

    func write(_ text: String) throws {
        do {
            try handle?.write(contentsOf: Data(text.utf8))
        } catch {
            throw unwritable
        }
    }

    /// Gives it its name, so that it survives the loss of power; nothing can be added then.
    func finish() throws {
        guard let handle else { return }
        do {
            try handle.synchronize()
        } catch {
            throw unwritable
        }
        guard rename(draft, target) == 0 else { throw unwritable }
        self.handle = nil
        try Disk.flushName(of: target)
    }

    private var unwritable: CommandFailure {
        CommandFailure(
            .failed, "`\(path)` can no longer be written", hints: ["free space on its disk, then run the command again"]
        )
    }

    /// Writes a file that does not exist yet, at once.
    static func create(_ text: String, at path: String) throws {
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
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.synchronize()
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw CommandFailure(.failed, "`\(path)` cannot be written", hints: ["check the room on its disk"])
        }
    }

    private static func draft(of target: String, process: pid_t) -> String { "\(target).\(process).part" }

    /// Deletes the drafts of a file that killed processes left.
    ///
    /// A process is gone if it does not run here and does not hold the lock: on a disk that containers share, its
    /// number may be another container's.
    ///
    /// - Parameter kept: files that stay, whatever they are called.
    static func removeLeftovers(of path: String, except kept: [String] = []) {
        let target = URL(filePath: path).resolvingSymlinksInPath()
        let kept = kept.compactMap(FileIdentity.init)
        let prefix = target.lastPathComponent + "."
        let names = try? FileManager.default.contentsOfDirectory(atPath: target.deletingLastPathComponent().path)
        for name in names ?? [] where name.hasPrefix(prefix) && name.hasSuffix(".part") {
            guard let process = pid_t(name.dropFirst(prefix.count).dropLast(".part".count)), process > 0 else {
                continue
            }
            let draft = draft(of: target.path, process: process)
            let isGone = kill(process, 0) != 0 && errno == ESRCH
            guard URL(filePath: draft).lastPathComponent == name, isGone, isUnlocked(draft),
                !kept.contains(where: { $0 == FileIdentity(path: draft) })
            else { continue }
            unlink(draft)
        }
    }

    private static func isUnlocked(_ draft: String) -> Bool {
        let descriptor = open(draft, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}

enum Disk {
    /// Makes the name of a file survive the loss of power, which the flush of its content does not cover.
    static func flushName(of path: String) throws {
        try flush(URL(filePath: path).deletingLastPathComponent().path, O_DIRECTORY, "the name of `\(path)`")
    }

    static func flushContent(of path: String) throws {
        try flush(path, 0, "`\(path)`")
    }

    private static func flush(_ path: String, _ flags: Int32, _ what: String) throws {
        let descriptor = open(path, O_RDONLY | flags | O_CLOEXEC)
        let isFlushed = descriptor >= 0 && fsync(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard isFlushed else {
            throw CommandFailure(
                .failed, "\(what) could not be flushed to the disk",
                hints: ["check the disk, then run the command again"])
        }
    }

    /// How many bytes this user may still write beside a file; `nil` where the system does not say.
    static func freeSpace(beside path: String) -> Int64? {
        var disk = statvfs()
        guard statvfs(URL(filePath: path).deletingLastPathComponent().path, &disk) == 0 else { return nil }
        return Int64(
            clamping: UInt64(clamping: disk.f_bavail).saturatingMultiplied(by: UInt64(clamping: disk.f_frsize)))
    }
}

import Foundation
import OfferModel
import SQLiteStore

/// Puts a copy in the place of the database, and keeps what was there.
struct DatabaseReplacement {
    /// The database's path.
    let path: String

    /// Copies and checks first, so that everything that can fail has done so before the database is touched.
    ///
    /// - Returns: where the former database is kept; `nil` if there was none.
    /// - Throws: ``CommandFailure`` and `StoreError`.
    func run(from copy: String, replace: Bool) throws -> String? {
        let files = FileManager.default
        let exists = files.fileExists(atPath: path)
        guard !Self.isSame(copy, path) else {
            throw CommandFailure.failed(
                "`\(copy)` is the database itself, not a copy of it", hints: ["`offerd backup` makes a copy"])
        }
        guard !exists || replace else {
            throw CommandFailure.failed(
                "there is a database at `\(path)`",
                hints: ["`--replace` puts the copy in its place and keeps it under another name"])
        }
        let lock = exists ? try DatabaseLock(path: path) : nil
        defer { lock?.release() }
        let moment = "\(Instant.wallClock())".filter { $0 != ":" }
        let incoming = "\(path).restoring-\(moment)"
        try SQLiteDatabase.copy(from: copy, to: incoming)
        defer { try? files.removeItem(atPath: incoming) }
        // A log left without its database would be played into the copy.
        let kept = "\(path).before-\(moment)"
        do {
            for ending in ["-wal", ""] where files.fileExists(atPath: path + ending) {
                try files.moveItem(atPath: path + ending, toPath: kept + ending)
            }
            if files.fileExists(atPath: path + "-shm") { try files.removeItem(atPath: path + "-shm") }
            try files.moveItem(atPath: incoming, toPath: path)
        } catch {
            throw CommandFailure.failed(
                "the copy could not be put in the place of `\(path)`",
                hints: ["what was there may be `\(kept)` now", "check the permissions of the directory and its disk"])
        }
        try DirectoryEntries.flush(of: path)
        return exists ? kept : nil
    }

    /// Whether two paths lead to one file, also by links.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        guard stat(first, &one) == 0, stat(second, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }
}

/// The lock by which SQLite keeps others from a database that somebody has open.
final class DatabaseLock {
    /// SQLite's bytes for locks: a connection to a database with a write-ahead log shares the last 510 while it is open.
    private static let place = (start: off_t(0x4000_0000), length: off_t(512))

    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Throws: ``CommandFailure`` if somebody has the database open.
    init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure.failed(
                "the database file `\(path)` cannot be written by this user",
                hints: ["check the owner and the permissions of the database file and its directory"])
        }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Self.place.start
        lock.l_len = Self.place.length
        guard fcntl(descriptor, F_SETLK, &lock) == 0 else {
            close(descriptor)
            throw CommandFailure.failed(
                "the database at `\(path)` is in use", hints: ["stop the server that uses it"])
        }
    }

    /// Lets others have it.
    func release() {
        close(descriptor)
    }
}

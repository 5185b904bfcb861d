import CommandLineSupport
import Foundation
import OfferModel
import OfferStore
import SQLiteStore

/// Replaces the database with a copy, and keeps the former database.
///
/// At every step the path leads to the whole former database, to the whole copy, or to nothing. While it leads to
/// nothing, a file named `<path>.restoring…` keeps a new database from being created there, also after a second
/// interruption. Every name that the next step relies on is flushed: a log that is left beside another database would
/// be played into it, and a database that has lost its log opens without its newest commits (decision 0047).
struct DatabaseReplacement {
    let path: String

    /// The copy until it replaces the database.
    private var incoming: String { "\(path).restoring" }

    /// SQLite's files beside a database that it did not close; they fit no other database.
    private static let companions = ["-wal", "-journal"]

    /// Copies and checks first, so that everything that can fail has done so before the database is touched.
    ///
    /// - Parameter completing: changes the copy, by its path, before it gets the database's name.
    /// - Returns: where the former database is kept; `nil` if there was none.
    func run(
        from copy: String, replace: Bool, completing: (_ path: String) async throws -> Void
    ) async throws -> String? {
        try SQLiteDatabase.requireUnmoved(path: path)
        let exists = FileManager.default.fileExists(atPath: path)
        guard !Self.isSame(copy, path) else {
            throw CommandFailure(
                .failed, "`\(copy)` is the database itself, not a copy of it", hints: ["`offerd backup` makes a copy"])
        }
        guard !exists || replace else {
            throw CommandFailure(
                .failed, "there is a database at `\(path)`",
                hints: ["`--replace` puts the copy in its place and keeps it under another name"])
        }
        let kept = "\(path).before-" + "\(Instant.wallClock)".filter { $0 != ":" }
        do {
            let former = exists ? try FormerDatabase(path: path) : nil
            defer { former?.close() }
            let isOnlyCopy = Self.isSame(copy, incoming)
            try await prepare(copy, exists: exists, completing)
            // Until here nothing has changed; on failure the database stays as it is.
            if let former {
                try former.fold()
                try step(keeping: isOnlyCopy) { try former.isWhole ? link(path, to: kept) : moveAway(to: kept) }
            } else {
                // Files that an earlier database left are not part of the copy.
                try step(keeping: isOnlyCopy) { try moveCompanions(to: kept) }
            }
            try step(keeping: isOnlyCopy) { try require(rename(incoming, path)) }
        } catch let error as NotMoved {
            throw CommandFailure(
                .failed,
                "the copy could not replace `\(path)`: \(String(cString: strerror(error.code)))",
                hints: [
                    "the previous database is intact, at `\(path)` or at `\(kept)`",
                    "check the permissions of the directory and its disk, then give the command again",
                ])
        }
        return exists ? kept : nil
    }

    /// The copy beside the database, whole, checked and flushed.
    ///
    /// It replaces what an interrupted restore has left in one step, so that something is left at any time.
    private func prepare(
        _ copy: String, exists: Bool, _ completing: (_ path: String) async throws -> Void
    ) async throws {
        // They take up the room that the copy may need.
        if exists { removeLeftovers(except: [copy]) }
        let draft = "\(incoming).\(UUID().uuidString.prefix(8))"
        try SQLiteDatabase.copy(from: copy, to: draft)
        do {
            try await completing(draft)
            try Disk.flushContent(of: draft)
            try require(rename(draft, incoming))
        } catch {
            unlink(draft)
            throw error
        }
        try Disk.flushName(of: incoming)
        removeLeftovers(except: [copy, incoming])
    }

    /// Deletes what interrupted restores left; a running restore would hold the database's lock.
    private func removeLeftovers(except kept: [String]) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let prefix = URL(filePath: incoming).lastPathComponent
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            let leftover = "\(folder)/\(name)"
            if !kept.contains(where: { Self.isSame($0, leftover) }) { unlink(leftover) }
        }
    }

    /// Changes names, and flushes them before anything else is changed.
    ///
    /// - Parameter isOnlyCopy: whether the copy took the place of the one that was given.
    private func step(keeping isOnlyCopy: Bool, _ change: () throws -> Void) throws {
        do {
            try change()
        } catch {
            // With the database gone the copy is all there is.
            if !isOnlyCopy, FileManager.default.fileExists(atPath: path) { unlink(incoming) }
            throw error
        }
        try Disk.flushName(of: path)
    }

    private func link(_ name: String, to other: String) throws { try require(Foundation.link(name, other)) }

    /// Moves a database that cannot be made whole, with all that belongs to it: under the other name it is complete
    /// before anything of it goes, and its own name goes first.
    private func moveAway(to kept: String) throws {
        let there = Self.companions.filter { FileManager.default.fileExists(atPath: path + $0) }
        for ending in there { try link(path + ending, to: kept + ending) }
        try Disk.flushName(of: path)
        try link(path, to: kept)
        try Disk.flushName(of: path)
        try require(unlink(path))
        try Disk.flushName(of: path)
        for ending in there { try require(unlink(path + ending)) }
        unlink(path + "-shm")
    }

    private func moveCompanions(to kept: String) throws {
        for ending in Self.companions where FileManager.default.fileExists(atPath: path + ending) {
            try require(rename(path + ending, kept + ending))
        }
        unlink(path + "-shm")
    }

    private struct NotMoved: Error {
        var code: Int32
    }

    private func require(_ result: Int32) throws {
        if result != 0 { throw NotMoved(code: errno) }
    }

    /// Whether two paths lead to one file, also by links.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        FileIdentity(path: first).map { $0 == FileIdentity(path: second) } ?? false
    }
}

/// The database that is replaced, locked against all other processes.
private final class FormerDatabase {
    private let path: String
    private var database: ExclusiveDatabase?
    private var lock: DatabaseLock?

    private(set) var isWhole = false

    init(path: String) throws {
        self.path = path
        var status = stat()
        guard stat(path, &status) != 0 || status.st_size > 0 else {
            // SQLite would delete the log of a file without content.
            lock = try DatabaseLock(path: path)
            return
        }
        do {
            database = try ExclusiveDatabase(path: path)
        } catch StoreError.busy {
            throw DatabaseLock.inUse(path)
        } catch {
            // Too broken for SQLite.
            lock = try DatabaseLock(path: path)
        }
    }

    /// Writes its log back into its file; a database too broken for that is left as it is.
    func fold() throws {
        guard let database else { return }
        do {
            try database.fold()
            isWhole = true
            // The log is gone before the file gets another name.
            try Disk.flushName(of: path)
        } catch let error as StoreError {
            if case .full = error { throw error }
            close()
            lock = try DatabaseLock(path: path)
        }
    }

    func close() {
        database?.close()
        database = nil
        lock?.release()
        lock = nil
    }
}

final class DatabaseLock {
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .failed, "the database file `\(path)` cannot be written by this user",
                hints: ["check the owner and the permissions of the database file and its directory"])
        }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        // SQLite's bytes for locks: a connection to a database with a write-ahead log shares the last 510 while it is
        // open.
        lock.l_start = 0x4000_0000
        lock.l_len = 512
        guard fcntl(descriptor, F_SETLK, &lock) == 0 else {
            close(descriptor)
            throw Self.inUse(path)
        }
    }

    static func inUse(_ path: String) -> CommandFailure {
        CommandFailure(.failed, "the database at `\(path)` is in use", hints: ["stop the server that uses it"])
    }

    func release() {
        close(descriptor)
    }
}

import OfferStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

enum DatabaseFile {
    /// As `fsync`, which on macOS leaves the bytes in the drive's cache.
    static func flush(_ descriptor: Int32) -> Int32 {
        #if os(macOS)
            // Not every file system has it.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(descriptor)
    }

    /// Says why this user cannot open an existing file; SQLite says only that it cannot.
    static func requireUsable(_ path: String) throws {
        let files = FileManager.default
        var isDirectory = false
        guard files.fileExists(atPath: path, isDirectory: &isDirectory) else { return }
        guard !isDirectory else { throw StoreError.foreign("the database `\(path)` is a directory") }
        guard files.isReadableFile(atPath: path) else {
            throw StoreError.unavailable("the database file `\(path)` cannot be read by this user")
        }
        guard files.isWritableFile(atPath: path) else {
            throw StoreError.readOnly("the database file `\(path)` cannot be written by this user")
        }
        let directory = folder(of: path)
        guard files.isWritableFile(atPath: directory) else {
            throw StoreError.readOnly(
                "the directory `\(directory)` cannot be written by this user, and SQLite keeps its log there")
        }
    }

    /// What is added to the name of a file that was moved away, and of one that is being filled.
    static let moved = ".moved"
    static let moving = ".moving"

    /// Refuses to create an empty database, or to report that there is none, where a restore was interrupted: it leaves
    /// its copy, or part of one, as `<path>.restoring…`. The same where the database was moved away, or is being filled.
    static func requireWhole(_ path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        if FileManager.default.fileExists(atPath: path + moving) {
            throw StoreError.interrupted("a move into `\(path)` has not ended, and left `\(path)\(moving)`")
        }
        if FileManager.default.fileExists(atPath: path + moved) {
            throw StoreError.unsuitable("`\(path)` was moved to another place, and is only kept, as `\(path)\(moved)`")
        }
        guard let left = names(of: path, ".restoring").min() else { return }
        throw StoreError.interrupted("`\(path)` is missing: a restore was interrupted, and left `\(left)`")
    }

    /// Takes away the name that an interrupted restore has given the database besides its own, under which it would
    /// have a log of its own.
    static func removeOtherNames(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_nlink > 1 else { return }
        let file = FileIdentity(status)
        for name in names(of: path, ".before-") where FileIdentity(path: "\(folder(of: path))/\(name)") == file {
            unlink("\(folder(of: path))/\(name)")
        }
    }

    /// The names in a file's folder that begin with its own and an ending.
    private static func names(of path: String, _ ending: String) -> [String] {
        let prefix = (path.split(separator: "/").last.map(String.init) ?? path) + ending
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder(of: path))) ?? []
        return names.filter { $0.hasPrefix(prefix) }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates an empty file that only its owner can read; an existing one is left as it is.
    ///
    /// SQLite would create it readable for every user. The file is made under another name and then linked, so that it
    /// never exists with wider permissions, and two who migrate at once never replace each other's file.
    static func createIfMissing(_ path: String) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: path) else { return }
        let draft = try draft(of: path)
        defer { try? files.removeItem(atPath: draft) }
        do {
            try files.linkItem(atPath: draft, toPath: path)
        } catch {
            guard files.fileExists(atPath: path) else {
                throw StoreError.unavailable("the database file `\(path)` cannot be created")
            }
        }
    }

    /// An empty file beside another that only its owner can read.
    static func draft(of path: String) throws -> String {
        let draft = "\(path).new-\(UUID().uuidString.prefix(8))"
        guard
            FileManager.default.createFile(atPath: draft, contents: Data(), attributes: [.posixPermissions: 0o600])
        else { throw StoreError.unavailable("the database file `\(path)` cannot be created") }
        return draft
    }

    /// Gives a finished draft its name, which nothing else may have.
    static func publish(_ draft: String, as path: String) throws {
        do {
            try FileManager.default.linkItem(atPath: draft, toPath: path)
        } catch {
            throw StoreError.unavailable(
                FileManager.default.fileExists(atPath: path)
                    ? "`\(path)` exists already and is not replaced" : "the database file `\(path)` cannot be created")
        }
    }
}

/// A database file that no other process has open, nor can open until this value is closed.
///
/// Its file must not be opened and closed otherwise meanwhile: the system would drop the lock with it.
public final class ExclusiveDatabase {
    private let path: String
    let connection: Connection

    /// Opens a file and brings it to where an interrupted transaction has left it.
    ///
    /// - Throws: ``StoreError/busy(_:)`` if another process has it open, or what keeps it from being read.
    public init(path: String) throws {
        self.path = path
        connection = try Connection(path: path, .readWrite, waiting: 0)
        // The log is flushed before its pages are copied, and they before it is taken away.
        try connection.runScript("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE; COMMIT")
    }

    /// Brings everything into the one file, flushed: no log, journal or index is left beside it.
    ///
    /// - Throws: ``StoreError``; then what is beside the file still belongs to it.
    public func fold() throws {
        try connection.runScript("PRAGMA journal_mode = DELETE")
        guard access(path + "-wal", F_OK) != 0 else {
            throw StoreError.unavailable("the log of `\(path)` cannot be written back")
        }
        // SQLite keeps a journal that is over, and an index that the next to open the file would make again.
        for ending in ["-journal", "-shm"] { unlink(path + ending) }
    }

    public func close() { try? connection.close() }
}

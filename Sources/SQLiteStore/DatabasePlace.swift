import OfferStore

#if canImport(Glibc)
    package import Glibc
#else
    package import Darwin
#endif

/// Where the files of an open database are, and whether their names still lead to them.
///
/// Each commit compares names and files before it begins and once it is durable (docs/design.md#storage), a read once it
/// has read, because it could release what another process committed after the move. A file that is moved later is like
/// one that is replaced by an older copy, which the witness detects. Names may lead to the files again: then all goes on
/// as before.
final class DatabasePlace: Sendable {
    /// The database itself by the name that was given, and by their own names what SQLite and ``CheckpointRight`` keep
    /// beside it: without its log it lacks commits, and processes without the same index and locks overwrite each other.
    private let files: [(path: String, identity: FileIdentity)]
    let path: String

    /// - Parameter connection: is read, so that its log is open, too.
    /// - Throws: ``StoreError/busy(_:)`` if a file was replaced meanwhile.
    init(of connection: Connection, path: String) throws {
        self.path = path
        try connection.openLog()
        let names = Self.names(path) + [CheckpointRight.resolved(path) + CheckpointRight.ending]
        files = try names.map { name in
            guard let identity = FileIdentity(path: name) else { throw Self.movedMeanwhile(path) }
            return (name, identity)
        }
        guard !connection.hasMoved else { throw Self.movedMeanwhile(path) }
    }

    /// The names of the files that SQLite has open.
    private static func names(_ path: String) -> [String] {
        [path] + ["-wal", "-shm"].map { CheckpointRight.resolved(path) + $0 }
    }

    /// The files themselves, as ``CheckpointRight`` shows others which of them a server has open; `nil` for those that
    /// are not there.
    static func identities(_ path: String) -> [FileIdentity?] { names(path).map { FileIdentity(path: $0) } }

    private static func movedMeanwhile(_ path: String) -> StoreError {
        .busy("`\(path)` was replaced while it was being opened")
    }

    /// - Throws: ``StoreError/moved(_:)`` if a name leads to another file than the one that is open, or to none.
    func check() throws {
        guard let difference = files.first(where: { FileIdentity(path: $0.path) != $0.identity }) else { return }
        throw StoreError.moved(Self.words(difference.path))
    }

    /// Another connection to the same files.
    ///
    /// Looks before it opens them, because with another file SQLite would play this one's log into it, and afterwards.
    func connect(_ access: Connection.Access, waiting milliseconds: CInt = 5_000) throws -> Connection {
        try check()
        let connection = try Connection(path: path, access, waiting: milliseconds)
        try connection.openLog()
        try check()
        guard !connection.hasMoved else { throw StoreError.moved(Self.words(path)) }
        return connection
    }

    /// Refuses to open, create or replace a database while a server has files open that had these names before: the
    /// log and the index belong to one file.
    ///
    /// - Throws: ``StoreError/moved(_:)``.
    static func requireFilesOfServer(_ path: String) throws {
        guard let open = CheckpointRight.filesOfServer(beside: path) else { return }
        for ((name, there), open) in zip(zip(names(path), identities(path)), open) where open != nil && open != there {
            throw StoreError.moved(words(name))
        }
    }

    private static func words(_ name: String) -> String {
        access(name, F_OK) == 0
            ? "`\(name)` was replaced: a running process has the file open that had this name"
            : "`\(name)` was moved or deleted: a running process has the file open that had this name"
    }
}

extension Connection {
    /// SQLite opens the log, and its index, with the first look.
    fileprivate func openLog() throws {
        try runScript("SELECT 1 FROM sqlite_schema LIMIT 1")
    }
}

/// The file that a name leads to.
package struct FileIdentity: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    package let isRegular: Bool

    /// `nil` if there is no file by this name.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }

    /// Of a database.
    init(device: UInt64, inode: UInt64) {
        (self.device, self.inode, isRegular) = (device, inode, true)
    }
}

import Glibc
import OfferStore

/// A database file that nobody else has open, nor can open until this value is closed.
///
/// Its file must not be opened and closed otherwise meanwhile: the system would drop the lock with it.
public final class ExclusiveDatabase {
    private let path: String
    private let connection: Connection

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
        // SQLite keeps a journal that is over, and an index that the next to open the file would make anew.
        for ending in ["-journal", "-shm"] { unlink(path + ending) }
    }

    /// Lets others have it.
    public func close() { try? connection.close() }
}

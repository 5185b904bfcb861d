import GRDBSQLite
import Glibc
import OfferStore

/// A database file that nobody else has open, nor can open until this value is closed.
///
/// Its file must not be opened and closed otherwise meanwhile: the system would drop the lock with it.
public final class ExclusiveDatabase {
    private let path: String
    private var handle: OpaquePointer?

    /// Opens a file and brings it to where an interrupted transaction has left it.
    ///
    /// - Throws: ``StoreError/busy(_:)`` if somebody has it open, or what keeps it from being read.
    public init(path: String) throws {
        self.path = path
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        do {
            guard code == SQLITE_OK else { throw StoreError(code: code, on: handle) }
            // The log is flushed before its pages are copied, and they before it is taken away.
            try run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE; COMMIT")
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// Brings everything into the one file, flushed: no log, journal or index is left beside it.
    ///
    /// - Throws: ``StoreError``; then what is beside the file still belongs to it.
    public func fold() throws {
        try run("PRAGMA journal_mode = DELETE")
        guard access(path + "-wal", F_OK) != 0 else {
            throw StoreError.unavailable("the log of `\(path)` cannot be written back")
        }
        // SQLite keeps a journal that is over, and an index that the next to open the file would make anew.
        for ending in ["-journal", "-shm"] { unlink(path + ending) }
    }

    /// Lets others have it.
    public func close() {
        sqlite3_close_v2(handle)
        handle = nil
    }

    private func run(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw StoreError(code: code, on: handle) }
    }
}

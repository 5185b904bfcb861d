import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Writes the log back into the file beside the writer, which otherwise does it within the commit that fills the log, while
/// everybody waits: thousands of pages all over the file, and a flush.
///
/// A step copies what was committed so far, on a connection of its own, and locks out neither readers nor the writer. The
/// writer still copies what little is left when the log is full, because only then can the log begin anew.
final class Checkpointer: Sendable {
    private struct State {
        /// How many pages the log had when the last step began.
        var begun = 0
        var isRunning = false
        var isClosed = false
    }

    private let path: String
    /// After how many pages the writer does the rest.
    private let full: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "offers.checkpoint", qos: .utility)

    init(path: String, full: Int) {
        self.path = path
        self.full = full
    }

    /// How many pages a step has at least: fewer would flush the file more often for the same pages.
    private var step: Int { max(1, full / 8) }

    /// Hears of each commit from now on, instead of SQLite's own checkpoint after so many pages.
    ///
    /// - Parameter connection: the writer's. This value has to live for as long as it commits, or until
    ///   ``stop(watching:)``.
    func watch(_ connection: Database) {
        sqlite3_wal_hook(
            connection.sqliteConnection,
            { context, handle, name, pages in
                guard let context else { return SQLITE_OK }
                let checkpointer = Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue()
                if checkpointer.isFull(at: Int(pages)) {
                    // As SQLite's own: a failure is none of the commit's, and the next commit tries again.
                    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends the watch, and returns when no step runs any more.
    func stop(watching connection: Database) {
        // One that is closed already has no handle.
        if let handle = connection.sqliteConnection { sqlite3_wal_hook(handle, nil, nil) }
        state.withLock { $0.isClosed = true }
        queue.sync {}
    }

    /// - Returns: whether the writer is to do the rest now.
    private func isFull(at pages: Int) -> Bool {
        // Never beside a step: before SQLite 3.51.3 commits can be lost where one checkpoint begins while a commit empties
        // the log that another has just copied (decision 0038). A step is due only to what nobody else has copied.
        if pages >= full { return state.withLock { !$0.isRunning } }
        let isDue = state.withLock { state in
            // The log has begun anew.
            if pages < state.begun { state.begun = 0 }
            guard !state.isRunning, !state.isClosed, pages >= state.begun + step else { return false }
            (state.begun, state.isRunning) = (pages, true)
            return true
        }
        if isDue {
            queue.async {
                self.copy()
                self.state.withLock { $0.isRunning = false }
            }
        }
        return false
    }

    /// Failing is not told of: the writer's own checkpoint meets the same, and the log has everything.
    private func copy() {
        var opened: OpaquePointer?
        defer { sqlite3_close_v2(opened) }
        guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
            // It knows of a log only after it has read.
            sqlite3_exec(opened, "PRAGMA synchronous = FULL; SELECT 1 FROM sqlite_schema LIMIT 1", nil, nil, nil)
                == SQLITE_OK
        else { return }
        sqlite3_wal_checkpoint_v2(opened, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}

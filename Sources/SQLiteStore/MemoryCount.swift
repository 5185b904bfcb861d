import CSQLite

/// SQLite's count of the memory it takes, which nobody here asks for.
///
/// It is one for the whole process: each piece of memory that any connection takes or gives back waits for one lock.
enum MemoryCount {
    /// Turns it off, once. SQLite refuses where somebody else in the process has used it already, and goes on counting.
    static let off: Void = {
        _ = offerd_sqlite3_config_memstatus(0)
    }()
}

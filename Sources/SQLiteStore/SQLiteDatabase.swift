import FoundationEssentials
import GRDB
public import OfferStore

/// The store in one SQLite file, or in memory for tests (docs/design.md#storage).
///
/// Readers see a snapshot and never wait for the writer. Several processes may use one file.
public final class SQLiteDatabase: StoreDatabase {
    /// How much may wait, and for how long.
    public struct Limits: Sendable {
        /// At most so many writes wait; the next is ``StoreError/busy(_:)``.
        public var waitingWrites: Int
        /// At most so many writes share a commit.
        public var batch: Int
        /// How long to wait for another process to let go of the database.
        public var patience: Duration
        /// How many pages of 4 KiB the log may have before it begins anew. They are written into the file meanwhile, an
        /// eighth at a time, beside the commits (``Checkpointer``). The more there are, the more commits share the pages that
        /// all of them change.
        public var log: Int

        /// 4,096 waiting writes, 256 in a commit, 5 seconds of patience, 4,000 pages, unless told otherwise.
        public init(
            waitingWrites: Int = 4_096, batch: Int = 256, patience: Duration = .seconds(5), log: Int = 4_000
        ) {
            self.waitingWrites = waitingWrites
            self.batch = batch
            self.patience = patience
            self.log = log
        }
    }

    private let connections: any DatabaseWriter
    private let queue: WriteQueue
    /// For quick looks; a database in memory has one connection, which everybody takes turns at.
    private let readers: Readers?
    private let checkpointer: Checkpointer?

    /// Opens a migrated database file.
    ///
    /// - Parameter isServer: whether this process serves requests: while one does, no other writes the log back.
    /// - Throws: ``StoreError/notMigrated(_:)`` if the file is missing or older than this version,
    ///   ``StoreError/newerThanThisVersion(_:)``, or what keeps it from being opened.
    public convenience init(path: String, limits: Limits = Limits(), isServer: Bool = false) throws {
        try DatabaseFile.requireWhole(path)
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError.notMigrated("there is no database at `\(path)`")
        }
        try DatabaseFile.requireUsable(path)
        let pool = try StoreError.mapping { try DatabasePool(path: path, configuration: Self.configuration) }
        try Schema.check(pool, path: path)
        try Durability.establish(pool)
        try DatabaseFile.requireUnmoved(pool, path: path)
        // What the checks have opened and read is not needed again.
        pool.releaseMemory()
        try self.init(
            pool, readers: Readers(path: path),
            checkpointer: try Checkpointer(path: path, full: limits.log, isServer: isServer),
            limits: limits)
    }

    /// A new, migrated database in memory, which goes away with this value.
    ///
    /// - Throws: ``StoreError``.
    public static func inMemory(limits: Limits = Limits()) throws -> SQLiteDatabase {
        let queue = try StoreError.mapping { try DatabaseQueue(configuration: Self.configuration) }
        try Schema.migrate(queue)
        return try SQLiteDatabase(queue, readers: nil, checkpointer: nil, limits: limits)
    }

    /// Brings a database file to this version's schema; a missing file is created, readable by its owner only.
    ///
    /// - Returns: the names of the steps that were taken.
    /// - Throws: ``StoreError/newerThanThisVersion(_:)``, or what keeps the file from being written.
    @discardableResult
    public static func migrate(path: String) throws -> [String] {
        try DatabaseFile.requireWhole(path)
        try DatabaseFile.requireUsable(path)
        try DatabaseFile.createIfMissing(path)
        let pool = try StoreError.mapping { try DatabasePool(path: path, configuration: configuration) }
        try Durability.establish(pool)
        try DatabaseFile.requireUnmoved(pool, path: path)
        let checkpointer = try Checkpointer(path: path, full: Limits().log, isServer: false)
        pool.writeWithoutTransaction { checkpointer.watch($0) }
        defer { withExtendedLifetime(checkpointer) {} }
        let steps = try Schema.migrate(pool)
        pool.writeWithoutTransaction { checkpointer.stop(watching: $0) }
        try StoreError.mapping { try pool.close() }
        return steps
    }

    private init(
        _ connections: any DatabaseWriter, readers: Readers?, checkpointer: Checkpointer?, limits: Limits
    ) throws {
        try SQLiteVersion.check()
        try StoreError.mapping {
            try connections.writeWithoutTransaction { connection in
                // The writer takes its patience from the limits; see WriteBatch.
                try connection.execute(sql: "PRAGMA busy_timeout = 1")
                // What a savepoint would put back is kept in memory: some tens of pages for a body, a file otherwise.
                try connection.execute(sql: "PRAGMA temp_store = MEMORY")
                checkpointer?.watch(connection)
                // 16 MiB: an issued offer changes some ten pages all over the indexes, and reading each costs a system call.
                try connection.execute(sql: "PRAGMA cache_size = -16384")
            }
        }
        self.connections = connections
        self.readers = readers
        self.checkpointer = checkpointer
        queue = WriteQueue(writer: connections, checkpointer: checkpointer, limits: limits)
    }

    /// Runs a body on a snapshot.
    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        guard !queue.isClosed else { throw StoreError.unavailable("the database is closed") }
        do {
            return try await connections.read { try body(SQLiteTransaction(connection: $0, isCancellable: true)) }
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    /// Runs a body on a snapshot, on the thread of the caller.
    public func look<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        guard let readers else { return try await read(body) }
        return try readers.look(body)
    }

    /// Runs a body in the next durable transaction.
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await queue.write(body)
    }

    /// Finishes what waits and lets go of the file; everything asked later is refused.
    ///
    /// - Throws: ``StoreError``.
    public func close() throws {
        queue.close()
        readers?.close()
        try StoreError.mapping {
            connections.writeWithoutTransaction { connection in
                queue.forgetStatements()
                checkpointer?.stop(watching: connection)
            }
            try connections.close()
        }
        checkpointer?.release()
    }

    /// Overwrites from now on all that is deleted here, also what is in pages that nothing else would write: for an erasure.
    ///
    /// - Throws: ``StoreError``.
    public func overwriteDeleted() throws {
        try StoreError.mapping {
            try connections.writeWithoutTransaction { try $0.execute(sql: "PRAGMA secure_delete = ON") }
        }
    }

    /// Writes what is in the log into the file and empties the log, where older versions of rows stand until then. Where a
    /// server has the file open, the server does it.
    ///
    /// - Returns: false if somebody reads or writes all the time; then the log stays as it is.
    public func emptyLog() -> Bool {
        checkpointer?.empty() ?? true
    }

    /// Makes durable what can be read: a process that was killed may have left commits in the log that no flush has covered,
    /// and they are read like any other. A commit of our own flushes them with itself.
    ///
    /// Processes that use the file at the same time show each other only what is flushed: SQLite flushes a commit before it
    /// adds it to the index of the log, and reads the log without the index only where nobody else has the file open.
    ///
    /// - Throws: ``StoreError`` if neither a commit nor a flush alone succeeds.
    public func makeDurable() throws {
        do {
            try StoreError.mapping {
                try connections.writeWithoutTransaction { try $0.execute(sql: Checkpointer.change) }
            }
        } catch {
            // On a full disk nothing is committed, and what is recorded is still answered.
            try checkpointer?.flush()
        }
    }

    /// Builds the file anew without its unused parts, where fragments of deleted rows can stand: SQLite overwrites what it
    /// deletes, but not what it leaves behind when it splits a page.
    ///
    /// Nothing can be recorded meanwhile, and the disk needs room for another copy.
    ///
    /// - Throws: ``StoreError/busy(_:)`` if another process does not let go of the database.
    public func compact() throws {
        try StoreError.mapping {
            try connections.writeWithoutTransaction { connection in
                // The copy is a temporary database, and must not be made in memory.
                try connection.execute(sql: "PRAGMA busy_timeout = 5000; PRAGMA temp_store = FILE")
                defer { try? connection.execute(sql: "PRAGMA busy_timeout = 1; PRAGMA temp_store = MEMORY") }
                try connection.execute(sql: "VACUUM")
            }
        }
    }

    static var configuration: Configuration {
        // Before the first connection, and each is opened with a configuration.
        MemoryCount.off
        var configuration = Configuration()
        configuration.label = "offers"
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        // A transaction that could not be undone is left to the next batch; GRDB would stop the process (WriteBatch).
        configuration.allowsUnsafeTransactions = true
        // What is deleted is overwritten where its page is written anyway, however SQLite was built (decision 0031).
        // The log is written back by the checkpointer alone (decision 0048).
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA secure_delete = FAST; PRAGMA wal_autocheckpoint = 0")
        }
        return configuration
    }
}

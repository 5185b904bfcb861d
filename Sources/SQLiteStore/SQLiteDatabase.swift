import Dispatch
public import OfferStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The store in one SQLite file, or in memory for tests (docs/design.md#storage).
///
/// Readers see a snapshot and never wait for the writer. Several processes may use one file.
public final class SQLiteDatabase: DatabaseDriver {
    public struct Limits: Sendable {
        public var writes: WriteLimits
        /// How many pages of 4 KiB the log may have before it starts over. They are written into the file meanwhile, an
        /// eighth at a time, beside the commits (``Checkpointer``). The more there are, the more commits share the
        /// pages that all of them change.
        public var log: Int

        /// 4,000 pages, unless given otherwise.
        public init(writes: WriteLimits = WriteLimits(), log: Int = 4_000) {
            self.writes = writes
            self.log = log
        }
    }

    private let connection: Connection
    private let writer: WriteQueue
    /// Absent in memory, where the writer's connection is the only one.
    private let readers: Readers?
    private let looks: SharedLooks?
    private let checkpointer: Checkpointer?
    private let threads: ReadingThreads
    private let place: DatabasePlace?
    /// Only a server keeps room, because it alone records pauses.
    private let reserve: DiskReserve?

    /// - Parameters:
    ///   - isServer: whether this process serves requests: while one does, no other writes the log back.
    ///   - isQuiet: whether no other request could use the time that handing a commit to another thread takes; then it
    ///     runs on the caller's.
    ///   - onCommit: called after each commit, successful or not, with the number of its bodies and its duration.
    /// - Throws: ``StoreError/notMigrated(_:)`` if the file is missing or older than this version,
    ///   ``StoreError/newerThanThisVersion(_:)``, ``StoreError/foreign(_:)``, or what keeps it from being opened.
    public convenience init(
        path: String, limits: Limits = Limits(), isServer: Bool = false,
        isQuiet: @escaping @Sendable () -> Bool = { false },
        onCommit: @escaping @Sendable (_ bodies: Int, _ duration: Duration) -> Void = { _, _ in }
    ) throws {
        try DatabasePlace.requireFilesOfServer(path)
        try DatabaseFile.requireWhole(path)
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError.notMigrated("there is no database at `\(path)`")
        }
        try DatabaseFile.requireUsable(path)
        let connection = try Connection(path: path, .readWrite)
        try Schema.check(connection, path: path)
        let (place, checkpointer) = try Self.open(connection, path: path, log: limits.log, isServer: isServer)
        // What the checks have read is not needed again.
        connection.releaseMemory()
        try self.init(
            connection, readers: Readers(path: path, place: place), checkpointer: checkpointer, place: place,
            reserve: isServer ? DiskReserve(beside: path) : nil, limits: limits, isQuiet: isQuiet, onCommit: onCommit)
        keepRoom()
    }

    private static func open(
        _ connection: Connection, path: String, log: Int, isServer: Bool
    ) throws -> (DatabasePlace, Checkpointer) {
        try connection.requireDurableCommits()
        let right = try CheckpointRight(beside: path, isServer: isServer)
        let place = try DatabasePlace(of: connection, path: path)
        DatabaseFile.removeOtherNames(of: path)
        return (place, Checkpointer(place, right: right, full: log, isServer: isServer))
    }

    /// A new, migrated database in memory, which goes away with this value.
    public static func inMemory(limits: Limits = Limits()) throws -> SQLiteDatabase {
        let connection = try Connection(path: ":memory:", .readWrite)
        try Schema.migrate(connection)
        return try SQLiteDatabase(connection, readers: nil, checkpointer: nil, place: nil, limits: limits)
    }

    /// Brings a database file to this version's schema; a missing file is created, readable by its owner only.
    ///
    /// - Returns: the names of the steps that were taken.
    /// - Throws: ``StoreError/newerThanThisVersion(_:)``, ``StoreError/foreign(_:)``, or what keeps the file from being
    ///   written.
    @discardableResult
    public static func migrate(path: String) throws -> [String] {
        try DatabasePlace.requireFilesOfServer(path)
        try DatabaseFile.requireWhole(path)
        try DatabaseFile.requireUsable(path)
        try DatabaseFile.createIfMissing(path)
        let connection = try Connection(path: path, .readWrite)
        try Schema.refuseForeign(connection, path: path)
        let (_, checkpointer) = try open(connection, path: path, log: Limits().log, isServer: false)
        checkpointer.watch(connection)
        defer { checkpointer.stop(watching: connection) }
        return try Schema.migrate(connection)
    }

    private init(
        _ connection: Connection, readers: Readers?, checkpointer: Checkpointer?, place: DatabasePlace?,
        reserve: DiskReserve? = nil, limits: Limits, isQuiet: @escaping @Sendable () -> Bool = { false },
        onCommit: @escaping @Sendable (Int, Duration) -> Void = { _, _ in }
    ) throws {
        // `beginWriting(until:)` waits for a busy database itself.
        // What a savepoint would put back is kept in memory: some tens of pages for a body, a file otherwise.
        // 16 MiB: an issued offer changes some ten pages all over the indexes, and reading each costs a system call.
        try connection.runScript(
            "PRAGMA busy_timeout = 1; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384")
        checkpointer?.watch(connection)
        self.connection = connection
        writer = WriteQueue(
            connection: connection, limits: limits.writes, check: { try place?.check() },
            giveRoom: { reserve?.giveUp() ?? false }, isQuiet: isQuiet, onCommit: onCommit)
        self.readers = readers
        looks = readers.map { SharedLooks($0, snapshots: max(1, ProcessInfo.processInfo.activeProcessorCount / 2)) }
        self.checkpointer = checkpointer
        self.place = place
        self.reserve = reserve
        threads = ReadingThreads(
            readers == nil ? [writer.queue] : (0..<8).map { DispatchQueue(label: "offers.read.\($0)") })
    }

    /// Runs a body on a snapshot, on a separate thread.
    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await withTaskExecutorPreference(threads) { @concurrent in
            guard let readers = self.readers else { return try self.connection.reading(body) }
            return try readers.read(body)
        }
    }

    /// Runs a body on a snapshot, on the thread of the caller or together with others (``SharedLooks``), and, while
    /// the server is quiet, on the writer's connection.
    public func readInline<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        guard let looks else { return try await read(body) }
        try Task.checkCancellation()
        if let value = try writer.readQuietly(body) { return value }
        return try await looks.read(body)
    }

    public func write<T: Sendable>(
        expecting _: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await writer.write(body)
    }

    /// Refuses to create or replace a database while a server has another file open that was at the path.
    ///
    /// - Throws: ``StoreError/moved(_:)``.
    public static func requireUnmoved(path: String) throws { try DatabasePlace.requireFilesOfServer(path) }

    public var waitingWrites: Int { writer.waiting }

    public func keepRoom() {
        // Beside a database that was moved away, the file would be of no use, and in the way.
        guard let reserve, (try? place?.check()) != nil else { return }
        reserve.fill()
    }

    public var hasRole: Bool { checkpointer?.hasRight ?? true }

    public func close() throws {
        readers?.close()
        try writer.close {
            checkpointer?.stop(watching: connection)
            try connection.close()
        }
        checkpointer?.release()
    }

    /// Overwrites from now on all that is deleted here, also what is in pages that nothing else would write: for an
    /// erasure.
    public func overwriteDeleted() throws {
        try writer.sync { try connection.runScript("PRAGMA secure_delete = ON") }
    }

    /// Writes what is in the log into the file and empties the log, where older versions of rows stand until then.
    /// Where a server has the file open, the server does it.
    ///
    /// - Returns: false if others read or write all the time; then the log stays as it is.
    public func emptyLog() -> Bool {
        checkpointer?.empty() ?? true
    }

    /// Makes durable what can be read: a process that was killed may have left commits in the log that no flush has
    /// covered, and they are read like any other. A commit of our own flushes them with itself.
    ///
    /// Processes that use the file at the same time show each other only what is flushed: SQLite flushes a commit
    /// before it adds it to the index of the log, and reads the log without the index only where no other process has
    /// the file open.
    ///
    /// - Throws: ``StoreError`` if neither a commit nor a flush alone succeeds.
    public func makeDurable() throws {
        do {
            _ = try writer.sync { try connection.execute(Statement(Checkpointer.change)) }
        } catch {
            // On a full disk nothing is committed, and what is recorded is still answered.
            try checkpointer?.flush()
        }
    }

    /// Rebuilds the file without its unused parts, where fragments of deleted rows can remain: SQLite overwrites what
    /// it deletes, but not what it leaves behind when it splits a page.
    ///
    /// Nothing can be recorded meanwhile, and the disk needs room for another copy.
    ///
    /// - Throws: ``StoreError/busy(_:)`` if another process does not let go of the database.
    public func compact() throws {
        try writer.sync {
            // The copy is a temporary database, and must not be made in memory.
            try connection.runScript("PRAGMA busy_timeout = 5000; PRAGMA temp_store = FILE")
            defer { try? connection.runScript("PRAGMA busy_timeout = 1; PRAGMA temp_store = MEMORY") }
            try connection.runScript("VACUUM")
        }
    }
}

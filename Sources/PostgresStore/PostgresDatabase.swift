import Dispatch
public import OfferStore
import Synchronization

/// The store in one database of a PostgreSQL server, shared by any number of processes (docs/scale.md).
///
/// One process writes at a time: each commit begins by locking the one row of `store_state`, which every write would
/// change anyway. Readers see a snapshot and never wait for a writer.
public final class PostgresDatabase: DatabaseDriver {
    public struct Limits: Sendable {
        public var writes: WriteLimits
        /// How many snapshots are read at once, each on a connection and a thread of its own.
        public var readers: Int

        public init(writes: WriteLimits = WriteLimits(), readers: Int = 24) {
            self.writes = writes
            self.readers = readers
        }
    }

    private let connection: PostgresConnection
    private let writer: WriteQueue
    private let readers: PostgresReaders
    private let threads: ReadingThreads

    /// - Parameters:
    ///   - url: as libpq takes it; it may hold a password, and no error shows it.
    ///   - onCommit: called after each commit, successful or not, with the number of its bodies and its duration.
    /// - Throws: ``StoreError/notMigrated(_:)``, ``StoreError/newerThanThisVersion(_:)``, or what keeps the database from
    ///   being used, such as a setting that would lose commits.
    public init(
        url: String, limits: Limits = Limits(),
        onCommit: @escaping @Sendable (_ bodies: Int, _ duration: Duration) -> Void = { _, _ in }
    ) throws {
        connection = try PostgresSession.open(url)
        try PostgresSchema.check(connection)
        writer = WriteQueue(connection: connection, limits: limits.writes, isQuiet: { false }, onCommit: onCommit)
        readers = PostgresReaders(url: url)
        threads = ReadingThreads((0..<max(1, limits.readers)).map { DispatchQueue(label: "offers.read.\($0)") })
    }

    /// Brings a database to this version's schema.
    ///
    /// - Returns: the names of the steps that were taken.
    @discardableResult
    public static func migrate(url: String) throws -> [String] {
        let connection = try PostgresSession.open(url)
        defer { connection.close() }
        return try PostgresSchema.migrate(connection)
    }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try Task.checkCancellation()
        return try await withTaskExecutorPreference(threads) { @concurrent in try self.readers.read(body) }
    }

    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await writer.write(body)
    }

    public var waitingWrites: Int { writer.waiting }

    public func close() {
        readers.close()
        writer.close { connection.close() }
    }
}

/// What every connection of the store is set to.
enum PostgresSession {
    private static let oldestVersion = 150_000

    /// - Throws: ``StoreError/unavailable(_:)`` if the server is too old, or its settings would break the store.
    static func open(_ url: String) throws -> PostgresConnection {
        let connection = try PostgresConnection(url: url)
        try connection.runScript(
            """
            SET client_encoding = 'UTF8'; SET client_min_messages = 'error'; SET standard_conforming_strings = on;
            SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '30s'; SET TIME ZONE 'UTC'
            """)
        let version = try connection.version()
        guard version >= oldestVersion else {
            throw StoreError.unavailable("the database is PostgreSQL \(version / 10_000), and 15 or newer is needed")
        }
        let encoding = try connection.parameter("server_encoding") ?? "unknown"
        guard encoding == "UTF8" else {
            throw StoreError.unavailable("the database's encoding is `\(encoding)`, and `UTF8` is needed")
        }
        let commit: String? = try connection.rows(Statement("SELECT current_setting('synchronous_commit')")).first?
            .value(0)
        guard commit != "off", commit != "local" else {
            throw StoreError.unavailable(
                "the database does not keep commits durable: synchronous_commit is `\(commit ?? "")`")
        }
        return connection
    }
}

/// Connections for reading, each used by one thread at a time.
final class PostgresReaders: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        var isClosed = false
    }

    private let url: String
    private let state = Mutex(State())

    init(url: String) { self.url = url }

    func read<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        let connection = try take()
        defer { giveBack(connection) }
        return try connection.reading(body)
    }

    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { connection.close() }
    }

    private func take() throws -> PostgresConnection {
        let known = try state.withLock { state in
            if state.isClosed { throw StoreError.unavailable("the database is closed") }
            return state.idle.popLast()
        }
        return try known ?? PostgresSession.open(url)
    }

    private func giveBack(_ connection: PostgresConnection) {
        let isKept = state.withLock { state in
            guard !state.isClosed, connection.isUsable else { return false }
            state.idle.append(connection)
            return true
        }
        if !isKept { connection.close() }
    }
}

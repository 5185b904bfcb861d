import Dispatch
public import OfferStore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The store in one database of a PostgreSQL server, shared by any number of processes (docs/scale.md).
///
/// One process writes at a time: each commit begins by locking the one row of `store_state`, which every write would
/// change anyway. Readers see a snapshot and never wait for a writer.
public final class PostgresDatabase: DatabaseDriver {
    public struct Limits: Sendable {
        public var writes: WriteLimits
        /// The most quick looks at once, each on a connection and a thread of its own; near the server there are fewer.
        public var looks: Int
        /// The most longer reads at once, which keep no look waiting.
        public var reads: Int
        /// How long a transaction that writes may send nothing before the server ends it, so that a process that stops
        /// does not hold the others up.
        public var stall: Duration
        /// How long the process that does what only one has to do keeps that without renewing it.
        public var term: Duration
        /// Whether each prefetched answer is asked for again and compared, which tests do.
        public var checksPrefetched: Bool

        public init(
            writes: WriteLimits = WriteLimits(), looks: Int = 16, reads: Int = 8, stall: Duration = .seconds(2),
            term: Duration = .seconds(6), checksPrefetched: Bool = false
        ) {
            self.writes = writes
            self.looks = looks
            self.reads = reads
            self.stall = stall
            self.term = term
            self.checksPrefetched = checksPrefetched
        }
    }

    /// How many round trips the process has made since it opened the database, and how long its commits have waited to
    /// begin, in nanoseconds: for the lock, with the round trip that asks for it.
    public final class RoundTrips: Sendable {
        fileprivate let reads = Atomic(0)
        fileprivate let writes = Atomic(0)
        fileprivate let waits = Atomic<Int64>(0)

        public var reading: Int { reads.load(ordering: .relaxed) }
        public var writing: Int { writes.load(ordering: .relaxed) }
        public var waiting: Int64 { waits.load(ordering: .relaxed) }
    }

    public let roundTrips = RoundTrips()
    private let connection: PostgresConnection
    private let writer: WriteQueue
    private let readers: PostgresReaders
    private let looks: ReadingThreads
    private let reads: ReadingThreads
    private let election: Election

    /// - Parameters:
    ///   - url: as libpq takes it; it may hold a password, and no error shows it.
    ///   - onCommit: called after each commit, successful or not, with the number of its bodies and its duration.
    /// - Throws: ``StoreError/notMigrated(_:)``, ``StoreError/newerThanThisVersion(_:)``, or what keeps the database from
    ///   being used, such as a setting that would lose commits.
    public init(
        url: String, limits: Limits = Limits(),
        onCommit: @escaping @Sendable (_ bodies: Int, _ duration: Duration) -> Void = { _, _ in }
    ) throws {
        let roundTrips = roundTrips
        connection = try PostgresConnection(url: url, checksPrefetched: limits.checksPrefetched) {
            roundTrips.writes.wrappingAdd(1, ordering: .relaxed)
        }
        election = Election(name: connection.name, term: limits.term)
        try PostgresSchema.check(connection)
        try connection.prepareToWrite(patience: limits.writes.patience, stall: limits.stall) {
            roundTrips.waits.wrappingAdd(Int64($0 / .nanoseconds(1)), ordering: .relaxed)
        }
        writer = WriteQueue(connection: connection, limits: limits.writes, isQuiet: { false }, onCommit: onCommit)
        readers = PostgresReaders {
            let connection = try PostgresConnection(url: url, checksPrefetched: limits.checksPrefetched) {
                roundTrips.reads.wrappingAdd(1, ordering: .relaxed)
            }
            try connection.runScript("SET default_transaction_read_only = on")
            return connection
        }
        func threads(_ count: Int, _ label: String) -> ReadingThreads {
            ReadingThreads((0..<max(1, count)).map { DispatchQueue(label: "\(label).\($0)") })
        }
        looks = threads(min(limits.looks, Self.usefulLooks(at: connection.trip)), "offers.look")
        reads = threads(limits.reads, "offers.read")
    }

    /// How many quick looks use the processors well: while an answer is on its way others can be asked, but where none
    /// takes long, more connections than processors only evict each other's data from the caches.
    private static func usefulLooks(at trip: Duration) -> Int {
        2 * max(1, sysconf(CInt(clamping: _SC_NPROCESSORS_ONLN))) + Int(clamping: Int64(trip / .microseconds(250)))
    }

    /// Brings a database to this version's schema.
    ///
    /// - Returns: the names of the steps that were taken.
    @discardableResult
    public static func migrate(url: String) throws -> [String] {
        let connection = try PostgresConnection(url: url)
        defer { connection.close() }
        try connection.requireSettings()
        return try PostgresSchema.migrate(connection)
    }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await read(on: reads) { try $0.reading(body) }
    }

    public func readInline<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await read(on: looks) { try $0.reading(body) }
    }

    public func readOnce<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await read(on: looks) { try $0.readingOnce(body) }
    }

    private func read<T: Sendable>(
        on threads: ReadingThreads, _ work: @escaping @Sendable (PostgresConnection) throws -> T
    ) async throws -> T {
        try Task.checkCancellation()
        return try await withTaskExecutorPreference(threads) { @concurrent in try self.readers.use(work) }
    }

    public func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await writer.write(expecting: expectation, body)
    }

    public var waitingWrites: Int { writer.waiting }

    public func isElected() async -> Bool {
        if let recent = election.recent { return recent }
        let isElected = (try? await stand()) ?? false
        election.note(isElected)
        return isElected
    }

    /// Writes only where it changes something: processes that are not elected ask again and again.
    private func stand() async throws -> Bool {
        guard try await readOnce(election.mayBeElected) else { return false }
        return try await write(expecting: { WriteExpectation(of: [], []) }, election.stand)
    }

    public var traffic: DatabaseTraffic? {
        DatabaseTraffic(
            roundTrips: ["reading": roundTrips.reading, "writing": roundTrips.writing],
            lockWait: .nanoseconds(roundTrips.waiting))
    }

    public var hasRole: Bool { election.isInTerm }

    public func close() {
        readers.close()
        writer.close {
            if connection.isUsable { try? election.resign(connection) }
            connection.close()
        }
    }
}

extension PostgresConnection {
    private static let oldestVersion = 150_000

    /// - Throws: ``StoreError/unavailable(_:)`` if the server is too old, or its settings would break the store.
    func requireSettings() throws {
        let version = try pipeline.version()
        guard version >= Self.oldestVersion else {
            throw StoreError.unsuitable("the database is PostgreSQL \(version / 10_000), and 15 or newer is needed")
        }
        let encoding = try pipeline.parameter("server_encoding") ?? "unknown"
        guard encoding == "UTF8" else {
            throw StoreError.unsuitable("the database's encoding is `\(encoding)`, and `UTF8` is needed")
        }
        let commit: String? = try row(Statement("SELECT current_setting('synchronous_commit')"))?.value(0)
        guard commit != "off", commit != "local" else {
            throw StoreError.unsuitable(
                "the database does not keep commits durable: `synchronous_commit` is `\(commit ?? "")`")
        }
    }
}

/// Connections for reading, each used by one thread at a time.
final class PostgresReaders: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        var isClosed = false
    }

    private let connect: @Sendable () throws -> PostgresConnection
    private let state = Mutex(State())

    init(_ connect: @escaping @Sendable () throws -> PostgresConnection) { self.connect = connect }

    func use<T>(_ work: (PostgresConnection) throws -> T) throws -> T {
        let (connection, isNew) = try take()
        do {
            defer { giveBack(connection) }
            return try work(connection)
        } catch StoreError.unreachable where !isNew {
            // The server has restarted, or another one has taken over, and no idle connection is of use.
            closeIdle()
        }
        let (next, _) = try take()
        defer { giveBack(next) }
        return try work(next)
    }

    func close() {
        state.withLock { $0.isClosed = true }
        closeIdle()
    }

    private func closeIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { connection.close() }
    }

    private func take() throws -> (connection: PostgresConnection, isNew: Bool) {
        let known = try state.withLock { state in
            if state.isClosed { throw StoreError.unavailable("the database is closed") }
            return state.idle.popLast()
        }
        if let known { return (known, false) }
        return (try connect(), true)
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

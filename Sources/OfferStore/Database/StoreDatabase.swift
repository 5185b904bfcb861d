import OfferModel

/// A durable database that runs synchronous transaction bodies (docs/design.md#storage).
///
/// A body never awaits while it holds the write lock, so a network call never holds up other writers. Drivers only run
/// statements; every operation and its SQL is written once, in this target. What a body throws is thrown on; a driver's
/// own failures are ``StoreError``.
public protocol StoreDatabase: Sendable {
    /// Runs a body that reads one consistent snapshot, for as long as it takes.
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T

    /// Runs a body that reads a few rows of one consistent snapshot, at once and on the caller's thread where the
    /// driver can: to hand a quick look to another thread costs more than the look.
    ///
    /// For many rows use ``read(_:)``, which holds no thread that others wait for.
    func readInline<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T

    /// Runs a body that asks one question, like ``readInline(_:)``: a driver may do without a snapshot, and then refuses
    /// a second question.
    func readOnce<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T

    /// Runs a body that reads and writes, and returns only after what it wrote is durable (invariant 1).
    ///
    /// Bodies that wait together share one durable commit: one that throws undoes only what it did itself. They run one
    /// after the other, in the order of arrival. Where one throws, all of them, itself too, may be run a second time,
    /// after what they did was undone: a body leaves nothing behind but rows. From the first statement to the commit no
    /// other transaction writes, in any process: counters and what a transaction remembers (``TransactionCache``) rest
    /// on that.
    ///
    /// - Parameter expectation: what the body will ask first; may be left out.
    /// - Throws: what the body throws, `CancellationError` if the task was cancelled before the body began, or
    ///   ``StoreError``; then nothing of the body is kept, except in a file that was moved meanwhile
    ///   (``StoreError/moved(_:)``).
    func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T
}

/// A database as a driver opens it.
public protocol DatabaseDriver: StoreDatabase {
    /// How many writes wait for the commit that is under way.
    var waitingWrites: Int { get }

    /// Whether this process is the one of all on the database that does what only one has to do, such as sending
    /// events; to be asked again before each round. Where that is not told apart, each is.
    func isElected() async -> Bool

    /// Whether this process has, as it knew last, what one of all on the database has: on a server the election, on a
    /// file the right to write the log back.
    var hasRole: Bool { get }

    /// What is counted of the way to a server; absent without one.
    var traffic: DatabaseTraffic? { get }

    /// Makes durable what can be read, where a process that was killed may have left what is not.
    func makeDurable() throws

    /// Keeps room on the disk again for what may use it (``KeptRoom``), as soon as the disk has enough; to be called
    /// from time to time.
    func keepRoom()

    /// Finishes what waits and lets go of the database; everything asked later is refused.
    func close() throws
}

extension DatabaseDriver {
    public func isElected() async -> Bool { true }
    public var traffic: DatabaseTraffic? { nil }
    public func makeDurable() throws {}
    public func keepRoom() {}
}

/// What has passed between a process and its server since the database was opened.
public struct DatabaseTraffic: Sendable {
    /// By what they were for.
    public var roundTrips: [String: Int]
    /// How long commits have waited for the lock, with the round trip that asks for it.
    public var lockWait: Duration

    public init(roundTrips: [String: Int], lockWait: Duration) {
        self.roundTrips = roundTrips
        self.lockWait = lockWait
    }
}

extension StoreDatabase {
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await write(expecting: nil, body)
    }

    public func readInline<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await read(body)
    }

    public func readOnce<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await readInline(body)
    }
}

/// A running transaction; valid only inside the body it was given to. What the stores read and write with it throws
/// ``StoreError``, besides their own errors.
///
/// A class, because every store holds it: one reference, not a box.
public protocol StoreTransaction: AnyObject {
    func rows(_ statement: Statement) throws -> [StoredRow]

    /// Runs a body for every row, while that row is current.
    func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws

    /// Runs a statement that changes rows; a driver may run it later, but before anything that could show the
    /// difference: an answer that may depend on it, or the commit. Its failure may be thrown then.
    func execute(_ statement: Statement) throws

    /// Runs a statement that changes rows, at once.
    ///
    /// - Returns: how many it changed.
    func changes(by statement: Statement) throws -> Int

    /// Asks at once what will be asked soon, where each question costs a round trip; otherwise does nothing.
    func prefetch(_ statements: [Statement]) throws

    /// Whether ``prefetch(_:)`` does anything.
    var prefetches: Bool { get }

    /// The condition under which a column holds text that goes on after U+0000; `nil` if the engine has no such text.
    func goesOnAfterNUL(_ column: String) -> String?

    /// Says which other things than expected (``WriteExpectation``) the body is about to change rows of: then nothing
    /// that was asked ahead for the bodies after it holds.
    func concerns(_ others: () -> [Concern])

    /// Where changes of the ledger are recorded; drivers have none, see ``Ledger``.
    var recording: AuditLog? { get }

    /// The transaction's cache; none if the driver keeps none. A wrapper hands on its base's cache, or
    /// the two would not see each other's changes.
    var memory: TransactionCache? { get }
}

extension StoreTransaction {
    public var recording: AuditLog? { nil }

    public func execute(_ statement: Statement) throws { _ = try changes(by: statement) }

    public func prefetch(_ statements: [Statement]) throws {}

    public var prefetches: Bool { false }

    public func concerns(_ others: () -> [Concern]) {}

    /// Asks at once what operations will ask first, where each question costs a round trip.
    ///
    /// - Parameter operations: run with a transaction that only notes their questions and answers each with no row; what
    ///   they throw is ignored.
    public func expect(_ operations: ((any StoreTransaction) throws -> Void)...) throws {
        if prefetches { try prefetch(Questions.of(operations)) }
    }

    public func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws {
        for row in try rows(statement) { try body(row) }
    }

    @inline(__always)
    func rows<each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> [StoredRow] {
        try rows(Statement(sql, repeat each value, list: list))
    }

    public func row(_ statement: Statement) throws -> StoredRow? {
        try rows(statement).first
    }

    @inline(__always)
    func row<each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> StoredRow? {
        try row(Statement(sql, repeat each value, list: list))
    }

    @inline(__always)
    func execute<each Value: Storable>(
        _ sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws {
        try execute(Statement(sql, repeat each value, list: list))
    }

    @inline(__always)
    func changes<each Value: Storable>(
        by sql: String, _ value: repeat each Value, list: [StoredValue]? = nil
    ) throws -> Int {
        try changes(by: Statement(sql, repeat each value, list: list))
    }
}

/// One transaction's cache of the rows that nearly every body reads: the store's clock, the audit's head, the
/// generations, the counters; in a snapshot also API keys and the present state.
///
/// Only for as long as the transaction: until it ends no other transaction changes what it sees, so what was read once
/// still holds, and what a durable one has changed need be written once. A driver makes one when it begins, hands it to
/// every body, goes back to the ``mark`` of a body that it undoes, and has ``write(to:)`` called before it commits.
public final class TransactionCache {
    public struct Mark {
        fileprivate let contents: Contents
    }

    struct Contents {
        /// `store_state`, as the transaction sees it.
        var clock: StoreClock.State?
        var isClockChanged = false
        var auditHead: AuditHead?
        var hasNewCatalog = false
        var generations: [ScopeNumber: Int64] = [:]
        var counters: [RememberedCounters.Place: RememberedCounters] = [:]
        var unmatched: [UnmatchedPlace: [ProductId: Int]] = [:]
    }

    /// Rows that only snapshots remember: a durable transaction may change them.
    struct SnapshotRows {
        var presentStates: [Scope: PresentState] = [:]
        var apiKeys: [String: (key: StoredAPIKey, lastInstant: Instant?)] = [:]
        /// Scopes whose counters have all been read: a counter that `contents` lacks shows 0.
        var allCounters: Set<ScopeNumber> = []
    }

    var contents = Contents()
    /// `nil` in a durable transaction.
    var snapshot: SnapshotRows?
    /// Whether changes are written at the end; in a snapshot the driver refuses each.
    var takesChanges: Bool { snapshot == nil }

    public init(ofSnapshot isSnapshot: Bool = false) {
        snapshot = isSnapshot ? SnapshotRows() : nil
    }

    /// Whether a catalog was put in force in this transaction. It may yet be undone, and another take its number, so it
    /// must not be cached for longer.
    public var hasNewCatalog: Bool { contents.hasNewCatalog }

    public var mark: Mark { Mark(contents: contents) }

    /// Forgets what was learned since a mark, because the statements since then were undone.
    public func rollback(to mark: Mark) {
        contents = mark.contents
    }

    /// - Throws: ``StoreError``; then nothing of the transaction may be committed.
    public func write(to transaction: any StoreTransaction) throws {
        try writeCounters(to: transaction)
        guard contents.isClockChanged, let clock = contents.clock else { return }
        try StoreClock(transaction).write(clock)
        contents.isClockChanged = false
    }
}

/// Why the store could not do what it was asked.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Too many requests wait, or another process holds the database; trying again later can help.
    case busy(String)
    /// The file or its directory cannot be written.
    case readOnly(String)
    case full(String)
    /// The structure of the file is damaged: nothing in it can be relied on.
    case damaged(String)
    /// A row holds what it never should.
    case corrupt(String)
    /// The facts of some history cannot be read; they can be derived from it.
    case corruptFacts(String)
    /// The file is no database, or another program's.
    case foreign(String)
    /// The database was never migrated, or not by this version.
    case notMigrated(String)
    /// A newer version of the program has migrated the database.
    case newerThanThisVersion(String)
    /// A restore was interrupted, and there is no database in its place.
    case interrupted(String)
    /// The path leads to another file than the one that is open, or to none: what is committed would be unknown to the
    /// next process.
    case moved(String)
    /// A constraint of the schema refused a row; the text names it, such as `issued_offer.id`.
    case constraint(String)
    /// The file cannot be opened, read or written.
    case unavailable(String)
    /// The server of the database does not answer, or does not accept this user.
    case unreachable(String)
    /// The database, its server or SQLite is not one that the store can work on, such as a version that is too old.
    case unsuitable(String)
    /// The ledger was about to be changed in a transaction without an author: a defect, see ``Ledger``.
    case unrecorded

    public var detail: String {
        switch self {
        case .corrupt(let detail), .corruptFacts(let detail): "the database is corrupt: \(detail)"
        case .busy(let detail), .readOnly(let detail), .full(let detail), .damaged(let detail),
            .foreign(let detail), .notMigrated(let detail), .newerThanThisVersion(let detail), .interrupted(let detail),
            .moved(let detail), .unavailable(let detail), .unreachable(let detail), .unsuitable(let detail):
            detail
        case .unrecorded: "the ledger cannot be changed without an audit event"
        case .constraint(let name): "the database refused a row that would break its constraint `\(name)`"
        }
    }

    public var description: String { detail }

    /// Whether trying again cannot help: the database, the program or the configuration has to be changed first.
    public var isPermanent: Bool {
        switch self {
        case .damaged, .corrupt, .corruptFacts, .foreign, .notMigrated, .newerThanThisVersion, .interrupted,
            .unsuitable, .constraint, .unrecorded:
            true
        case .busy, .readOnly, .full, .moved, .unavailable, .unreachable: false
        }
    }

    /// Whether it is of the file, its disk or those who share it, and not of a row or a statement.
    public var isOfFile: Bool {
        switch self {
        case .busy, .full, .readOnly, .damaged, .foreign, .notMigrated, .newerThanThisVersion, .interrupted, .moved,
            .unavailable, .unreachable, .unsuitable:
            true
        case .corrupt, .corruptFacts, .constraint, .unrecorded: false
        }
    }

    public var hint: String? {
        switch self {
        case .busy: "try again in a moment"
        case .readOnly: "check the owner and the permissions of the database file and its directory"
        case .full: "free space on the disk that holds the database"
        case .damaged: "stop the service and restore the latest backup; `offerd doctor` shows what is broken"
        case .corrupt: "stop the service and restore the latest backup"
        case .corruptFacts: "run `offerd doctor --rebuild-facts`"
        case .foreign: "check that the path is that of the database"
        case .notMigrated: "run `offerd migrate`"
        case .newerThanThisVersion: "run the newest version of offerd that ever used this database"
        case .interrupted: "run `offerd restore` again, or `offerd move` if that was interrupted"
        case .moved:
            "put the file back, with those of the same name that end in `-wal`, `-shm` and `-checkpoint`; "
                + "docs/operations.md, \"A database that was moved\", says what to do if it is gone"
        case .constraint, .unrecorded: nil
        case .unavailable: "check the database's path, its permissions and its disk"
        case .unsuitable: "docs/operations.md and docs/scale.md say what the database needs"
        case .unreachable: "check that the PostgreSQL server runs, and the host, the user and the name in `database`"
        }
    }
}

/// A durable database that runs synchronous transaction bodies (docs/design.md#storage).
///
/// A body never awaits while it holds the write lock, so nobody can be kept waiting by a network call. Drivers only run
/// statements; every operation and its SQL is written once, in this target.
public protocol StoreDatabase: Sendable {
    /// Runs a body that reads one consistent snapshot, for as long as it takes.
    ///
    /// - Throws: what the body throws, or ``StoreError``.
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T

    /// Runs a body that reads a few rows of one consistent snapshot, at once and on the caller's thread where the driver
    /// can: to hand a quick look to another thread costs more than the look.
    ///
    /// What reads many rows takes ``read(_:)``, so that it keeps no thread that others wait for.
    ///
    /// - Throws: what the body throws, or ``StoreError``.
    func look<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T

    /// Runs a body that reads and writes, and returns only after what it wrote is durable (invariant 1).
    ///
    /// Bodies that wait together share one durable commit: one that throws undoes only what it did itself. They run one
    /// after the other, in the order of arrival. Where one throws, all of them, itself too, may be run a second time,
    /// after what they did was undone: a body leaves nothing behind but rows. From the first statement to the commit nobody
    /// else writes, in no process: counters and what a transaction remembers (``WriteMemory``) rest on that.
    ///
    /// - Throws: what the body throws, `CancellationError` if the task was cancelled before the body began, or
    ///   ``StoreError``; then nothing of the body was kept.
    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T
}

extension StoreDatabase {
    /// Reads as any other.
    ///
    /// - Throws: what the body throws, or ``StoreError``.
    public func look<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await read(body)
    }
}

/// A running transaction; valid only inside the body it was given to.
///
/// A class, because every store holds it: one reference, not a box.
public protocol StoreTransaction: AnyObject {
    /// Every row of a statement that answers with rows.
    ///
    /// - Throws: ``StoreError``.
    func rows(_ statement: Statement) throws -> [StoredRow]

    /// Runs a body for every row of a statement, while the statement stands there.
    ///
    /// - Throws: what the body throws, or ``StoreError``.
    func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws

    /// Runs a statement and says how many rows it changed.
    ///
    /// - Throws: ``StoreError``.
    @discardableResult
    func execute(_ statement: Statement) throws -> Int

    /// Where changes of the ledger are told; drivers have none, see ``Ledger``.
    var recording: AuditRecording? { get }

    /// What the durable transaction knows already; none where nothing is written, or where the driver keeps none. Whoever
    /// wraps a transaction hands on what it has, or the two would not see what the other has changed.
    var memory: WriteMemory? { get }
}

extension StoreTransaction {
    /// Runs a body for every row of a statement, from copies.
    ///
    /// - Throws: what the body throws, or ``StoreError``.
    public func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws {
        for row in try rows(statement) { try body(CopiedColumns(row)) }
    }

    /// None.
    public var recording: AuditRecording? { nil }

    /// The first row, if there is one.
    ///
    /// - Throws: ``StoreError``.
    public func row(_ statement: Statement) throws -> StoredRow? {
        try rows(statement).first
    }
}

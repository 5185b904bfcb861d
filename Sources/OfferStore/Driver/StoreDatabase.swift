/// A durable database that runs synchronous transaction bodies (DESIGN §9).
///
/// A body never awaits while it holds the write lock, so nobody can be kept waiting by a network call. Drivers only run
/// statements; every operation and its SQL is written once, in this target.
public protocol StoreDatabase: Sendable {
    /// Runs a body that reads one consistent snapshot.
    ///
    /// - Throws: what the body throws, or ``StoreError``.
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T

    /// Runs a body that reads and writes, and returns only after what it wrote is durable (invariant 1).
    ///
    /// Bodies that wait together share one durable commit, each in a savepoint of its own: one that throws undoes only
    /// what it did itself. They run one after the other, in the order of arrival.
    ///
    /// - Throws: what the body throws, `CancellationError` if the task was cancelled before the body began, or
    ///   ``StoreError``; then nothing of the body was kept.
    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T
}

/// A running transaction; valid only inside the body it was given to.
public protocol StoreTransaction {
    /// Every row of a statement that answers with rows.
    ///
    /// - Throws: ``StoreError``.
    func rows(_ statement: Statement) throws -> [StoredRow]

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
    /// None.
    public var recording: AuditRecording? { nil }

    /// The first row, if there is one.
    ///
    /// - Throws: ``StoreError``.
    public func row(_ statement: Statement) throws -> StoredRow? {
        try rows(statement).first
    }
}

import GRDBSQLite
import OfferStore
import Synchronization

/// Reading connections for quick looks, each used by one thread at a time.
///
/// A look runs where its caller runs. There are never more connections in use than threads, so nobody waits for one.
final class Readers: Sendable {
    private struct State {
        var idle: [Reader] = []
        var isClosed = false
    }

    /// So many stay open; what more were needed at once are closed again.
    private static let kept = 8

    private let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    /// Runs a body on a snapshot.
    ///
    /// - Throws: what the body throws, `CancellationError` if the task is cancelled, or ``StoreError``.
    func look<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        let reader = try take()
        do {
            let value = try reader.look(body)
            giveBack(reader)
            return value
        } catch {
            giveBack(reader)
            throw error
        }
    }

    /// Closes what is idle; a look that has begun closes its connection when it is done.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }

    /// The one used last has the most of the file in its memory.
    private func take() throws -> Reader {
        let known = try state.withLock { state in
            if state.isClosed { throw StoreError.unavailable("the database is closed") }
            return state.idle.popLast()
        }
        return try known ?? Reader(path: path)
    }

    private func giveBack(_ reader: Reader) {
        guard reader.isReusable else { return }
        state.withLock { state in
            if !state.isClosed, state.idle.count < Self.kept { state.idle.append(reader) }
        }
    }
}

/// One reading connection with its statements.
///
/// It may go from thread to thread, because ``Readers`` gives it to one at a time.
private final class Reader: @unchecked Sendable {
    private let handle: OpaquePointer
    private let statements: PreparedStatements
    private let begin: PreparedStatement
    private let end: PreparedStatement

    init(path: String) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle = opened else {
            let error = StoreError(code: code, on: opened)
            sqlite3_close(opened)
            throw error
        }
        do {
            // Readers wait for nobody, but for a neighbour who mends the log of one that was killed.
            sqlite3_busy_timeout(handle, 5_000)
            _disableDoubleQuotedStringLiterals(handle)
            statements = PreparedStatements(on: handle)
            begin = try PreparedStatement("BEGIN DEFERRED TRANSACTION", on: handle)
            end = try PreparedStatement("COMMIT TRANSACTION", on: handle)
        } catch {
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
    }

    deinit {
        // Goes away with the last of its statements.
        sqlite3_close_v2(handle)
    }

    /// Whether the next may have it: a snapshot that could not be ended would be seen for ever.
    var isReusable: Bool { sqlite3_get_autocommit(handle) != 0 }

    func look<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        try begin.run([]) {}
        // A failure that ended the transaction has been thrown already.
        defer { try? end.run([]) {} }
        return try body(SQLiteTransaction(connection: statements, isCancellable: true))
    }
}

import CSQLite
import OfferStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One connection to a database, the statements that it has prepared, and the transaction that runs on it.
///
/// It may go from thread to thread, but only one uses it at a time.
final class Connection: @unchecked Sendable {
    enum Access {
        case readOnly, readWrite
    }

    /// More texts than the service has; only questions about unusually many identifiers add to them.
    private static let capacity = 512

    private(set) var handle: OpaquePointer?
    private let access: Access
    private var statements: [StatementText: PreparedStatement] = [:]
    /// Whether a body reads a snapshot, which ends at the next statement if its task is cancelled.
    private var isReading = false
    /// The cache of the running transaction.
    var memory: TransactionCache?

    /// Opens a file that exists, or a new database in memory, `:memory:`.
    ///
    /// - Parameter milliseconds: how long a statement waits for another process that holds the database.
    init(path: String, _ access: Access, waiting milliseconds: CInt = 5_000) throws {
        self.access = access
        MemoryCount.off
        try SQLiteVersion.check()
        let mode = access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        try check(sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX, nil))
        sqlite3_busy_timeout(handle, milliseconds)
        try check(offerd_sqlite3_refuse_quoted_strings(handle))
        switch access {
        case .readOnly:
            // Interrupts a long statement of a cancelled task. The writer works for several tasks, and is never
            // interrupted.
            sqlite3_progress_handler(handle, 10_000, { _ in Task.isCancelled ? 1 : 0 }, nil)
        case .readWrite:
            // What is deleted is overwritten where its page is written anyway, however SQLite was built (decision
            // 0031). The log is written back by the checkpointer alone (decision 0048). `fullfsync` is for macOS, where a
            // flush otherwise ends in the drive's cache; elsewhere it changes nothing.
            try runScript(
                """
                PRAGMA foreign_keys = ON; PRAGMA secure_delete = FAST; PRAGMA wal_autocheckpoint = 0; \
                PRAGMA fullfsync = ON
                """)
        }
    }

    deinit { try? close() }

    /// Closes it; every later use throws. A second call does nothing.
    func close() throws {
        statements = [:]
        defer { handle = nil }
        try check(sqlite3_close_v2(handle))
    }

    private func open() throws -> OpaquePointer {
        guard let handle else { throw StoreError.unavailable("the database is closed") }
        return handle
    }

    private func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw StoreError(code: code, on: handle) }
    }

    /// Runs statements that answer with nothing, each prepared for this run only: pragmas and the schema.
    ///
    /// - Throws: ``StoreError``; then what came before the failed statement is done.
    func runScript(_ sql: String) throws {
        try check(sqlite3_exec(try open(), sql, nil, nil, nil))
    }

    func column<Value: Storable>(_ sql: String, as type: Value.Type = Value.self) throws -> [Value] {
        try rows(Statement(sql)).map { try $0.value(0) }
    }

    private func statement(_ sql: String) throws -> PreparedStatement {
        guard isReading else { return try prepared(sql) }
        try Task.checkCancellation()
        let statement = try prepared(sql)
        guard statement.onlyReads else {
            throw StoreError(code: SQLITE_READONLY, "attempt to write a readonly database")
        }
        return statement
    }

    private func prepared(_ sql: String) throws -> PreparedStatement {
        let text = StatementText(sql)
        guard let known = statements[text] else {
            let statement = try PreparedStatement(sql, on: try open())
            if statements.count >= Self.capacity { statements.removeAll(keepingCapacity: true) }
            statements[text] = statement
            return statement
        }
        return known.isRunning ? try PreparedStatement(sql, on: try open()) : known
    }
}

extension Connection: StoreTransaction {
    func goesOnAfterNUL(_ column: String) -> String? {
        "(typeof(\(column)) = 'text' AND instr(CAST(\(column) AS BLOB), x'00') > 0)"
    }

    func rows(_ statement: Statement) throws -> [StoredRow] {
        var rows = [StoredRow]()
        let prepared = try self.statement(statement.sql)
        try prepared.run(statement.values) { rows.append(try prepared.row()) }
        return rows
    }

    func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws {
        let prepared = try self.statement(statement.sql)
        try prepared.run(statement.values) { try body(prepared) }
    }

    func execute(_ statement: Statement) throws {
        try self.statement(statement.sql).run(statement.values) {}
    }

    func changes(by statement: Statement) throws -> Int {
        try self.statement(statement.sql).run(statement.values) {}
        return Int(sqlite3_changes(handle))
    }
}

// Transactions.

extension Statement {
    static let beginReading = Statement("BEGIN DEFERRED TRANSACTION")
    static let beginWriting = Statement("BEGIN IMMEDIATE TRANSACTION")
    static let commit = Statement("COMMIT TRANSACTION")
    static let rollback = Statement("ROLLBACK TRANSACTION")
}

extension Connection: WriterConnection {
    var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// Runs a body on a snapshot, and lets it write nothing.
    func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        try execute(.beginReading)
        isReading = true
        memory = TransactionCache(ofSnapshot: true)
        defer {
            isReading = false
            memory = nil
            // A failure that ended the transaction has been thrown already.
            _ = try? execute(.commit)
        }
        return try body(self)
    }

    /// SQLite's own waiting grows to 100 ms between two looks, and a busy process would nearly always be missed; a
    /// repeated short wait looks more often.
    func beginWriting(
        until deadline: ContinuousClock.Instant, expecting _: [ExpectedBody], joining _: () -> [ExpectedBody]
    ) throws {
        while true {
            do {
                try execute(.beginWriting)
                return
            } catch StoreError.busy(let detail) {
                if ContinuousClock.now >= deadline { throw StoreError.busy(detail) }
            }
        }
    }

    func commit() throws { try execute(.commit) }

    func rollback() throws { try execute(.rollback) }

    /// Runs a body in a separate transaction, which is rolled back if it throws.
    func writing<T>(_ body: () throws -> T) throws -> T {
        try execute(.beginWriting)
        do {
            let value = try body()
            try execute(.commit)
            return value
        } catch {
            if isInTransaction { _ = try? execute(.rollback) }
            throw error
        }
    }
}

// Files and logs.

extension Connection {
    /// Asks for a write-ahead log that is flushed with every commit, so that a commit survives the loss of power, and
    /// checks that it is so.
    func requireDurableCommits() throws {
        try runScript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        let synchronous = try column("PRAGMA synchronous", as: Int.self).first
        let journal = try column("PRAGMA journal_mode", as: String.self).first
        guard synchronous == 2, journal == "wal" else {
            throw StoreError.unavailable(
                """
                the database does not keep commits durable: synchronous \(synchronous ?? -1), \
                journal \(journal ?? "unknown")
                """)
        }
    }

    @discardableResult
    func checkpoint(_ mode: CInt) -> Bool {
        handle.map { sqlite3_wal_checkpoint_v2($0, "main", mode, nil, nil) == SQLITE_OK } ?? false
    }

    /// Whether the name of its file was given to another file, or to none.
    var hasMoved: Bool {
        var hasMoved: CInt = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0
    }

    func releaseMemory() { sqlite3_db_release_memory(handle) }

    /// Copies the whole database over another one, and looks for a cancelled task after every step.
    func backUp(to target: Connection, pagesPerStep: CInt) throws {
        guard let backup = sqlite3_backup_init(try target.open(), "main", try open(), "main") else {
            throw StoreError(code: sqlite3_errcode(target.handle), on: target.handle)
        }
        defer { sqlite3_backup_finish(backup) }
        while true {
            try Task.checkCancellation()
            switch sqlite3_backup_step(backup, pagesPerStep) {
            case SQLITE_DONE: return
            case SQLITE_OK: continue
            // The connection to the copy has the message only once the copying is over.
            case let code: throw StoreError(code: code, String(cString: sqlite3_errstr(code)))
            }
        }
    }
}

/// A statement's text as a key. To hash all of it at each use would cost more than many a statement.
private struct StatementText: Hashable {
    private let sql: String

    init(_ sql: String) {
        self.sql = sql
    }

    static func == (left: Self, right: Self) -> Bool { left.sql == right.sql }

    func hash(into hasher: inout Hasher) {
        // Texts of one length mostly differ in their middle, where tables and conditions are.
        let sample = sql.utf8.withContiguousStorageIfAvailable { text -> UInt64 in
            guard text.count >= 16 else { return 0 }
            return UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: text.count / 2, as: UInt64.self)
        }
        hasher.combine((sample ?? 0) ^ UInt64(truncatingIfNeeded: sql.utf8.count))
    }
}

/// SQLite's count of the memory it takes, which nothing here asks for.
///
/// It is one for the whole process: each piece of memory that any connection takes or gives back waits for one lock.
private enum MemoryCount {
    /// Turns it off, once, before the first connection. SQLite refuses where something else in the process has used it
    /// already, and goes on counting.
    static let off: Void = {
        _ = offerd_sqlite3_config_memstatus(0)
    }()
}

extension StoreError {
    /// The connection's message about the call that failed last.
    init(code: CInt, on connection: OpaquePointer?) {
        // SQLite calls a disk full only where a write of its own was cut short: not for a quota, nor for the log's index.
        let isFull = code & 0xFF == SQLITE_IOERR && [ENOSPC, EDQUOT].contains(sqlite3_system_errno(connection))
        self.init(code: isFull ? SQLITE_FULL : code, String(cString: sqlite3_errmsg(connection)))
    }

    /// - Parameter code: SQLite's, extended or not.
    init(code: CInt, _ message: String) {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy("another process holds the database")
        case SQLITE_READONLY, SQLITE_PERM: self = .readOnly("the database cannot be written: \(message)")
        case SQLITE_FULL: self = .full("the disk is full")
        case SQLITE_CORRUPT: self = .damaged("the database file is damaged: \(message)")
        case SQLITE_NOTADB: self = .foreign("the database file is not an SQLite database")
        // A sum or a step beyond 64 bits, which only numbers lead to that the service never writes.
        case SQLITE_ERROR where message == "integer overflow": self = .corrupt("a sum of its rows is beyond 64 bits")
        case SQLITE_CONSTRAINT where message.hasPrefix("cannot store REAL"):
            self = .corrupt("a number in it is beyond 64 bits: \(message)")
        case SQLITE_CONSTRAINT: self = .constraint(Self.constraintName(message))
        case SQLITE_CANTOPEN: self = .unavailable("the database file cannot be opened")
        default: self = .unavailable("the database failed: \(message)")
        }
    }

    /// `issued_offer.id` of `UNIQUE constraint failed: issued_offer.id`.
    private static func constraintName(_ message: String) -> String {
        if message.hasPrefix("FOREIGN KEY") { return "a foreign key" }
        guard let colon = message.firstRange(of: "failed: ") else { return message }
        return String(message[colon.upperBound...])
    }
}

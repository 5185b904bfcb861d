import CPostgres
import OfferStore

/// One connection to a server, with the statements that it has prepared. One thread at a time may use it.
final class PostgresConnection: @unchecked Sendable {
    /// More texts than the service has; only questions about unusually many identifiers add to them.
    private static let capacity = 512

    private var handle: OpaquePointer?
    /// The names of the prepared statements, by their text.
    private var prepared: [String: String] = [:]
    private var preparations = 0
    /// Whether a body reads a snapshot, which ends at the next statement if its task is cancelled.
    private var isReading = false
    var memory: TransactionCache?

    /// - Parameter url: as libpq takes it: `postgres://user@host/database?sslmode=verify-full`.
    /// - Throws: ``StoreError/unavailable(_:)`` if libpq cannot be loaded or the server does not answer.
    init(url: String) throws {
        if let reason = offerd_pq_load() {
            throw StoreError.unreachable("PostgreSQL's client library cannot be loaded: \(String(cString: reason))")
        }
        handle = offerd_pq_connectdb(url)
        guard offerd_pq_status(handle) == OFFERD_PQ_CONNECTION_OK else {
            let message = Self.message(handle)
            close()
            throw StoreError.unreachable("the database cannot be reached: \(message)")
        }
    }

    deinit { close() }

    /// Closes it; every later use throws. A second call does nothing.
    func close() {
        prepared = [:]
        offerd_pq_finish(handle.take() ?? nil)
    }

    private func open() throws -> OpaquePointer {
        guard let handle else { throw StoreError.unavailable("the database is closed") }
        return handle
    }

    private static func message(_ handle: OpaquePointer?) -> String {
        String(cString: offerd_pq_errorMessage(handle)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// A setting that the server reports, such as `server_encoding`.
    func parameter(_ name: String) throws -> String? {
        offerd_pq_parameterStatus(try open(), name).map { String(cString: $0) }
    }

    /// The server's version, such as 150018 for 15.18.
    func version() throws -> Int { Int(offerd_pq_serverVersion(try open())) }

    /// Runs statements that answer with nothing, each without being prepared: the schema and settings.
    ///
    /// - Returns: what the last one was, such as `COMMIT`.
    @discardableResult
    func runScript(_ sql: String) throws -> String {
        try PostgresResult(offerd_pq_exec(try open(), sql), on: try open()).command
    }
}

extension PostgresConnection: StoreTransaction {
    func goesOnAfterNUL(_ column: String) -> String? { nil }

    func rows(_ statement: Statement) throws -> [StoredRow] {
        let result = try run(statement)
        return try (0..<result.count).map { row in
            result.row = row
            return try result.copiedRow()
        }
    }

    func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws {
        let result = try run(statement)
        for row in 0..<result.count {
            result.row = row
            try body(result)
        }
    }

    @discardableResult
    func execute(_ statement: Statement) throws -> Int { try run(statement).changes }

    private func run(_ statement: Statement) throws -> PostgresResult {
        if isReading { try Task.checkCancellation() }
        let name = try preparedName(of: statement.sql)
        let handle = try open()
        return try PostgresParameters(statement.values).withPointers { values, lengths, formats in
            try PostgresResult(
                offerd_pq_execPrepared(
                    handle, name, CInt(clamping: values.count), values.baseAddress,
                    lengths.baseAddress, formats.baseAddress, 1),
                on: handle)
        }
    }

    private func preparedName(of sql: String) throws -> String {
        if let name = prepared[sql] { return name }
        if prepared.count >= Self.capacity {
            try runScript("DEALLOCATE ALL")
            prepared.removeAll(keepingCapacity: true)
        }
        preparations += 1
        let name = "s\(preparations)"
        let handle = try open()
        _ = try PostgresResult(
            offerd_pq_prepare(handle, name, Self.numbered(sql), 0, nil), on: handle)
        prepared[sql] = name
        return name
    }

    /// The text with `$1` in place of `?1`. No text of a statement has a question mark in it.
    static func numbered(_ sql: String) -> String { sql.replacing("?", with: "$") }
}

// Transactions.

extension PostgresConnection: WriterConnection {
    var isInTransaction: Bool {
        let status = handle.map { offerd_pq_transactionStatus($0) } ?? OFFERD_PQ_IDLE
        return status != OFFERD_PQ_IDLE && status != OFFERD_PQ_UNKNOWN
    }

    /// Whether it can begin a transaction: it is connected, and the last one has ended.
    var isUsable: Bool { handle.map { offerd_pq_transactionStatus($0) == OFFERD_PQ_IDLE } ?? false }

    /// Locks the row that every writer of every process locks first, so that what it reads later is all that was
    /// committed before.
    func beginWriting(until deadline: ContinuousClock.Instant) throws {
        let patience = ContinuousClock.now.duration(to: deadline)
        let milliseconds = max(
            1, patience.components.seconds * 1_000 + patience.components.attoseconds / 1_000_000_000_000_000)
        do {
            try runScript(
                """
                BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = \(milliseconds);
                SELECT sequence FROM store_state WHERE id = 1 FOR UPDATE
                """)
        } catch {
            if isInTransaction { try? rollback() }
            throw error
        }
    }

    /// The server answers the commit of a transaction in which a statement failed by undoing it.
    func commit() throws {
        guard try runScript("COMMIT") == "COMMIT" else {
            throw StoreError.unavailable("the transaction was undone, because one of its statements had failed")
        }
    }

    func rollback() throws { _ = try runScript("ROLLBACK") }

    /// Runs a body on a snapshot, and lets it write nothing.
    func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        try runScript("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        isReading = true
        memory = TransactionCache(ofSnapshot: true)
        defer {
            isReading = false
            memory = nil
            // A failure that ended the transaction has been thrown already.
            try? rollback()
        }
        return try body(self)
    }
}

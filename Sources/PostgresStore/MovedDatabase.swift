public import OfferStore

/// A database of a server that is moved away: while it is open, no process can write to it.
public final class DatabaseToMove: MoveSource {
    private let connection: PostgresConnection
    private let lock: PostgresConnection

    /// How long connections may take to end after their process.
    private static let patience = Duration.seconds(5)

    /// - Throws: ``StoreError/busy(_:)`` if something else is connected to it.
    public init(url: String) throws {
        lock = try PostgresConnection(url: url)
        connection = try PostgresConnection(url: url)
        try PostgresSchema.check(connection)
        try requireAlone()
        // Every commit begins with a row of this table.
        try lock.runScript(
            "SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE store_state IN EXCLUSIVE MODE")
    }

    private func requireAlone() throws {
        let own: Int? = try lock.row(Statement("SELECT pg_backend_pid()"))?.value(0)
        let others = Statement(
            """
            SELECT COUNT(*) FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND pid NOT IN (pg_backend_pid(), ?1)
            """, own)
        let deadline = ContinuousClock.now + Self.patience
        while try connection.row(others)?.value(0, as: Int.self) != 0 {
            guard ContinuousClock.now < deadline else {
                throw StoreError.busy("something else is connected to the database that is to be moved")
            }
            pause(milliseconds: 50)
        }
    }

    public func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T { try connection.reading(body) }

    public func retire() throws -> String {
        try lock.runScript("\(PostgresSchema.retirement); COMMIT")
        return "the old database is kept, and no server opens it again (table `moved`)"
    }

    public func close() {
        connection.close()
        lock.close()
    }
}

/// A database of a server that is filled.
public final class DatabaseToFill: MoveTarget {
    private let connection: PostgresConnection

    /// Begins, or goes on with what an interrupted move has left.
    ///
    /// - Throws: ``StoreError/unsuitable(_:)`` if it is not empty.
    public init(url: String) throws {
        connection = try PostgresConnection(url: url)
        try connection.requireSettings()
        try PostgresSchema.beginMove(connection)
        // What a server that fails loses is copied again.
        try connection.runScript("SET synchronous_commit = off")
    }

    public func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T { try connection.reading(body) }

    public func append(_ rows: [StoredRow], to table: Table) throws {
        let names = table.columns.map(\.name).joined(separator: ", ")
        try connection.pipeline.copy(
            "COPY \(table.name) (\(names)) FROM STDIN (FORMAT binary)", try CopiedRows.of(rows))
    }

    public func refusal(of row: StoredRow) -> String? {
        let holdsZero = row.values.contains { value in
            if case .text(let text) = value { text.utf8.contains(0) } else { false }
        }
        return holdsZero ? "a text with U+0000, which PostgreSQL cannot hold" : nil
    }

    public func complete() throws { try PostgresSchema.completeMove(connection) }

    public func finish() throws {
        // Its commit makes all before it durable too.
        try connection.runScript("SET synchronous_commit = on")
        try PostgresSchema.finishMove(connection)
    }

    public func close() { connection.close() }
}

/// Rows in COPY's binary format (PostgreSQL, COPY, "Binary Format").
private enum CopiedRows {
    static func of(_ rows: [StoredRow]) throws -> [UInt8] {
        var bytes: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
        append(0 as Int32, to: &bytes)
        append(0 as Int32, to: &bytes)
        for row in rows {
            append(Int16(truncatingIfNeeded: row.values.count), to: &bytes)
            for value in row.values { append(value, to: &bytes) }
        }
        append(-1 as Int16, to: &bytes)
        return bytes
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func append(_ value: StoredValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: append(-1 as Int32, to: &bytes)
        case .integer(let number):
            append(8 as Int32, to: &bytes)
            append(number, to: &bytes)
        case .text(let text):
            append(Int32(truncatingIfNeeded: text.utf8.count), to: &bytes)
            bytes.append(contentsOf: text.utf8)
        case .blob(let blob):
            append(Int32(truncatingIfNeeded: blob.count), to: &bytes)
            bytes.append(contentsOf: blob)
        }
    }
}

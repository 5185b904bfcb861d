import OfferStore

/// Runs statements on one SQLite connection; each text is prepared once and then reused.
final class SQLiteTransaction: StoreTransaction {
    private let connection: any Connection
    /// Whether a cancelled task runs no further statement: one that reads for nobody any more, and never the writer, who
    /// works for several.
    private let isCancellable: Bool
    let memory: WriteMemory?

    init(connection: any Connection, isCancellable: Bool = false, memory: WriteMemory? = nil) {
        self.connection = connection
        self.isCancellable = isCancellable
        self.memory = memory
    }

    func rows(_ statement: Statement) throws -> [StoredRow] {
        var rows = [StoredRow]()
        let prepared = try prepared(statement)
        try run(prepared, statement) { rows.append(try prepared.row()) }
        return rows
    }

    func each(_ statement: Statement, _ body: (any StoredColumns) throws -> Void) throws {
        let prepared = try prepared(statement)
        try run(prepared, statement) { try body(prepared) }
    }

    func execute(_ statement: Statement) throws -> Int {
        try run(try prepared(statement), statement) {}
        return connection.changes
    }

    private func prepared(_ statement: Statement) throws -> PreparedStatement {
        if isCancellable { try Task.checkCancellation() }
        return try connection.statement(statement.sql)
    }

    private func run(
        _ prepared: PreparedStatement, _ statement: Statement, _ body: () throws -> Void
    ) throws {
        do {
            try prepared.run(statement.values, body)
        } catch let error as StoreError {
            // GRDB interrupts a statement whose task is cancelled.
            if isCancellable { try Task.checkCancellation() }
            throw error
        }
    }
}

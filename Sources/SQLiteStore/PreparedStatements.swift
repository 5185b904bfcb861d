import GRDB
import GRDBSQLite
import OfferStore

/// A connection, or GRDB's to one, whose statements are prepared once for each text.
protocol Connection: AnyObject {
    /// The statement with that text, not running.
    ///
    /// - Throws: ``StoreError``.
    func statement(_ sql: String) throws -> PreparedStatement

    /// How many rows the last statement changed.
    var changes: Int { get }
}

/// The statements of a connection that is ours to use for as long as they live.
final class PreparedStatements: Connection {
    /// More texts than the service has; only questions about unusually many identifiers add to them.
    private static let capacity = 512

    private let connection: OpaquePointer
    private var statements: [StatementText: PreparedStatement] = [:]

    init(on connection: OpaquePointer) {
        self.connection = connection
    }

    func statement(_ sql: String) throws -> PreparedStatement {
        let text = StatementText(sql)
        guard let known = statements[text] else {
            let statement = try PreparedStatement(sql, on: connection)
            if statements.count >= Self.capacity { statements.removeAll(keepingCapacity: true) }
            statements[text] = statement
            return statement
        }
        return known.isRunning ? try PreparedStatement(sql, on: connection) : known
    }

    var changes: Int { Int(sqlite3_changes(connection)) }
}

extension Database: Connection {
    /// GRDB keeps the statement.
    func statement(_ sql: String) throws -> PreparedStatement {
        try StoreError.mapping {
            guard let connection = sqliteConnection else { throw StoreError.unavailable("the database is closed") }
            let kept = try cachedStatement(sql: sql)
            let statement = PreparedStatement(kept.sqliteStatement, on: connection, owner: kept)
            return statement.isRunning ? try PreparedStatement(sql, on: connection) : statement
        }
    }

    var changes: Int { changesCount }
}

/// A statement's text as a key. To hash all of it at each use would cost more than many a statement.
private struct StatementText: Hashable {
    private let sql: String

    init(_ sql: String) {
        self.sql = sql
    }

    static func == (left: Self, right: Self) -> Bool { left.sql == right.sql }

    func hash(into hasher: inout Hasher) {
        hasher.combine(sql.utf8.count)
        // Texts of one length mostly differ in their middle, where tables and conditions stand.
        let middle = sql.utf8.index(sql.utf8.startIndex, offsetBy: sql.utf8.count / 2)
        for byte in sql.utf8[middle...].prefix(8) { hasher.combine(byte) }
    }
}

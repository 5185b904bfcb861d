import OfferStore

enum Schema {
    /// Takes the missing steps, each in a transaction of its own.
    @discardableResult
    static func migrate(_ connection: Connection, steps: [Migration] = Migration.all) throws -> [String] {
        try refuseNewer(try applied(connection), path: nil)
        try connection.runScript(list)
        // A step may rebuild a table that others refer to, so foreign keys are checked at its end.
        try connection.runScript("PRAGMA foreign_keys = OFF")
        defer { try? connection.runScript("PRAGMA foreign_keys = ON") }
        return try steps.filter { try take($0, on: connection) }.map(\.name)
    }

    private static let list = "CREATE TABLE IF NOT EXISTS migration (name TEXT NOT NULL PRIMARY KEY) STRICT"

    /// Notes every step as taken, of a database that was made otherwise.
    static func noteAll(_ connection: Connection) throws {
        try connection.runScript(list)
        try connection.writing {
            for step in Migration.all { try note(step, on: connection) }
        }
    }

    private static func note(_ step: Migration, on connection: Connection) throws {
        try connection.execute(Statement("INSERT INTO migration (name) VALUES (?1) ON CONFLICT DO NOTHING", step.name))
    }

    /// - Returns: false if it was taken before, perhaps by another process meanwhile.
    private static func take(_ step: Migration, on connection: Connection) throws -> Bool {
        try connection.writing {
            guard try !applied(connection).contains(step.name) else { return false }
            try connection.runScript(step.sql)
            guard try connection.rows(Statement("PRAGMA foreign_key_check")).isEmpty else {
                throw StoreError.constraint("a foreign key")
            }
            try note(step, on: connection)
            return true
        }
    }

    static func check(_ connection: Connection, path: String) throws {
        try refuseForeign(connection, path: path)
        guard try applied(connection, path: path) == Set(Migration.all.map(\.name)) else {
            throw StoreError.notMigrated("the database at `\(path)` is not migrated to this version")
        }
    }

    /// Refuses another program's database, to which nothing may be written.
    static func refuseForeign(_ connection: Connection, path: String) throws {
        let applied = try applied(connection)
        let isOurs = applied.isEmpty ? try hasList(connection) : !applied.isDisjoint(with: Migration.all.map(\.name))
        let content = "SELECT name FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' LIMIT 1"
        guard try !isOurs && !connection.rows(Statement(content)).isEmpty else { return }
        throw StoreError.foreign("the database at `\(path)` is another program's")
    }

    /// The names of the steps a database has; one that this version does not know is refused.
    static func applied(_ connection: Connection, path: String) throws -> Set<String> {
        let applied = try applied(connection)
        try refuseNewer(applied, path: path)
        return applied
    }

    private static func applied(_ connection: Connection) throws -> Set<String> {
        guard try hasList(connection) else { return [] }
        return Set(try connection.column("SELECT name FROM migration"))
    }

    private static func hasList(_ connection: Connection) throws -> Bool {
        try !connection.rows(Statement("SELECT 1 FROM pragma_table_info('migration') WHERE name = 'name'")).isEmpty
    }

    private static func refuseNewer(_ applied: Set<String>, path: String?) throws {
        let unknown = applied.subtracting(Migration.all.map(\.name)).sorted()
        guard let first = unknown.first else { return }
        let place = path.map { " at `\($0)`" } ?? ""
        throw StoreError.newerThanThisVersion(
            "the database\(place) was migrated by a newer version: this one does not know `\(first)`")
    }
}

/// One numbered step of the schema; once released its text never changes.
struct Migration: Sendable {
    /// `0001-name`: the number and the name are the same for every engine.
    let name: String
    let sql: String

    static let all: [Migration] = [.schema]
}

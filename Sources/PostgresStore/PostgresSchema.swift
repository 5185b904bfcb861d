import OfferStore

/// The schema of ``Table``, in PostgreSQL's words.
enum PostgresSchema {
    /// The steps, each taken in a transaction of its own; their names are those of every engine.
    static let steps: [(name: String, sql: String)] = [("0001-schema", all)]

    private static let all = statements.map { $0 + ";" }.joined(separator: "\n")

    private static var statements: [String] { Table.all.map(\.creation) + besidesRows + firstRows }

    /// What the schema has besides tables and their first rows.
    private static let besidesRows =
        Table.all.flatMap(\.references) + Table.all.flatMap(\.indexes) + refusal
        + Table.all.filter { $0.form == .appendOnly }.map(\.guardian) + Table.views + marks

    private static let refusal = [
        """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN RAISE EXCEPTION ''%.append'', TG_TABLE_NAME; END'
        """
    ]

    /// The last commit of each writer (``PostgresConnection``), and the process that is elected.
    private static let marks = [
        """
        CREATE TABLE commit_mark (
            writer text NOT NULL PRIMARY KEY, number bigint NOT NULL, at timestamptz NOT NULL DEFAULT now())
        """,
        // See Election.
        """
        CREATE TABLE elected (
            id bigint NOT NULL PRIMARY KEY CHECK (id = 1), holder text NOT NULL, until timestamptz NOT NULL)
        """,
    ]

    private static let firstRows = [
        "INSERT INTO store_state (id, sequence) VALUES (1, 0)",
        // 244 random bits from the server's generator for cryptography.
        """
        INSERT INTO audit_state (id, digest_salt)
            VALUES (1, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
        """,
    ]

    static func applied(_ connection: PostgresConnection) throws -> Set<String> {
        let table = Statement("SELECT to_regclass('migration') IS NOT NULL")
        guard try connection.rows(table).first?.value(0) == true else { return [] }
        return Set(try connection.rows(Statement("SELECT name FROM migration")).map { try $0.value(0) })
    }

    /// Takes the missing steps.
    ///
    /// - Returns: their names.
    static func migrate(_ connection: PostgresConnection) throws -> [String] {
        try lock(connection)
        defer { _ = try? connection.runScript("SELECT pg_advisory_unlock_all()") }
        try refuseUnfinished(connection)
        try connection.runScript(list)
        let known = try applied(connection)
        try refuseNewer(known)
        let missing = steps.filter { !known.contains($0.name) }
        for step in missing {
            // Several statements in one message are one transaction.
            try connection.runScript(step.sql + "INSERT INTO migration (name) VALUES ('\(step.name)')")
        }
        return missing.map(\.name)
    }

    private static let list =
        "CREATE TABLE IF NOT EXISTS migration (name text COLLATE \"C\" NOT NULL PRIMARY KEY)"

    /// Lets one process at a time change the schema, until its session ends.
    private static func lock(_ connection: PostgresConnection) throws {
        try connection.runScript("SELECT pg_advisory_lock(7163241)")
    }

    static func check(_ connection: PostgresConnection) throws {
        try refuseUnfinished(connection)
        let known = try applied(connection)
        try refuseNewer(known)
        guard known == Set(steps.map(\.name)) else {
            throw StoreError.notMigrated("the database is not migrated to this version")
        }
    }

    private static func refuseNewer(_ applied: Set<String>) throws {
        guard let first = applied.subtracting(steps.map(\.name)).min() else { return }
        throw StoreError.newerThanThisVersion(
            "the database was migrated by a newer version: this one does not know `\(first)`")
    }
}

// A database that another one is moved into has the table `moving` until it is whole, and one that was moved away has
// `moved`.
extension PostgresSchema {
    private static func has(_ table: String, _ connection: PostgresConnection) throws -> Bool {
        try connection.row(Statement("SELECT to_regclass(?1) IS NOT NULL", table))?.value(0) == true
    }

    private static func refuseUnfinished(_ connection: PostgresConnection) throws {
        if try has("moving", connection) {
            throw StoreError.interrupted("a move into this database has not ended")
        }
        if try has("moved", connection) {
            throw StoreError.unsuitable("this database was moved to another place, and is only kept")
        }
    }

    /// Makes the tables without anything else, unless an interrupted move has made them.
    static func beginMove(_ connection: PostgresConnection) throws {
        try lock(connection)
        guard try !has("moving", connection) else { return }
        if let table = try (Table.all.map(\.name) + ["migration"]).first(where: { try has($0, connection) }) {
            throw StoreError.unsuitable("the database is not empty: it has a table `\(table)`")
        }
        let tables = ["CREATE TABLE moving (since timestamptz NOT NULL DEFAULT now())"] + Table.all.map(\.creation)
        try connection.runScript(tables.joined(separator: ";\n"))
    }

    /// Adds what tables that were filled lack, all or nothing.
    static func completeMove(_ connection: PostgresConnection) throws {
        guard try !has("migration", connection) else { return }
        // The next numbers follow those that were copied.
        let numbers = Table.all.flatMap { table in
            table.columns.filter(\.isNumbered).map { column in
                """
                SELECT setval(pg_get_serial_sequence('\(table.name)', '\(column.name)'), MAX(\(column.name)))
                FROM \(table.name) HAVING MAX(\(column.name)) IS NOT NULL
                """
            }
        }
        try connection.runScript((besidesRows + numbers + [list]).joined(separator: ";\n"))
        try connection.runScript("ANALYZE")
    }

    static func finishMove(_ connection: PostgresConnection) throws {
        let steps = steps.map { "INSERT INTO migration (name) VALUES ('\($0.name)')" }
        try connection.runScript((steps + ["DROP TABLE moving"]).joined(separator: ";\n"))
    }

    /// Every commit of a server that is still connected begins with `store_state`, and fails from now on.
    static let retirement = """
        CREATE TABLE moved (at timestamptz NOT NULL DEFAULT now()); ALTER TABLE store_state RENAME TO store_state_moved
        """
}

extension Table {
    /// Without references: tables refer to each other in both directions.
    fileprivate var creation: String {
        let lines = columns.map(\.definition) + constraints
        return "CREATE TABLE \(name) (\n\(lines.map { "    " + $0 }.joined(separator: ",\n"))\n)"
    }

    fileprivate var references: [String] {
        columns.compactMap { column in
            column.reference.map { "ALTER TABLE \(name) ADD FOREIGN KEY (\(column.name)) \($0)" }
        }
    }

    fileprivate var guardian: String {
        """
        CREATE TRIGGER \(name)_append BEFORE UPDATE OR DELETE ON \(name) FOR EACH ROW EXECUTE FUNCTION refuse_change()
        """
    }
}

extension Column {
    private var storedAs: String {
        switch type {
        // By the store's own order in every database, whatever its locale.
        case .text: "text COLLATE \"C\""
        case .blob: "bytea"
        case .integer: "bigint"
        }
    }

    fileprivate var definition: String {
        let presence = isPrimaryKey ? "PRIMARY KEY" : isRequired ? "NOT NULL" : ""
        let number = isPrimaryKey && isNumbered ? "GENERATED BY DEFAULT AS IDENTITY" : ""
        return [name, storedAs, number, presence, constraint.replacing(Self.referring, with: "")]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// `id` columns of numbers: SQLite gives the next one by itself.
    fileprivate var isNumbered: Bool { type == .integer && name == "id" && !constraint.contains("id = 1") }

    private static var referring: Regex<Substring> { /REFERENCES \w+ \(\w+\)/ }

    fileprivate var reference: String? { constraint.firstMatch(of: Self.referring).map { String($0.output) } }
}

import Foundation
public import OfferStore
import PostgresStore
import SQLiteStore
import Synchronization
public import Testing

/// A database of the engine that the tests run on: a file of SQLite, or with `OFFERD_TEST_POSTGRES`, the folder of a
/// server's socket, a database of that server.
public struct TestStore: Sendable {
    public static let isPostgres = server != nil
    private static let server = ProcessInfo.processInfo.environment["OFFERD_TEST_POSTGRES"].map { TestServer($0) }

    /// What opens the database: a path, or a URL.
    public let place: String

    /// A new database, which goes away with a directory, or with the server.
    public init(in directory: TemporaryDirectory) throws {
        if let server = Self.server {
            place = try server.newDatabase()
            try place.write(toFile: directory.path(Self.note), atomically: true, encoding: .utf8)
        } else {
            place = directory.path("offers.sqlite")
            try SQLiteDatabase.migrate(path: place)
        }
    }

    /// The database that was made with a directory.
    public init(of directory: TemporaryDirectory) throws {
        place =
            try Self.server == nil
            ? directory.path("offers.sqlite") : String(contentsOfFile: directory.path(Self.note), encoding: .utf8)
    }

    /// Removes a directory's database of the server, if it has one.
    static func remove(of directory: TemporaryDirectory) {
        guard let server, let place = try? TestStore(of: directory).place else { return }
        server.drop(place)
    }

    /// A copy of the database of a directory, as a process that is lost now leaves it; PostgreSQL copies none that is
    /// open.
    public init(copying other: TemporaryDirectory, to directory: TemporaryDirectory) throws {
        if let server = Self.server {
            place = try server.newDatabase(copying: TestStore(of: other).place)
            try place.write(toFile: directory.path(Self.note), atomically: true, encoding: .utf8)
        } else {
            place = directory.path("offers.sqlite")
            for name in ["offers.sqlite", "offers.sqlite-wal"]
            where FileManager.default.fileExists(atPath: other.path(name)) {
                try FileManager.default.copyItem(atPath: other.path(name), toPath: directory.path(name))
            }
        }
    }

    /// Statements after which a transaction may break the schema's rules, as anyone with access to the database can.
    ///
    /// - Parameter atCommit: only foreign keys, and only until the commit.
    public static func breaking(atCommit: Bool = false) -> [String] {
        switch (isPostgres, atCommit) {
        case (false, true): ["PRAGMA defer_foreign_keys = ON"]
        case (false, false): ["PRAGMA ignore_check_constraints = 1", "PRAGMA defer_foreign_keys = 1"]
        case (true, true):
            ["ALTER TABLE customer ALTER CONSTRAINT customer_scope_id_fkey DEFERRABLE INITIALLY DEFERRED"]
        case (true, false):
            [
                "SET LOCAL session_replication_role = replica",
                """
                DO $$ DECLARE rule record; BEGIN
                    FOR rule IN SELECT conrelid::regclass AS place, conname FROM pg_constraint
                        WHERE contype = 'c' AND connamespace = 'public'::regnamespace
                    LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', rule.place, rule.conname); END LOOP;
                END $$
                """,
            ]
        }
    }

    /// The names of the database's tables, without what PostgreSQL's driver notes for itself.
    public static let tables =
        isPostgres
        ? """
        SELECT tablename::text FROM pg_tables
        WHERE schemaname = 'public' AND tablename NOT IN ('commit_mark', 'elected') ORDER BY 1
        """
        : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"

    /// Where a directory says which database of the server is its own.
    private static let note = "database"

    /// - Parameters:
    ///   - stall: how long a write may be held up before PostgreSQL ends it; by default for longer than a busy machine
    ///     holds up a test.
    ///   - term: how long a process stays elected without renewing it; by default for longer than any test takes.
    ///   - checksPrefetched: whether each answer that PostgreSQL's driver asked for ahead is compared with what it says
    ///     then.
    public func open(
        limits: WriteLimits = WriteLimits(), stall: Duration = .seconds(60), term: Duration = .seconds(600),
        checksPrefetched: Bool = true
    ) throws -> any DatabaseDriver {
        if Self.isPostgres {
            return try PostgresDatabase(
                url: place,
                limits: .init(
                    writes: limits, looks: 2, reads: 4, stall: stall, term: term, checksPrefetched: checksPrefetched))
        }
        return try SQLiteDatabase(path: place, limits: SQLiteDatabase.Limits(writes: limits))
    }

    /// A database that no other process sees, in memory where the engine can.
    public static func alone(
        in directory: TemporaryDirectory, limits: WriteLimits = WriteLimits()
    ) throws -> any DatabaseDriver {
        if isPostgres { return try TestStore(in: directory).open(limits: limits) }
        return try SQLiteDatabase.inMemory(limits: SQLiteDatabase.Limits(writes: limits))
    }
}

/// A PostgreSQL server, with a database for every test.
private final class TestServer: Sendable {
    private let folder: String
    private let made = Mutex(0)
    private let unneeded = Mutex<Set<String>>([])

    init(_ folder: String) { self.folder = folder }

    /// What the tests' own statements use of SQLite's words.
    private static let ofSQLite = """
        CREATE FUNCTION zeroblob(bigint) RETURNS bytea LANGUAGE sql AS
            $$ SELECT decode(repeat('00', $1::integer), 'hex') $$;
        CREATE FUNCTION hex(bytea) RETURNS text LANGUAGE sql AS $$ SELECT upper(encode($1, 'hex')) $$;
        CREATE FUNCTION hex(text) RETURNS text LANGUAGE sql AS $$ SELECT hex(convert_to($1, 'UTF8')) $$;
        CREATE FUNCTION printf(text, bigint) RETURNS text LANGUAGE sql AS $$ SELECT lpad(to_hex($2), 12, '0') $$;
        CREATE FUNCTION bytes(bit) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT substr(bit_send($1), 5) $$;
        CREATE FUNCTION joined(text, text, text) RETURNS text LANGUAGE sql AS $$ SELECT COALESCE($1 || $3, '') || $2 $$;
        CREATE AGGREGATE group_concat(text, text) (SFUNC = joined, STYPE = text);
        CREATE CAST (bit AS bytea) WITH FUNCTION bytes(bit) AS IMPLICIT
        """

    private func url(_ name: String) -> String { "postgres:///\(name)?host=\(folder)&user=postgres" }

    /// Notes a database as one that nothing needs. Hundreds of them would fill the disk.
    func drop(_ url: String) { unneeded.withLock { _ = $0.insert(Self.name(of: url)) } }

    /// Drops the databases that are not needed and that no connection is open to.
    private func clean(_ administration: PostgresAdministration) throws {
        let unneeded = unneeded.withLock { $0 }
        guard unneeded.count > 8 else { return }
        let open = Set(
            try administration.texts("SELECT DISTINCT datname::text FROM pg_stat_activity WHERE datname <> ''"))
        for name in unneeded.subtracting(open) {
            try administration.run("DROP DATABASE IF EXISTS \(name)")
            self.unneeded.withLock { _ = $0.remove(name) }
        }
    }

    private static func name(of url: String) -> String {
        String(url.dropFirst("postgres:///".count).prefix { $0 != "?" })
    }

    /// - Parameter other: what it holds; the schema alone if absent.
    /// - Returns: the address of a new database.
    func newDatabase(copying other: String? = nil) throws -> String {
        try made.withLock { made in
            let template = "offerd_\(getpid())"
            let administration = try PostgresAdministration(url: url("postgres"))
            defer { administration.close() }
            if made == 0 {
                try administration.run("DROP DATABASE IF EXISTS \(template)")
                try administration.run("CREATE DATABASE \(template)")
                try PostgresDatabase.migrate(url: url(template))
                let schema = try PostgresAdministration(url: url(template))
                defer { schema.close() }
                try schema.run(Self.ofSQLite)
            }
            try clean(administration)
            made += 1
            let name = "\(template)_\(made)"
            let source = other.map(Self.name) ?? template
            try administration.run("DROP DATABASE IF EXISTS \(name)")
            try administration.run("CREATE DATABASE \(name) TEMPLATE \(source)")
            return url(name)
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For a test of what only SQLite has.
    ///
    /// - Parameter reason: why the other engine needs no such test.
    public static func onSQLite(_ reason: Comment) -> Self { .enabled(if: !TestStore.isPostgres, reason) }

    /// For a test of what only PostgreSQL has.
    public static func onPostgres(_ reason: Comment) -> Self { .enabled(if: TestStore.isPostgres, reason) }
}

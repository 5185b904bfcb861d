import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import SQLiteStore

@Suite("The database file")
struct DatabaseFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("offers.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func key(_ id: String) -> StoredAPIKey {
        StoredAPIKey(
            id: id, scope: Scope(bundleId: "com.example.pro", environment: .sandbox), role: .client,
            secretDigest: [UInt8](repeating: 7, count: 32), createdAt: Instant(milliseconds: 0))
    }

    @Test("migrating creates a file that only its owner can read, its companions too")
    func permissions() async throws {
        #expect(try SQLiteDatabase.migrate(path: path) == Migration.all.map(\.name))
        let database = try SQLiteDatabase(path: path)
        try await database.recorded { try APIKeyStore($0).insert(Self.key("a")) }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
        #expect(names == ["offers.sqlite", "offers.sqlite-checkpoint", "offers.sqlite-shm", "offers.sqlite-wal"])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path(name))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
        }
    }

    @Test("migrating again takes no step and keeps what is there")
    func again() async throws {
        try SQLiteDatabase.migrate(path: path)
        let database = try SQLiteDatabase(path: path)
        try await database.recorded { try APIKeyStore($0).insert(Self.key("a")) }
        #expect(try SQLiteDatabase.migrate(path: path) == [])
        #expect(try await database.read { try APIKeyStore($0).key("a")?.key } == Self.key("a"))
    }

    @Test("a missing, an empty and an unmigrated file are refused with what to do")
    func notMigrated() throws {
        let cases = [directory.path("missing"), try directory.write("", to: "empty")]
        for path in cases {
            do {
                _ = try SQLiteDatabase(path: path)
                Issue.record("`\(path)` was opened")
            } catch let error as StoreError {
                guard case .notMigrated = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(error.hint == "run `offerd migrate`")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path("missing")))
    }

    @Test("a database from a newer version is refused, by opening and by migrating")
    func newer() async throws {
        try SQLiteDatabase.migrate(path: path)
        let database = try SQLiteDatabase(path: path)
        _ = try await database.write {
            try $0.execute(Statement("INSERT INTO migration (name) VALUES ('9999-future')"))
        }
        try database.close()
        let path = path
        #expect(
            throws: StoreError.newerThanThisVersion(
                "the database at `\(path)` was migrated by a newer version: this one does not know `9999-future`")
        ) { try SQLiteDatabase(path: path) }
        #expect(throws: StoreError.self) { try SQLiteDatabase.migrate(path: path) }
    }

    @Test("commits are flushed: synchronous is FULL, the journal a WAL, foreign keys are on (invariant 1)")
    func durability() async throws {
        try SQLiteDatabase.migrate(path: path)
        let database = try SQLiteDatabase(path: path)
        let settings = try await database.write { transaction in
            try ["synchronous", "fullfsync", "foreign_keys"].map { name in
                try transaction.row(Statement("PRAGMA \(name)"))?.value(0, as: Int.self)
            }
        }
        #expect(settings == [2, 1, 1])
        let journal = try await database.write {
            try $0.row(Statement("PRAGMA journal_mode"))?.value(0, as: String.self)
        }
        #expect(journal == "wal")
    }

    @Test("every write that has returned is in the files that a crash would leave (invariant 1)")
    func crash() async throws {
        try SQLiteDatabase.migrate(path: path)
        let database = try SQLiteDatabase(path: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { try await database.recorded { try APIKeyStore($0).insert(Self.key("key-\(number)")) } }
            }
            try await group.waitForAll()
        }
        // Nothing was closed or checkpointed: the copy is what a killed process leaves behind.
        let left = try TemporaryDirectory()
        for name in ["offers.sqlite", "offers.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: directory.path(name), toPath: left.path(name))
        }
        let survivor = try SQLiteDatabase(path: left.path("offers.sqlite"))
        let stored = try await survivor.read { Set(try APIKeyStore($0).keys().map(\.id)) }
        #expect(stored == Set((0..<100).map { "key-\($0)" }))
        _ = database
    }

    @Test("closing keeps everything for the next opening")
    func reopen() async throws {
        try SQLiteDatabase.migrate(path: path)
        let first = try SQLiteDatabase(path: path)
        try await first.recorded { try APIKeyStore($0).insert(Self.key("a")) }
        try first.close()
        let second = try SQLiteDatabase(path: path)
        #expect(try await second.read { try APIKeyStore($0).key("a")?.key } == Self.key("a"))
    }

    @Test("a file that is no database is refused as what it is")
    func garbage() throws {
        let path = try directory.write([UInt8](repeating: 0x41, count: 8_192), to: "garbage")
        do {
            _ = try SQLiteDatabase(path: path)
            Issue.record("garbage was opened")
        } catch let error as StoreError {
            #expect(error == .foreign("the database file is not an SQLite database"))
        }
    }

    @Test(
        "another program's database is refused as what it is, by opening and by migrating, and not a byte of it changes",
        arguments: [
            "CREATE TABLE t (a)", "CREATE VIEW v AS SELECT 1", "CREATE TABLE migration (version)",
            "CREATE TABLE migration (name TEXT); INSERT INTO migration VALUES ('20240101'); CREATE TABLE scope (id)",
        ])
    func foreign(_ sql: String) throws {
        let path = try directory.write("", to: "other.sqlite")
        let other = try Connection(path: path, .readWrite)
        try other.runScript(sql)
        try other.close()
        let before = FileManager.default.contents(atPath: path)
        let error = StoreError.foreign("the database at `\(path)` is another program's")
        #expect(throws: error) { try SQLiteDatabase(path: path) }
        #expect(throws: error) { try SQLiteDatabase.migrate(path: path) }
        #expect(FileManager.default.contents(atPath: path) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["other.sqlite"])
    }

    @Test("a step that breaks off leaves the database as it was, and the next attempt takes it")
    func step() throws {
        try SQLiteDatabase.migrate(path: path)
        let connection = try Connection(path: path, .readWrite)
        func attempt(_ sql: String) throws -> [String] {
            try Schema.migrate(connection, steps: Migration.all + [Migration(name: "9999-step", sql: sql)])
        }
        func state() throws -> [Int] {
            try connection.column(
                "SELECT sequence FROM store_state UNION ALL SELECT COUNT(*) FROM pragma_table_info('scope')")
        }
        let step = "ALTER TABLE scope ADD COLUMN note TEXT; UPDATE store_state SET sequence = 7;"
        let before = try state()
        #expect(throws: StoreError.self) { try attempt(step + "INSERT INTO no_such_table VALUES (1);") }
        // A step may break foreign keys on its way, and not at its end.
        let broken = """
            CREATE TABLE child (scope_id INTEGER REFERENCES scope (id)) STRICT;
            INSERT INTO child VALUES (99);
            """
        #expect(throws: StoreError.constraint("a foreign key")) { try attempt(step + broken) }
        #expect(try state() == before)
        #expect(try Schema.applied(connection, path: path) == Set(Migration.all.map(\.name)))
        #expect(try attempt(step) == ["9999-step"])
        #expect(try state() == [7, before[1] + 1])
        #expect(try connection.column("PRAGMA foreign_keys") == [1])
        // A database with a step that this version does not have is a newer one.
        #expect(throws: StoreError.self) { try SQLiteDatabase.migrate(path: path) }
    }
}

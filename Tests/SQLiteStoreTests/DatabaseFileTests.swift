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
            try $0.execute(Statement("INSERT INTO grdb_migrations (identifier) VALUES ('9999-future')"))
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
            try ["synchronous", "foreign_keys"].map { name in
                try transaction.row(Statement("PRAGMA \(name)"))?.value(0, as: Int.self)
            }
        }
        #expect(settings == [2, 1])
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
            #expect(error == .unavailable("the database file is no SQLite database: it holds something else"))
        }
    }

    @Test("the text of a released migration never changes")
    func frozen() throws {
        let released = [
            "0001-main-job": "f33399579c0dab0df9171f120f27755f1c088d8c7d046b852250b8ba0b59aac6",
            "0002-kept-answers": "695b378d4206156abf08e44eacb661e3d94a52b5543413e7c8316a19cbbb26dd",
            "0003-customer-context": "4c995d70824eafd6597ecb7a3fe88e4dc3ab58d1a47f750c0a2186906776ebad",
            "0004-counters": "6ac6ae5a2d4231241081ea64e60c9f031a8e9e7962ce719e0828b884d38d2599",
            "0005-audit": "d8ec8d1dc054cab508c7cb8d1bed8425a965b830fc42fe7f1aa1cdba45ff8c8c",
            "0006-upkeep": "f085a022c56da1ce4d5f1406cc02144dc8481b75be91ba52f34c68d639bf0655",
            "0007-offer-evaluations": "5af5bc15eeb97767209648c88e7b2d2edb5d88fa9bad08dbc7704bd0570d3828",
            "0008-pause-ends": "1943fbfc39a0c75f8e441cd75a96270d6ca87eab6b4557056e78464b36725604",
            "0009-notifications": "aca6bd0b9bd13c3677381e7096e65c176dcbacab5c29951d91f4a59739feb6f4",
            "0010-import": "d89a3dcb8e80a0a3ed3f6eface71595f596e69963264c6dcf2f9343f738beb2b",
            "0011-erasure": "af985935021913677fbf7b76445794b47fa5aaa37094e1e429352623cd6ba497",
            "0013-sign-ups": "aa2a522915cfae80dc09de30f20d17538de86637fd3d95e470ccd4d0522862d8",
            "0014-newest-notification": "b86ae8f6b1773330d335912ad2c340d401692305fbcad9f7e48600dcd17a9401",
            "0016-foreign-uses": "702c419d4867cacf207cbd6f006c216a6f779a792f482eaf15ef9027277e23fb",
            "0018-signed-copies": "75d6ff44d67e82596cb398afb33e0a2d29406b5882ca639d5cd25eb05812ab98",
        ]
        for migration in Migration.all {
            let digest = try Command.run("sha256sum", [], input: Array(migration.sql.utf8)).text.prefix(64)
            #expect(released[migration.name] == String(digest), "\(migration.name)")
        }
    }

    @Test("migrations are numbered, and taken in the order of their numbers")
    func order() {
        let names = Migration.all.map(\.name)
        let numbers = names.compactMap { Int($0.prefix(4)) }
        #expect(numbers.count == names.count)
        #expect(numbers == Set(numbers).sorted())
    }
}

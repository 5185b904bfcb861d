import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import SQLiteStore

@Suite("A damaged database file")
struct DamagedFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("offers.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A database whose table of API keys has a page of rubbish in the middle.
    private func damaged() async throws {
        try SQLiteDatabase.migrate(path: path)
        let database = try SQLiteDatabase(path: path)
        try await database.recorded { transaction in
            for number in 0..<500 {
                try APIKeyStore(transaction).insert(
                    StoredAPIKey(
                        id: "key-\(number)", scope: Scope(bundleId: "com.example.pro", environment: .sandbox),
                        role: .client, secretDigest: [UInt8](repeating: 7, count: 32),
                        label: String(repeating: "x", count: 500), createdAt: Instant(milliseconds: 0)))
            }
        }
        try database.close()
        let program = """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1]); c.execute("PRAGMA journal_mode = DELETE")
            page = c.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'api_key'").fetchone()[0]
            size = c.execute("PRAGMA page_size").fetchone()[0]; c.close()
            with open(sys.argv[1], "r+b") as f:
                f.seek((page - 1) * size); f.write(b"\\xff" * size)
            """
        let made = try Command.run("python3", ["-c", program, path])
        try #require(made.status == 0, "\(made.errorText)")
    }

    @Test("is opened, because most of it may be whole, and what meets the damage says so")
    func atUse() async throws {
        try await damaged()
        let database = try SQLiteDatabase(path: path)
        _ = try await database.read { try StoreClock($0).newestSequence() }
        let error = await #expect(throws: StoreError.self) { try await database.read { try APIKeyStore($0).keys() } }
        guard case .damaged(let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.hasPrefix("the database file is damaged: "))
        #expect(error?.hint?.contains("restore the latest backup") == true)
        let looked = await #expect(throws: StoreError.self) {
            try await database.readInline { try APIKeyStore($0).keys() }
        }
        #expect(looked == error)
        try database.close()
    }

    @Test("is found by the examination, and no copy is made of it")
    func examined() async throws {
        try await damaged()
        let checks = SQLiteDatabase.examine(path: path)
        #expect(checks.map(\.subject) == [.file, .schema, .structure])
        #expect(checks.map { $0.failure != nil } == [false, false, true])
        #expect(throws: StoreError.self) { try SQLiteDatabase.inspect(path: path) }
        #expect(throws: StoreError.self) { try SQLiteDatabase.copy(from: path, to: directory.path("copy")) }
        #expect(!FileManager.default.fileExists(atPath: directory.path("copy")))
    }

    @Test("a whole file has nothing wrong, and a missing or foreign one is told in one line")
    func others() throws {
        try SQLiteDatabase.migrate(path: path)
        #expect(SQLiteDatabase.examine(path: path).allSatisfy { $0.failure == nil })
        let foreign = try directory.write([UInt8](repeating: 0x41, count: 8_192), to: "foreign")
        #expect(
            SQLiteDatabase.examine(path: foreign).map(\.detail) == [
                "the database file is not an SQLite database"
            ])
        let missing = directory.path("missing")
        #expect(SQLiteDatabase.examine(path: missing).map(\.detail) == ["there is no database at `\(missing)`"])
    }
}

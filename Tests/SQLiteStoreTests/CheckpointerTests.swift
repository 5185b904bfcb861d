import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import SQLiteStore
import Testing

@Suite("The log, written back beside the writer")
struct CheckpointerTests {
    private static let pageInLog = 4_096 + 24
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(log: Int) throws -> SQLiteDatabase {
        let path = directory.path("offers.sqlite")
        try SQLiteDatabase.migrate(path: path)
        return try SQLiteDatabase(path: path, limits: SQLiteDatabase.Limits(log: log))
    }

    private func insert(_ numbers: Range<Int>, into database: SQLiteDatabase) async throws {
        for number in numbers {
            let key = StoredAPIKey(
                id: "needle-\(number)-", scope: Scope(bundleId: "com.example.pro", environment: .sandbox),
                role: .client,
                secretDigest: [UInt8](repeating: 7, count: 32), createdAt: Instant(milliseconds: 1_793_491_200_123))
            try await database.recorded { try APIKeyStore($0).insert(key) }
        }
    }

    private func bytes(of name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: directory.path(name)))
    }

    @Test("what was committed gets into the file while the log is far from full")
    func beside() async throws {
        let database = try open(log: 800)
        defer { try? database.close() }
        try await insert(0..<60, into: database)
        let deadline = ContinuousClock.now + .seconds(60)
        while try bytes(of: "offers.sqlite").range(of: Data("needle-0-".utf8)) == nil {
            try #require(ContinuousClock.now < deadline, "nothing was written back")
            await Task.yield()
        }
        let log = try bytes(of: "offers.sqlite-wal").count / Self.pageInLog
        #expect((100..<800).contains(log))
        // What wrote it back is closed before the last connection, which then removes the log.
        try database.close()
        #expect(!FileManager.default.fileExists(atPath: directory.path("offers.sqlite-wal")))
        #expect(!database.emptyLog())
        #expect(!FileManager.default.fileExists(atPath: directory.path("offers.sqlite-wal")))
    }

    @Test("the log begins anew when it is full, and nothing is lost")
    func anew() async throws {
        // Each commit has more pages than the log may have, so the writer copies each.
        let database = try open(log: 4)
        try await insert(0..<1, into: database)
        // The file of the log never shrinks, and the schema was made in it.
        let before = try bytes(of: "offers.sqlite-wal").count
        try await insert(1..<200, into: database)
        #expect(try bytes(of: "offers.sqlite-wal").count < before + 40 * Self.pageInLog)
        try database.close()
        let again = try SQLiteDatabase(path: directory.path("offers.sqlite"))
        defer { try? again.close() }
        #expect(try await again.read { try APIKeyStore($0).keys().count } == 200)
    }
}

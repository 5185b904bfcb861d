import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import PostgresStore
import SQLiteStore
import Testing

@Suite("A database that moves between the engines", .onPostgres("a move needs both engines"))
struct MoveTests {
    private struct Interruption: Error {}

    private let bench: Workbench
    private let directory: TemporaryDirectory

    init() async throws {
        directory = try TemporaryDirectory()
        bench = try await Workbench(onFile: true)
        for number in 200..<230 { try await bench.deliver(try bench.shop.delivery(.lapsed, "\(number)")) }
        for number in 200..<205 {
            _ = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("\(number)")))
        }
        var (world, generator) = (World(bench: bench), SeededGenerator(seed: 7))
        for _ in 0..<60 {
            bench.clock.advance(hours: 1)
            _ = try await world.step(&generator)
        }
        try bench.database.close()
    }

    private var server: String { get throws { try TestStore(of: bench.directory).place } }
    private var file: String { directory.path("moved.sqlite") }

    private static func move(_ source: any MoveSource, _ target: any MoveTarget) throws -> [String: Int] {
        let move = DatabaseMove(from: source, to: target)
        try move.copy()
        let counts = try move.compare()
        try target.finish()
        target.close()
        return counts
    }

    private func moveToFile() throws -> [String: Int] {
        let source = try DatabaseToMove(url: server)
        defer { source.close() }
        let counts = try Self.move(source, try FileToFill(path: file))
        _ = try source.retire()
        return counts
    }

    private static func proof(_ database: any DatabaseDriver) async throws -> LedgerReport {
        try await database.read { transaction in
            try LedgerVerification(digest: OpenSSLDigest(), key: nil, judge: nil).verify(transaction)
        }
    }

    /// An empty database of the server, which lasts as long as the test.
    private func emptyDatabase() throws -> String {
        let other = try TestStore(in: directory).place
        let administration = try PostgresAdministration(url: other)
        defer { administration.close() }
        try administration.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        return other
    }

    @Test("every row arrives, there and back, with the ledger and the facts that it had (invariants 1 and 5)")
    func thereAndBack() async throws {
        let before = try TestStore(of: bench.directory).open()
        let report = try await Self.proof(before)
        try before.close()
        let counts = try moveToFile()
        #expect(counts["issued_offer"] ?? 0 > 3)
        #expect(counts["customer"] == 31)

        let moved = try SQLiteDatabase(path: file)
        let there = try await Self.proof(moved)
        #expect(there.head == report.head)
        #expect(there.rows == report.rows)
        #expect(try await HistoryFactsCheck(moved).run().wrong == 0)
        try moved.close()

        let url = try emptyDatabase()
        let source = try FileToMove(path: file)
        #expect(try Self.move(source, try DatabaseToFill(url: url)) == counts)
        #expect(try source.retire() == "kept the file as \(file).moved")
        source.close()
        #expect(!FileManager.default.fileExists(atPath: file))
        let back = try PostgresDatabase(url: url)
        #expect(try await Self.proof(back).head == report.head)
        // New rows get numbers that are free.
        let useCases = bench.useCases(over: back)
        let delivered = try await useCases.ingestion.ingest(
            try bench.shop.delivery(.lapsed, "900"), aliases: CustomerIdentifiers(), caller: Workbench.client)
        #expect(delivered.results.allSatisfy { $0.outcome == .added })
        back.close()
    }

    @Test("an interrupted move goes on after the last row that has arrived")
    func interrupted() async throws {
        for point in [1, 9, 20, 33] {
            let source = try DatabaseToMove(url: server)
            let target = try FileToFill(path: file)
            #expect(throws: Interruption.self) {
                try DatabaseMove(from: source, to: target).copy { tables, _ in
                    if tables >= point { throw Interruption() }
                }
            }
            target.close()
            source.close()
            #expect(!FileManager.default.fileExists(atPath: file))
        }
        #expect(try moveToFile()["customer"] == 31)
    }

    @Test("servers refuse a database that is being filled, and one that was moved away")
    func refused() async throws {
        let url = try emptyDatabase()
        let file = file
        _ = try moveToFile()
        #expect(throws: StoreError.unsuitable("this database was moved to another place, and is only kept")) {
            try PostgresDatabase(url: server)
        }
        let source = try FileToMove(path: file)
        let target = try DatabaseToFill(url: url)
        #expect(throws: Interruption.self) {
            try DatabaseMove(from: source, to: target).copy { _, _ in throw Interruption() }
        }
        target.close()
        source.close()
        let unfinished = StoreError.interrupted("a move into this database has not ended")
        #expect(throws: unfinished) { try PostgresDatabase(url: url) }
        #expect(throws: unfinished) { try PostgresDatabase.migrate(url: url) }
    }

    @Test("a database that is in use is not moved, and one that has tables is not filled")
    func inUse() async throws {
        let database = try TestStore(of: bench.directory).open()
        let error = #expect(throws: StoreError.self) { try DatabaseToMove(url: server) }
        #expect(error?.detail == "something else is connected to the database that is to be moved")
        try database.close()
        let filled = #expect(throws: StoreError.self) { try DatabaseToFill(url: server) }
        #expect(filled?.detail == "the database is not empty: it has a table `store_state`")
        _ = try moveToFile()
        #expect(throws: StoreError.unavailable("`\(file)` exists already and is not replaced")) {
            try FileToFill(path: file)
        }
        let open = try SQLiteDatabase(path: file)
        #expect(throws: StoreError.busy("another process holds the database")) { try FileToMove(path: file) }
        try open.close()
    }

    @Test("a row that differs at the end is named, and nothing is finished")
    func difference() async throws {
        let source = try DatabaseToMove(url: server)
        let target = try FileToFill(path: file)
        let move = DatabaseMove(from: source, to: target)
        try move.copy()
        let row = try target.reading {
            try #require(try $0.row(Statement("SELECT id FROM customer ORDER BY id DESC LIMIT 1")))
        }
        let administration = try PostgresAdministration(url: server)
        try administration.run("UPDATE customer SET rollout_key = 'other' WHERE id = \(try row.value(0, as: Int.self))")
        administration.close()
        let error = #expect(throws: DatabaseMove.Difference.self) { _ = try move.compare() }
        #expect(error?.place.description == "`customer` \(try row.value(0, as: Int.self))")
        target.close()
        source.close()
    }
}

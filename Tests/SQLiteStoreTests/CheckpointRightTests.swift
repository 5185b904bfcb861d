import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import SQLiteStore

@Suite("Who writes the log back")
struct CheckpointRightTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("offers.sqlite")
        try SQLiteDatabase.migrate(path: path)
    }

    private func insert(_ numbers: Range<Int>, into database: SQLiteDatabase) async throws {
        for number in numbers {
            let key = StoredAPIKey(
                id: "needle-\(number)-", scope: Scope(bundleId: "com.example.pro", environment: .sandbox),
                role: .client, secretDigest: [UInt8](repeating: 7, count: 32),
                createdAt: Instant(milliseconds: 1_793_491_200_123))
            try await database.recorded { try APIKeyStore($0).insert(key) }
        }
    }

    private func bytes(_ ending: String = "") throws -> Data { try Data(contentsOf: URL(filePath: path + ending)) }

    @Test("a command never writes the log back while a server has the file open, however full the log is")
    func besideServer() async throws {
        let server = try CheckpointRight(beside: path, isServer: true)
        let command = try SQLiteDatabase(path: path, limits: .init(log: 4))
        let before = try bytes()
        try await insert(0..<50, into: command)
        #expect(try bytes() == before)
        #expect(server.asked != nil, "a full log is left to the server")
        try command.close()
    }

    @Test("a server that opened the file by a symbolic link is seen by a command, and the other way round")
    func symbolicLink() async throws {
        let other = try TemporaryDirectory()
        let link = other.path("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        for (ofServer, ofCommand) in [(link, path), (path, link)] {
            let server = try CheckpointRight(beside: ofServer, isServer: true)
            let command = try CheckpointRight(beside: ofCommand, isServer: false)
            #expect(server.isOurs())
            #expect(!command.isOurs() && !command.isOurs())
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.url.path) == ["link.sqlite"])
    }

    @Test(
        "a command that writes the log back stops when a server comes, and the server takes over from its next commit")
    func handOver() async throws {
        let command = try SQLiteDatabase(path: path, limits: .init(log: 4))
        try await insert(0..<5, into: command)
        let alone = try bytes()
        #expect(alone.range(of: Data("needle-0-".utf8)) != nil)
        let server = try CheckpointRight(beside: path, isServer: true)
        #expect(!server.isOurs())
        try await insert(5..<20, into: command)
        #expect(try bytes() == alone)
        #expect(!server.isOurs(), "who had the right may have copied all of the log")
        #expect(server.isOurs())
        try command.close()
    }

    @Test("of two servers on a file one writes the log back, and the other takes over when it ends")
    func twoServers() throws {
        var first: CheckpointRight? = try CheckpointRight(beside: path, isServer: true)
        let second = try CheckpointRight(beside: path, isServer: true)
        #expect(first?.isOurs() == true && !second.isOurs() && !second.isOurs())
        first = nil
        #expect(!second.isOurs())
        #expect(second.isOurs())
    }

    @Test("of two servers that do nothing the other one takes over too, and the log is empty then")
    func idleServers() async throws {
        let first = try SQLiteDatabase(path: path, isServer: true)
        let second = try SQLiteDatabase(path: path, isServer: true)
        try await insert(0..<5, into: first)
        #expect(first.hasRole && !second.hasRole)
        // Its last close would empty the log, and is not the last.
        try first.close()
        let deadline = ContinuousClock.now + .seconds(60)
        while try !second.hasRole || !bytes("-wal").isEmpty {
            try #require(ContinuousClock.now < deadline, "the other server did not take over")
            await Task.yield()
        }
        #expect(try bytes().range(of: Data("needle-4-".utf8)) != nil)
        try second.close()
    }

    @Test("a server empties the log for a command that asks for it, and a command alone does it itself")
    func emptying() async throws {
        let command = try SQLiteDatabase(path: path)
        let server = try SQLiteDatabase(path: path, isServer: true)
        try await insert(0..<20, into: command)
        #expect(command.emptyLog())
        #expect(try bytes("-wal").isEmpty)
        try server.close()
        try await insert(20..<40, into: command)
        #expect(command.emptyLog())
        #expect(try bytes("-wal").isEmpty)
        try command.close()
    }

    @Test("a log that a command has filled is emptied by a server that does nothing itself")
    func fullLog() async throws {
        let server = try SQLiteDatabase(path: path, isServer: true)
        let command = try SQLiteDatabase(path: path, limits: .init(log: 4))
        // More than once: what was answered is asked for again.
        for first in [0, 50] {
            try await insert(first..<first + 50, into: command)
            let deadline = ContinuousClock.now + .seconds(60)
            while try bytes().range(of: Data("needle-\(first)-".utf8)) == nil {
                try #require(ContinuousClock.now < deadline, "the server did not write the log back")
                await Task.yield()
            }
        }
        try command.close()
        try server.close()
    }

    @Test("a commit that made what was read durable changes the file each time, at the same instant too")
    func durable() throws {
        let database = try SQLiteDatabase(path: path)
        let before = try bytes("-wal")
        try database.makeDurable()
        let once = try bytes("-wal")
        try database.makeDurable()
        #expect(before != once)
        #expect(try bytes("-wal") != once)
        try database.close()
    }

    @Test(
        "the versions of SQLite that can lose commits are known",
        arguments: [
            (3_040_001, true), (3_037_000, true), (3_044_005, true), (3_044_006, false), (3_044_009, false),
            (3_045_000, true), (3_050_006, true), (3_050_007, false), (3_051_000, true), (3_051_002, true),
            (3_051_003, false), (3_052_000, false), (4_000_000, false),
        ] as [(Int32, Bool)])
    func versions(number: Int32, hasFault: Bool) {
        #expect(SQLiteVersion.hasResetFault(number) == hasFault)
        #expect(SQLiteVersion.text(3_051_003) == "3.51.3")
    }
}

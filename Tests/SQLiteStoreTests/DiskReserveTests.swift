import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Room for a pause")
struct DiskReserveTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("offers.sqlite")
        try SQLiteDatabase.migrate(path: path)
    }

    /// What the writes of a test have done, in their order.
    private final class Trail: Sendable {
        let names = Mutex([String]())

        func note(_ name: String) { names.withLock { $0.append(name) } }
    }

    private var kept: Int64? { DiskReserve.kept(beside: path) }

    /// A server whose file may not grow any more.
    private func fullServer() async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: path, isServer: true)
        try await database.write { try $0.execute(Statement("CREATE TABLE note (content BLOB)")) }
        try await database.write { _ = try $0.rows(Statement("PRAGMA max_page_count = 1")) }
        return database
    }

    private static let growth = Statement("INSERT INTO note VALUES (randomblob(200000))")

    @Test("a server keeps a mebibyte that only the owner can use, a command keeps nothing")
    func kept() async throws {
        try SQLiteDatabase(path: path).close()
        #expect(kept == nil)
        let server = try SQLiteDatabase(path: path, isServer: true)
        #expect(kept == 1_048_576)
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "-reserve")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let content = try Data(contentsOf: URL(filePath: path + "-reserve"))
        let packed = try Command.run("gzip", ["-9"], input: Array(content))
        #expect(packed.output.count > 1_000_000, "a file system that compresses would keep less")
        try server.close()
        #expect(kept == 1_048_576)
    }

    @Test("on a full disk a write that may use the room gets it in four parts, any other fails at once")
    func parts() async throws {
        let server = try await fullServer()
        await #expect(throws: StoreError.full("the disk is full")) {
            try await server.write { try $0.execute(Self.growth) }
        }
        #expect(kept == 1_048_576)
        let trail = Trail()
        await #expect(throws: StoreError.full("the disk is full")) {
            try await KeptRoom.$isOpen.withValue(true) {
                try await server.write { transaction in
                    trail.note("try")
                    try transaction.execute(Self.growth)
                }
            }
        }
        #expect(trail.names.withLock(\.count) == 5)
        #expect(kept == 0)
        server.keepRoom()
        #expect(kept == 1_048_576)
        try server.close()
    }

    @Test("a write that was given room is run next and alone, and once it succeeds no more room is given up")
    func alone() async throws {
        let server = try SQLiteDatabase(path: path, isServer: true)
        let (trail, path) = (Trail(), path)
        let gate = Gate()
        async let held: Void = server.write { _ in gate.hold() }
        await gate.entered()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await KeptRoom.$isOpen.withValue(true) {
                    try await server.write { transaction in
                        trail.note("pause")
                        if DiskReserve.kept(beside: path) == DiskReserve.size {
                            throw StoreError.full("the disk is full")
                        }
                        try StoreClock(transaction).tryWriting(at: Instant(milliseconds: 1))
                    }
                }
            }
            // Both wait behind the one that is held.
            while server.waitingWrites < 1 { await Task.yield() }
            group.addTask { try await server.write { _ in trail.note("other") } }
            while server.waitingWrites < 2 { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        try await held
        // Together they fail, each is run by itself, and the pause again.
        let names = trail.names.withLock { $0 }
        #expect(names.last == "pause" && names.contains("other"), "\(names)")
        #expect(kept == DiskReserve.size - DiskReserve.step)
        try server.close()
    }

    @Test("a failure that is not of the disk costs no room")
    func otherFailure() async throws {
        let server = try SQLiteDatabase(path: path, isServer: true)
        await #expect(throws: StoreError.self) {
            try await KeptRoom.$isOpen.withValue(true) {
                try await server.write { try $0.execute(Statement("INSERT INTO scope (id) VALUES (1)")) }
            }
        }
        #expect(kept == 1_048_576)
        try server.close()
    }

    @Test("a link by the name of the file is neither followed nor used")
    func link() async throws {
        let precious = try directory.write("precious", to: "precious")
        try FileManager.default.createSymbolicLink(atPath: path + "-reserve", withDestinationPath: precious)
        let server = try await fullServer()
        #expect(kept == nil)
        await #expect(throws: StoreError.full("the disk is full")) {
            try await KeptRoom.$isOpen.withValue(true) { try await server.write { try $0.execute(Self.growth) } }
        }
        #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
        try server.close()
    }

    @Test("nothing is kept where a database was moved away, and a database that is moved to a server takes no room")
    func moved() async throws {
        let server = try SQLiteDatabase(path: path, isServer: true)
        let away = directory.path("away")
        let run = try Command.run("sh", ["-ec", "mkdir \"$1\"; mv \"$0\"* \"$1\"", path, away])
        try #require(run.status == 0, "\(run.errorText)")
        server.keepRoom()
        #expect(kept == nil)
        #expect(try Command.run("sh", ["-ec", "mv \"$1\"/* .", path, away], directory: directory.url).status == 0)
        try server.close()
        #expect(kept == 1_048_576)
        let file = try FileToMove(path: path)
        _ = try file.retire()
        file.close()
        #expect(kept == nil)
    }
}

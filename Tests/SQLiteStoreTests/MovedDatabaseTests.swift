import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import SQLiteStore

@Suite("A database that is moved, replaced or deleted while it is open")
struct MovedDatabaseTests {
    /// A change of the directory's files, and its reversal; none if they are deleted.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let happens: String
        let isUndone: String?

        static let all = [
            Fault(
                testDescription: "the file and all beside it are moved",
                happens: "mkdir away; mv offers.sqlite* away/", isUndone: "mv away/* .; rmdir away"),
            Fault(
                testDescription: "the file alone is moved", happens: "mv offers.sqlite away",
                isUndone: "mv away offers.sqlite"),
            Fault(testDescription: "the file is deleted", happens: "rm offers.sqlite", isUndone: nil),
            Fault(
                testDescription: "the file is replaced by a copy",
                happens: "mv offers.sqlite away; cp away offers.sqlite", isUndone: "mv away offers.sqlite"),
            Fault(
                testDescription: "another file is renamed over it",
                happens: "ln offers.sqlite away; cp away new; mv new offers.sqlite", isUndone: "mv away offers.sqlite"),
            Fault(
                testDescription: "the file and all beside it are replaced",
                happens: "mkdir away; mv offers.sqlite* away/; cp away/* .",
                isUndone: "rm offers.sqlite*; mv away/* .; rmdir away"),
            Fault(
                testDescription: "the log is moved", happens: "mv offers.sqlite-wal away",
                isUndone: "mv away offers.sqlite-wal"),
            Fault(testDescription: "the log is deleted", happens: "rm offers.sqlite-wal", isUndone: nil),
            Fault(
                testDescription: "the log is replaced by a copy",
                happens: "mv offers.sqlite-wal away; cp away offers.sqlite-wal", isUndone: "mv away offers.sqlite-wal"),
            Fault(
                testDescription: "the index of the log is deleted", happens: "rm offers.sqlite-shm", isUndone: nil),
            Fault(
                testDescription: "the file of the checkpoint right is deleted", happens: "rm offers.sqlite-checkpoint",
                isUndone: nil),
            Fault(
                testDescription: "the directory is moved", happens: "mv ../here ../away",
                isUndone: "mv ../away ../here"),
            Fault(
                testDescription: "the directory is replaced by a copy",
                happens: "mv ../here ../away; cp -r ../away ../here",
                isUndone: "rm -r ../here; mv ../away ../here"),
        ]
    }

    private let root: TemporaryDirectory
    private let path: String

    init() throws {
        root = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: root.path("here"), withIntermediateDirectories: false)
        path = root.path("here/offers.sqlite")
        try SQLiteDatabase.migrate(path: path)
    }

    private func shell(_ script: String) throws {
        let run = try Command.run("sh", ["-e", "-c", "cd here 2>&- || cd away\n\(script)"], directory: root.url)
        try #require(run.status == 0, "\(run.errorText)")
    }

    /// - Parameter move: moves the file within the transaction.
    private static func insert(
        _ id: String, into database: SQLiteDatabase, moving move: (from: String, to: String)? = nil
    ) async throws {
        try await database.recorded { transaction in
            if let move { try FileManager.default.moveItem(atPath: move.from, toPath: move.to) }
            try APIKeyStore(transaction).insert(
                StoredAPIKey(
                    id: id, scope: Scope(bundleId: "com.example.pro", environment: .sandbox), role: .client,
                    secretDigest: [UInt8](repeating: 7, count: 32), createdAt: Instant(milliseconds: 0)))
        }
    }

    private static func isMoved(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return false
        } catch StoreError.moved {
            return true
        }
    }

    private static func has(_ id: String, _ database: SQLiteDatabase) async throws -> Bool {
        try await database.readInline { try APIKeyStore($0).key(id) != nil }
    }

    @Test("nothing is recorded there any more, and all goes on once it is back", arguments: Fault.all)
    func faults(_ fault: Fault) async throws {
        let database = try SQLiteDatabase(path: path, isServer: true)
        try await Self.insert("before", into: database)
        try shell(fault.happens)
        #expect(try await Self.isMoved { try await Self.insert("meanwhile", into: database) })
        #expect(try await Self.isMoved { try await Self.insert("again", into: database) })
        #expect(try await Self.isMoved { _ = try await Self.has("before", database) })
        #expect(try await Self.isMoved { try await database.read { _ in } })
        if let undo = fault.isUndone {
            try shell(undo)
            #expect(try await Self.has("before", database))
            try await Self.insert("afterwards", into: database)
        }
        try database.close()
        guard fault.isUndone != nil else { return }
        let next = try SQLiteDatabase(path: path)
        for (id, isThere) in [("before", true), ("meanwhile", false), ("again", false), ("afterwards", true)] {
            #expect(try await Self.has(id, next) == isThere, "\(id)")
        }
        try next.close()
    }

    @Test("a log that was deleted is written back by an orderly end, and nothing is lost")
    func deletedLog() async throws {
        let database = try SQLiteDatabase(path: path, isServer: true)
        try await Self.insert("before", into: database)
        try shell("rm offers.sqlite-wal")
        #expect(try await Self.isMoved { try await Self.insert("meanwhile", into: database) })
        try database.close()
        let next = try SQLiteDatabase(path: path)
        #expect(try await Self.has("before", next))
        #expect(try await !Self.has("meanwhile", next))
        try next.close()
    }

    @Test("what is moved away during its own commit is not released, neither by the write nor by a later read")
    func duringCommit() async throws {
        let database = try SQLiteDatabase(path: path, isServer: true)
        #expect(
            try await Self.isMoved { try await Self.insert("key", into: database, moving: (path, root.path("away"))) })
        #expect(try await Self.isMoved { _ = try await Self.has("key", database) })
        try FileManager.default.moveItem(atPath: root.path("away"), toPath: path)
        #expect(try await Self.has("key", database), "it was committed, to the file that is back")
        try database.close()
    }

    @Test("what one server commits during a move, another one does not release by a read")
    func secondServer() async throws {
        let (first, second) = (
            try SQLiteDatabase(path: path, isServer: true), try SQLiteDatabase(path: path, isServer: true)
        )
        #expect(try await !Self.has("key", second), "its connection is open")
        #expect(try await Self.isMoved { try await Self.insert("key", into: first, moving: (path, root.path("away"))) })
        #expect(try await Self.isMoved { _ = try await Self.has("key", second) })
        #expect(try await Self.isMoved { try await second.read { _ in } })
        try FileManager.default.moveItem(atPath: root.path("away"), toPath: path)
        #expect(try await Self.has("key", second))
        try first.close()
        try second.close()
    }

    @Test("a new reader is never opened on the file that has taken the place, nor is that file changed")
    func otherFile() async throws {
        let database = try SQLiteDatabase(path: path, isServer: true)
        try await Self.insert("before", into: database)
        let backup = root.path("backup")
        try SQLiteDatabase.copy(from: path, to: backup)
        try await Self.insert("later", into: database)
        try shell("mv offers.sqlite away; cp ../backup offers.sqlite")
        for _ in 0..<3 { #expect(try await Self.isMoved { _ = try await Self.has("before", database) }) }
        _ = database.emptyLog()
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: backup)))
        try database.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: backup)))
        try shell("mv away offers.sqlite")
        let next = try SQLiteDatabase(path: path)
        #expect(try await Self.has("later", next))
        try next.close()
    }

    @Test("a command opens, makes, copies and checks no other file at the path while a server has the former one open")
    func commands() async throws {
        let server = try SQLiteDatabase(path: path, isServer: true)
        for happens in [
            "mv offers.sqlite away", "cp away offers.sqlite", "mv away offers.sqlite; mv offers.sqlite-wal away",
        ] {
            try shell(happens)
            #expect(throws: StoreError.self) { _ = try SQLiteDatabase(path: path) }
            #expect(throws: StoreError.self) { _ = try SQLiteDatabase(path: path, isServer: true) }
            #expect(throws: StoreError.self) { try SQLiteDatabase.migrate(path: path) }
            #expect(throws: StoreError.self) { try SQLiteDatabase.copy(from: path, to: root.path("copy")) }
            #expect(throws: StoreError.self) { try SQLiteDatabase.requireUnmoved(path: path) }
            let checks = SQLiteDatabase.examine(path: path)
            guard case .moved = checks.first?.failure, checks.count == 1 else {
                Issue.record("\(checks)")
                continue
            }
        }
        try shell("mv away offers.sqlite-wal")
        try SQLiteDatabase.requireUnmoved(path: path)
        try server.close()
        try shell("cp offers.sqlite new; mv new offers.sqlite")
        try SQLiteDatabase(path: path).close()
    }

    @Test("a second name of the file is no fault, and neither is a link that leads to it")
    func names() async throws {
        try shell("ln -s offers.sqlite link")
        let database = try SQLiteDatabase(path: root.path("here/link"), isServer: true)
        try await Self.insert("one", into: database)
        try shell("ln offers.sqlite second")
        try await Self.insert("two", into: database)
        try shell("rm second; mkdir other; cp offers.sqlite other/; ln -sfn other/offers.sqlite link")
        #expect(try await Self.isMoved { try await Self.insert("three", into: database) })
        try shell("ln -sfn offers.sqlite link")
        try await Self.insert("three", into: database)
        try database.close()
    }
}

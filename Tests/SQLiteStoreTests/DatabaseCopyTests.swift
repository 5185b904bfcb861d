import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Copies of the database")
struct DatabaseCopyTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("offers.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func key(_ id: String) -> StoredAPIKey {
        StoredAPIKey(
            id: id, scope: Scope(bundleId: "com.example.pro", environment: .sandbox), role: .client,
            secretDigest: [UInt8](repeating: 7, count: 32), label: String(repeating: "x", count: 2_000),
            createdAt: Instant(milliseconds: 0))
    }

    @Test("a copy made while others write is one moment of the database, and nobody had to wait for it to end")
    func besideWriters() async throws {
        try SQLiteDatabase.migrate(path: path)
        let database = try SQLiteDatabase(path: path)
        // Some megabytes, so that the copy takes many steps.
        for batch in 0..<4 {
            try await database.recorded { transaction in
                for number in 0..<1_000 {
                    try APIKeyStore(transaction).insert(Self.key("before-\(batch * 1_000 + number)"))
                }
            }
        }
        let isOver = Mutex(false)
        let (written, write) = AsyncStream.makeStream(of: Int.self)
        let writer = Task {
            var count = 0
            while !isOver.withLock({ $0 }) {
                let number = count
                // Two rows in one commit: a copy has both or none.
                try await database.recorded { transaction in
                    try APIKeyStore(transaction).insert(Self.key("left-\(number)"))
                    try APIKeyStore(transaction).insert(Self.key("right-\(number)"))
                }
                count += 1
                write.yield(count)
            }
            return count
        }
        for await count in written where count >= 3 { break }
        let copy = directory.path("copy.sqlite")
        try SQLiteDatabase.copy(from: path, to: copy)
        isOver.withLock { $0 = true }
        let committed = try await writer.value
        try database.close()

        let copied = try SQLiteDatabase(path: copy)
        let ids = try await copied.read { Set(try APIKeyStore($0).keys().map(\.id)) }
        #expect(ids.count { $0.hasPrefix("before-") } == 4_000)
        let left = ids.count { $0.hasPrefix("left-") }
        #expect(left == ids.count { $0.hasPrefix("right-") })
        #expect((3...committed).contains(left))
        for number in 0..<left { #expect(ids.contains("left-\(number)") && ids.contains("right-\(number)")) }
        try copied.close()
    }

    @Test("a copy is one file that only its owner can read, and nothing else is left beside it")
    func oneFile() throws {
        try SQLiteDatabase.migrate(path: path)
        let place = try TemporaryDirectory()
        let content = try SQLiteDatabase.copy(from: path, to: place.path("copy.sqlite"))
        #expect(content.isCurrent && content.schema == Migration.all.last?.name)
        #expect(try SQLiteDatabase.inspect(path: place.path("copy.sqlite")) == content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == ["copy.sqlite"])
        let attributes = try FileManager.default.attributesOfItem(atPath: place.path("copy.sqlite"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test("a copy never replaces a file, and one that fails leaves nothing")
    func nothingReplaced() throws {
        try SQLiteDatabase.migrate(path: path)
        let place = try TemporaryDirectory()
        let taken = try place.write("mine", to: "taken")
        #expect(throws: StoreError.unavailable("`\(taken)` exists already and is not replaced")) {
            try SQLiteDatabase.copy(from: path, to: taken)
        }
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "mine")
        let garbage = try directory.write([UInt8](repeating: 0x41, count: 8_192), to: "garbage")
        #expect(throws: StoreError.self) { try SQLiteDatabase.copy(from: garbage, to: place.path("copy")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == ["taken"])
    }
}

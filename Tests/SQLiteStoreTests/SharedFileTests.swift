import Dispatch
import OfferModel
import OfferStore
import OfferTestSupport
import SQLiteStore
import Testing

@Suite("Several databases on one file")
struct SharedFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("offers.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        try SQLiteDatabase.migrate(path: directory.path("offers.sqlite"))
    }

    @Test("a writer who waits longer than its patience hears that the store is busy, and later gets through")
    func busy() async throws {
        let holder = try SQLiteDatabase(path: path)
        let waiter = try SQLiteDatabase(path: path, limits: .init(writes: .init(patience: .milliseconds(100))))
        let release = DispatchSemaphore(value: 0)
        let (entries, entry) = AsyncStream<Void>.makeStream()
        async let held: Void = holder.write { _ in
            entry.yield()
            release.wait()
        }
        for await _ in entries { break }
        await #expect(throws: StoreError.busy("another process holds the database")) {
            try await waiter.write { try StoreClock($0).advance(to: Instant(milliseconds: 1)) }
        }
        // Readers never wait for the writer.
        #expect(try await waiter.read { try StoreClock($0).lastInstant() } == nil)
        #expect(try await waiter.readInline { try StoreClock($0).lastInstant() } == nil)
        release.signal()
        try await held
        try await waiter.write { try StoreClock($0).advance(to: Instant(milliseconds: 1)) }
        #expect(try await holder.read { try StoreClock($0).lastInstant() } == Instant(milliseconds: 1))
    }

    @Test("another process and this one write to one file, and neither loses a number (invariant 2)")
    func anotherProcess() async throws {
        let program = """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None)
            for _ in range(200):
                connection.execute("BEGIN IMMEDIATE")
                number = connection.execute("SELECT sequence FROM store_state").fetchone()[0]
                connection.execute("UPDATE store_state SET sequence = ?", (number + 1,))
                connection.execute("COMMIT")
            """
        let path = path
        let database = try SQLiteDatabase(path: path)
        let scope = try await database.write {
            try ScopeStore($0).findOrAdd(Scope(bundleId: "com.example.pro", environment: .sandbox))
        }
        let neighbour = Task.detached { try Command.run("python3", ["-c", program, path]) }
        for number in 0..<200 {
            try await database.write {
                _ = try CustomerStore($0).add(
                    under: [.customerId(CustomerId("user-\(number)"))], at: Instant(milliseconds: 1), in: scope)
            }
        }
        let finished = try await neighbour.value
        #expect(finished.status == 0, "\(finished.errorText)")
        #expect(try await database.read { try StoreClock($0).newestSequence() } == 400)
    }

    @Test("two busy writers both get through, and no number of the store-wide order is given twice")
    func twoWriters() async throws {
        let databases = [try SQLiteDatabase(path: path), try SQLiteDatabase(path: path)]
        let scope = try await databases[0].write {
            try ScopeStore($0).findOrAdd(Scope(bundleId: "com.example.pro", environment: .sandbox))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                let database = databases[number % 2]
                group.addTask {
                    try await database.write {
                        _ = try CustomerStore($0).add(
                            under: [.customerId(CustomerId("user-\(number)"))], at: Instant(milliseconds: 1), in: scope)
                    }
                }
            }
            try await group.waitForAll()
        }
        let versions = try await databases[0].read {
            try $0.rows(Statement("SELECT version FROM customer")).map { try $0.value(0, as: Int64.self) }
        }
        #expect(versions.count == 400 && Set(versions).count == 400)
    }
}

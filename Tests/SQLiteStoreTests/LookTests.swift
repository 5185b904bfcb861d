import Dispatch
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import SQLiteStore

@Suite("Quick looks")
struct LookTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("offers.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        try SQLiteDatabase.migrate(path: directory.path("offers.sqlite"))
    }

    private static let lastInstant = Statement("SELECT last_instant FROM store_state WHERE id = 1")

    @Test("a look sees everything that was committed before it, and nothing that is committed during it")
    func snapshot() async throws {
        let database = try SQLiteDatabase(path: path)
        for number in Int64(1)...50 {
            try await database.write { try StoreClock($0).advance(to: Instant(milliseconds: number)) }
            #expect(try await database.readInline { try StoreClock($0).lastInstant() } == Instant(milliseconds: number))
        }
        let program = """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None)
            connection.execute("UPDATE store_state SET last_instant = 99")
            """
        let path = path
        let seen = try await database.readInline { transaction in
            let before = try StoreClock(transaction).lastInstant()
            let neighbour = try Command.run("python3", ["-c", program, path])
            #expect(neighbour.status == 0, "\(neighbour.errorText)")
            return [before, try StoreClock(transaction).lastInstant()]
        }
        #expect(seen == [Instant(milliseconds: 50), Instant(milliseconds: 50)])
        #expect(try await database.readInline { try StoreClock($0).lastInstant() } == Instant(milliseconds: 99))
        try database.close()
    }

    @Test("a look that throws leaves its connection to the next, which sees what is new")
    func afterAFailure() async throws {
        struct Refused: Error {}
        let database = try SQLiteDatabase(path: path)
        await #expect(throws: Refused.self) {
            try await database.readInline { transaction in
                _ = try transaction.rows(Self.lastInstant)
                throw Refused()
            }
        }
        try await database.write { try StoreClock($0).advance(to: Instant(milliseconds: 7)) }
        #expect(try await database.readInline { try StoreClock($0).lastInstant() } == Instant(milliseconds: 7))
        try database.close()
    }

    @Test("looks that wait share the next snapshot, which begins after them, and one that throws harms no other")
    func shared() async throws {
        struct Refused: Error {}
        let (path, looks) = (path, SharedLooks(Readers(path: path), snapshots: 1))
        let instant = { @Sendable (transaction: any StoreTransaction) in try StoreClock(transaction).lastInstant() }
        let commit = { @Sendable (number: Int64) in
            let writer = try Connection(path: path, .readWrite)
            try writer.execute(Statement("UPDATE store_state SET last_instant = ?1", number))
            try writer.close()
        }
        let waiting = { @Sendable (count: Int) async in while looks.waiting < count { await Task.yield() } }
        try commit(1)
        let (begun, go) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        // On a thread of its own, because it waits for the others.
        let first = Task(executorPreference: ReadingThreads([DispatchQueue(label: "first")])) {
            try await looks.read { transaction in
                let before = try instant(transaction)
                begun.continuation.finish()
                go.wait()
                return [before, try instant(transaction)]
            }
        }
        for await _ in begun.stream {}
        let second = Task {
            try await looks.read { transaction in
                let before = try instant(transaction)
                try commit(3)
                return before
            }
        }
        await waiting(1)
        let third = Task { try await looks.read { _ in throw Refused() } }
        await waiting(2)
        let fourth = Task { try await looks.read(instant) }
        await waiting(3)
        try commit(2)
        go.signal()
        #expect(try await first.value == [Instant(milliseconds: 1), Instant(milliseconds: 1)])
        #expect(try await second.value == Instant(milliseconds: 2))
        await #expect(throws: Refused.self) { try await third.value }
        #expect(try await fourth.value == Instant(milliseconds: 2))
        #expect(try await looks.read(instant) == Instant(milliseconds: 3))
    }

    @Test("what is the same for every customer is read once for each snapshot, and again for the next")
    func remembered() throws {
        let scope = Scope(bundleId: "com.example.pro", environment: .production)
        let writer = try Connection(path: path, .readWrite)
        try writer.runScript(
            """
            INSERT INTO scope (id, bundle_id, environment, generation) VALUES (1, 'com.example.pro', 'Production', 0);
            INSERT INTO api_key (id, scope_id, role, secret_digest, created_at) VALUES ('k', 1, 'app', zeroblob(32), 1);
            INSERT INTO offer_counter (scope_id, offer_id, unit, amount) VALUES (1, 'comeback', 'places', 2);
            """)
        let (readers, statements) = (Readers(path: path), RecordedStatements())
        struct Seen: Equatable {
            let revokedAt: Instant?
            let generation: Int64?
            let places: Int64?
        }
        func look(_ snapshot: Readers.Snapshot) throws -> Seen {
            try snapshot.read { transaction in
                let transaction = statements.recording(transaction, isWriting: false)
                return Seen(
                    revokedAt: try APIKeyStore(transaction).key("k")?.key.revokedAt,
                    generation: try ScopeStore(transaction).presentState(around: scope).scope?.generation,
                    places: try CounterStore(transaction).used(
                        of: "comeback", at: Instant(milliseconds: 9), in: ScopeNumber(rawValue: 1)
                    ).values.first)
            }
        }
        func looks() -> [Seen?] {
            var seen: [Seen?] = []
            readers.withSnapshot { snapshot in
                seen.append(try? look(snapshot))
                let once = statements.total
                try? writer.runScript(
                    """
                    UPDATE api_key SET revoked_at = 5;
                    UPDATE scope SET generation = generation + 1;
                    UPDATE offer_counter SET amount = amount + 1;
                    """)
                seen.append(try? look(snapshot))
                #expect(statements.total == once)
            }
            return seen
        }
        let before = Seen(revokedAt: nil, generation: 0, places: 2)
        #expect(looks() == [before, before])
        let after = Seen(revokedAt: Instant(milliseconds: 5), generation: 1, places: 3)
        #expect(looks() == [after, after])
        try writer.close()
    }

    @Test("where SQLite ends a snapshot that looks share, those after it fail instead of seeing different moments")
    func ended() {
        struct OutOfMemory: Error {}
        Readers(path: path).withSnapshot { snapshot in
            #expect(throws: OutOfMemory.self) {
                try snapshot.read { transaction in
                    // As SQLite does itself where a statement that reads finds no memory or cannot read the file.
                    try (transaction as? Connection)?.runScript("ROLLBACK")
                    throw OutOfMemory()
                }
            }
            let error = #expect(throws: StoreError.self) {
                try snapshot.read { try StoreClock($0).lastInstant() }
            }
            guard case .unavailable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("a look writes nothing")
    func readOnly() async throws {
        let database = try SQLiteDatabase(path: path)
        let error = await #expect(throws: StoreError.self) {
            try await database.readInline { try StoreClock($0).advance(to: Instant(milliseconds: 7)) }
        }
        guard case .readOnly = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await database.readInline { try StoreClock($0).lastInstant() } == nil)
        try database.close()
    }

    @Test("many looks at once each see one moment, while somebody writes")
    func together() async throws {
        let database = try SQLiteDatabase(path: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in Int64(1)...100 {
                    _ = try await database.write { transaction in
                        try transaction.execute(
                            Statement("UPDATE store_state SET last_instant = ?1, sequence = ?1", number))
                    }
                }
            }
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<50 {
                        let (instant, sequence) = try await database.readInline { transaction in
                            (
                                try StoreClock(transaction).lastInstant()?.milliseconds ?? 0,
                                try StoreClock(transaction).newestSequence()
                            )
                        }
                        #expect(instant == sequence)
                    }
                }
            }
            try await group.waitForAll()
        }
        try database.close()
    }

    @Test("a cancelled task looks at nothing, and its read ends at the next statement")
    func cancelled() async throws {
        let database = try SQLiteDatabase(path: path)
        for isLook in [true, false] {
            let task = Task.immediate { @Sendable in
                withUnsafeCurrentTask { $0?.cancel() }
                let body = { @Sendable (transaction: any StoreTransaction) in
                    try transaction.rows(Self.lastInstant).count
                }
                return try await isLook ? database.readInline(body) : database.read(body)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try database.close()
    }

    @Test("a statement that never ends is interrupted when its task is cancelled", .timeLimit(.minutes(5)))
    func interrupted() async throws {
        let database = try SQLiteDatabase(path: path)
        for isLook in [true, false] {
            let begun = DispatchSemaphore(value: 0)
            let task = Task.detached { @Sendable in
                let body = { @Sendable (transaction: any StoreTransaction) in
                    begun.signal()
                    return try transaction.rows(
                        Statement("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(i) FROM n"))
                }
                return try await isLook ? database.readInline(body) : database.read(body)
            }
            // On a thread that no task waits for: the look keeps its own, and there may be no other.
            DispatchQueue(label: "cancelling").async {
                begun.wait()
                task.cancel()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            // What was interrupted reads on, and sees what is new.
            #expect(try await database.readInline { try $0.rows(Self.lastInstant).count } == 1)
        }
        try database.close()
    }

    @Test("reads that wait keep no thread of other tasks, on a file and in memory", .timeLimit(.minutes(5)))
    func threads() async throws {
        for database in [try SQLiteDatabase(path: path), try SQLiteDatabase.inMemory()] {
            let count = 64
            let release = DispatchSemaphore(value: 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        let rows = try await database.read { transaction in
                            release.wait()
                            return try transaction.rows(Self.lastInstant)
                        }
                        #expect(rows.count == 1)
                    }
                }
                // With every shared thread waiting, none of these would run.
                for _ in 0..<count { group.addTask { release.signal() } }
                try await group.waitForAll()
            }
            try database.close()
        }
    }

    @Test("a closed database is looked at by nobody")
    func closed() async throws {
        let database = try SQLiteDatabase(path: path)
        try await database.write { try StoreClock($0).advance(to: Instant(milliseconds: 7)) }
        _ = try await database.readInline { try $0.rows(Self.lastInstant) }
        try database.close()
        await #expect(throws: StoreError.unavailable("the database is closed")) {
            try await database.readInline { try $0.rows(Self.lastInstant) }
        }
    }

    @Test("a task that is cancelled while its first statement reads the schema is told so")
    func cancelledPreparing() async throws {
        let writer = try Connection(path: path, .readWrite)
        let tables = (0..<3_000).map { "CREATE TABLE wide\($0) (a, b, c);" }.joined()
        try writer.runScript("BEGIN; \(tables) COMMIT")
        try writer.close()
        let path = path
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try Connection(path: path, .readOnly).rows(Self.lastInstant).count
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

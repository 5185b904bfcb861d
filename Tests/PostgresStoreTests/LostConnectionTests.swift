import OfferModel
import OfferStore
import OfferTestSupport
import PostgresStore
import Testing

@Suite("Lost connections to PostgreSQL", .onPostgres("SQLite has none"), .timeLimit(.minutes(5)))
struct LostConnectionTests {
    private let directory: TemporaryDirectory
    private let store: TestStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try TestStore(in: directory)
    }

    /// Ends connections to the database, as a server that stops does.
    ///
    /// - Parameter condition: which ones, of `pg_stat_activity`.
    /// - Returns: how many.
    @discardableResult
    private func end(where condition: String = "true") throws -> Int {
        let administration = try PostgresAdministration(url: store.place)
        defer { administration.close() }
        return try administration.texts(
            """
            SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND \(condition)
            """
        ).count
    }

    private static func advance(_ database: any DatabaseDriver, to milliseconds: Int64) async throws {
        try await database.write { try StoreClock($0).advance(to: Instant(milliseconds: milliseconds)) }
    }

    private static func last(_ database: any DatabaseDriver) async throws -> Instant? {
        try await database.read { try StoreClock($0).lastInstant() }
    }

    @Test("reads and writes go on with new connections when the server has ended the old ones")
    func restart() async throws {
        let database = try store.open()
        try await Self.advance(database, to: 1)
        for number in 2..<5 as Range<Int64> {
            _ = try await Self.last(database)
            #expect(try end() > 0)
            #expect(try await Self.last(database) == Instant(milliseconds: number - 1))
            #expect(try end() > 0)
            try await Self.advance(database, to: number)
        }
        #expect(try await Self.last(database) == Instant(milliseconds: 4))
        try database.close()
    }

    @Test("a write whose connection is lost before its commit fails, and nothing of it is kept")
    func lostInside() async throws {
        let database = try store.open()
        try await Self.advance(database, to: 1)
        let error = await #expect(throws: StoreError.self) {
            try await database.write { transaction in
                try StoreClock(transaction).advance(to: Instant(milliseconds: 2))
                try end()
            }
        }
        guard case .unreachable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await Self.last(database) == Instant(milliseconds: 1))
        try await Self.advance(database, to: 3)
        #expect(try await Self.last(database) == Instant(milliseconds: 3))
        try database.close()
    }

    @Test("a commit whose answer is lost is looked up, and counts once (invariant 1)")
    func lostAnswer() async throws {
        let (database, proxy) = try throughProxy()
        try await Self.advance(database, to: 1)
        for number in 2..<6 as Range<Int64> {
            proxy.cutNext(.answer)
            try await Self.advance(database, to: number)
            #expect(try await Self.last(database) == Instant(milliseconds: number))
        }
        #expect(proxy.cutConnections == 4)
        database.close()
    }

    @Test("a commit that never arrives fails, and nothing of it is kept")
    func lostCommit() async throws {
        let (database, proxy) = try throughProxy()
        for number in 1..<4 as Range<Int64> {
            try await Self.advance(database, to: number)
            proxy.cutNext(.commit)
            let error = await #expect(throws: StoreError.self) { try await Self.advance(database, to: 99) }
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await Self.last(database) == Instant(milliseconds: number))
        }
        #expect(proxy.cutConnections == 3)
        database.close()
    }

    private func throughProxy() throws -> (PostgresDatabase, CuttingProxy) {
        let folder = try #require(store.place.firstMatch(of: /host=([^&]+)/)?.1)
        let proxy = try CuttingProxy(before: String(folder))
        let url = store.place.replacing("host=\(folder)", with: "host=\(proxy.folder)")
        return (try PostgresDatabase(url: url, limits: .init(looks: 2, reads: 2, stall: .seconds(60))), proxy)
    }

    @Test("a process that stops while it holds the lock loses it, and its write fails")
    func stopped() async throws {
        #expect(PostgresDatabase.Limits().stall == .seconds(2))
        let stopped = try store.open(stall: .seconds(2))
        let other = try store.open(limits: .init(patience: .seconds(60)))
        let gate = Gate()
        let write = Task {
            try await stopped.write { transaction in
                try StoreClock(transaction).advance(to: Instant(milliseconds: 7))
                gate.hold()
            }
        }
        await gate.entered()
        try await Self.advance(other, to: 1)
        gate.open()
        await #expect(throws: StoreError.self) { try await write.value }
        #expect(try await Self.last(other) == Instant(milliseconds: 1))
        try await Self.advance(stopped, to: 2)
        try stopped.close()
        try other.close()
    }

    @Test("a server that is too old, has another encoding or loses commits is refused by its name")
    func settings() async throws {
        let administration = try PostgresAdministration(url: store.place)
        let name = try administration.texts("SELECT current_database()::text")[0]
        for value in ["off", "local"] {
            try administration.run("ALTER DATABASE \(name) SET synchronous_commit = \(value)")
            let error = #expect(throws: StoreError.self) { try store.open() }
            #expect(error?.detail == "the database does not keep commits durable: `synchronous_commit` is `\(value)`")
        }
        administration.close()
    }
}

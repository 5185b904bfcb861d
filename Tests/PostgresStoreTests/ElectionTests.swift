import OfferStore
import OfferTestSupport
import PostgresStore
import Testing

@Suite(
    "The process that does what only one has to do", .onPostgres("one machine's processes need no election"),
    .timeLimit(.minutes(1)))
struct ElectionTests {
    private let directory: TemporaryDirectory
    private let store: TestStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try TestStore(in: directory)
    }

    /// How long another process takes to be elected.
    private func takeover(by database: any DatabaseDriver) async -> Duration {
        let start = ContinuousClock.now
        while await !database.isElected() { await Task.yield() }
        return .now - start
    }

    @Test("of three processes one is elected, and stays it")
    func one() async throws {
        let databases = try (0..<3).map { _ in try store.open() }
        for _ in 0..<2 {
            var elected: [Bool] = []
            for database in databases { elected.append(await database.isElected()) }
            #expect(elected == [true, false, false])
        }
        for database in databases { try database.close() }
    }

    @Test("another follows a process that stops, without waiting for the end of its term")
    func stop() async throws {
        let (first, second) = (try store.open(), try store.open())
        #expect(await first.isElected())
        #expect(await !second.isElected())
        try first.close()
        // It looks again every two seconds; a term has six.
        #expect(await takeover(by: second) < .seconds(4))
        try second.close()
    }

    @Test("another follows a process that is killed, within ten seconds")
    func kill() async throws {
        let (first, second) = (try store.open(), try store.open())
        #expect(await first.isElected())
        #expect(await !second.isElected())
        // Nothing more is heard of the first.
        #expect(await takeover(by: second) < .seconds(10))
        #expect(await !first.isElected())
        try first.close()
        #expect(await second.isElected())
        try second.close()
    }
}

import OfferStore
import OfferTestSupport
import PostgresStore
import Testing

@Suite(
    "The process that does what only one has to do", .onPostgres("one machine's processes need no election"),
    .timeLimit(.minutes(5)))
struct ElectionTests {
    private let directory: TemporaryDirectory
    private let store: TestStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try TestStore(in: directory)
    }

    /// Asks until the process is elected.
    private func wait(for database: any DatabaseDriver) async {
        while await !database.isElected() { await Task.yield() }
    }

    private func onServer<Answer>(_ body: (PostgresAdministration) throws -> Answer) throws -> Answer {
        let administration = try PostgresAdministration(url: store.place)
        defer { administration.close() }
        return try body(administration)
    }

    /// For how many seconds the one that is elected is so without a word from it.
    private func terms() throws -> [Double] {
        try onServer { try $0.texts("SELECT EXTRACT(EPOCH FROM until - clock_timestamp())::text FROM elected") }
            .compactMap(Double.init)
    }

    @Test("of three processes one is elected, and stays it")
    func one() async throws {
        let databases = try (0..<3).map { _ in try store.open() }
        for _ in 0..<2 {
            var elected: [Bool] = []
            for database in databases { elected.append(await database.isElected()) }
            #expect(elected == [true, false, false])
            #expect(databases.map { $0.hasRole } == elected)
        }
        for database in databases { try database.close() }
    }

    @Test("another follows a process that stops, without waiting for the end of its term")
    func stop() async throws {
        let (first, second) = (try store.open(), try store.open())
        #expect(await first.isElected())
        #expect(await !second.isElected())
        try first.close()
        #expect(try terms() == [])
        await wait(for: second)
        try second.close()
    }

    @Test("another follows a process of which nothing more is heard, at the end of its term")
    func silence() async throws {
        let (first, second) = (try store.open(), try store.open())
        #expect(await first.isElected())
        #expect(await !second.isElected())
        try onServer { try $0.run("UPDATE elected SET until = clock_timestamp()") }
        await wait(for: second)
        // What the first learned it believes for a moment.
        while await first.isElected() { await Task.yield() }
        try first.close()
        #expect(await second.isElected())
        try second.close()
    }

    @Test("a term lasts as long as the database says, which is six seconds, so that another follows within ten")
    func term() async throws {
        #expect(PostgresDatabase.Limits().term == .seconds(6))
        let short = try store.open(term: .zero)
        #expect(await short.isElected())
        #expect(!short.hasRole, "its term has passed, and it may no longer be elected")
        try short.close()
        let database = try store.open(term: .seconds(9_000))
        #expect(await database.isElected())
        let terms = try terms()
        #expect(terms.count == 1 && terms.allSatisfy { 8_000 < $0 && $0 <= 9_000 }, "\(terms)")
        try database.close()
    }
}

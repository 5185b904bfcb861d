import OfferModel
import OfferStore
import OfferTestSupport
import PostgresStore
import Testing

@Suite(
    "Quick looks at PostgreSQL, and longer reads", .onPostgres("SQLite looks on the caller's thread"),
    .timeLimit(.minutes(5)))
struct LooksTests {
    private let directory: TemporaryDirectory
    private let database: any DatabaseDriver

    init() throws {
        directory = try TemporaryDirectory()
        database = try TestStore(in: directory).open()
    }

    @Test("longer reads keep no look waiting, however many there are")
    func apart() async throws {
        let database = database
        let gates = (0..<6).map { _ in Gate() }
        let reads = gates.map { gate in Task.immediate { try await database.read { _ in gate.hold() } } }
        await gates[0].entered()
        let sequence = try await database.readInline { try StoreClock($0).newestSequence() }
        #expect(try await database.readOnce { try StoreClock($0).newestSequence() } == sequence)
        for gate in gates { gate.open() }
        for read in reads { try await read.value }
        try database.close()
    }

    @Test("a look that may ask one question is refused a second, which would see another state")
    func second() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await database.readOnce { transaction in
                _ = try StoreClock(transaction).newestSequence()
                _ = try StoreClock(transaction).lastInstant()
            }
        }
        #expect(error == .unavailable("a second question has no snapshot"))
        #expect(try await database.readOnce { try StoreClock($0).lastInstant() } == nil)
        try database.close()
    }
}

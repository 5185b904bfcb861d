import OfferModel
import OfferStore
import OfferTestSupport
import PostgresStore
import Testing

@Suite(
    "Writes that come while another process writes", .onPostgres("SQLite asks for the lock again and again"),
    .timeLimit(.minutes(5)))
struct JoiningWritesTests {
    private static let question = Statement("SELECT last_instant FROM store_state WHERE id = 1")

    private let directory: TemporaryDirectory
    private let store: TestStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try TestStore(in: directory)
    }

    private func open(_ limits: WriteLimits) throws -> PostgresDatabase {
        try #require(try store.open(limits: limits, checksPrefetched: false) as? PostgresDatabase)
    }

    /// Asks within a write what the clock was, as another process left it.
    private static func write(to database: PostgresDatabase) -> Task<Int?, any Error> {
        Task.immediate {
            try await database.write(expecting: { WriteExpectation(of: [], [{ _ = try $0.rows(question) }]) }) {
                try $0.row(question)?.value(0)
            }
        }
    }

    @Test(
        "share one commit with the one that waits, and their questions are asked with its own",
        arguments: [(batch: 256, trips: 2), (batch: 4, trips: 4)])
    func joined(batch: Int, trips: Int) async throws {
        let (database, other) = (try open(.init(batch: batch, patience: .seconds(600))), try open(WriteLimits()))
        let gate = Gate()
        async let held: Void = other.write { transaction in
            try StoreClock(transaction).advance(to: Instant(milliseconds: 7))
            gate.hold()
        }
        await gate.entered()
        let before = database.roundTrips.writing
        var writes: [Task<Int?, any Error>] = []
        for number in 1...8 {
            writes.append(Self.write(to: database))
            while database.waitingWrites > max(0, number - batch) { await Task.yield() }
        }
        gate.open()
        try await held
        for write in writes { #expect(try await write.value == 7) }
        #expect(database.roundTrips.writing - before == trips)
        database.close()
        other.close()
    }

    @Test("fail alone where they fail, after what the others wrote was kept")
    func failing() async throws {
        struct Refused: Error {}
        let (database, other) = (try open(.init(patience: .seconds(600))), try open(WriteLimits()))
        let gate = Gate()
        async let held: Void = other.write { _ in gate.hold() }
        await gate.entered()
        let first = Task.immediate {
            try await database.write { try StoreClock($0).advance(to: Instant(milliseconds: 3)) }
        }
        while database.waitingWrites > 0 { await Task.yield() }
        let second = Task.immediate {
            try await database.write { transaction in
                try StoreClock(transaction).advance(to: Instant(milliseconds: 9))
                throw Refused()
            }
        }
        while database.waitingWrites > 0 { await Task.yield() }
        gate.open()
        try await held
        try await first.value
        await #expect(throws: Refused.self) { try await second.value }
        #expect(try await database.read { try StoreClock($0).lastInstant() } == Instant(milliseconds: 3))
        database.close()
        other.close()
    }
}

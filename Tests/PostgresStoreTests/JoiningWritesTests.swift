import OfferModel
import OfferStore
import OfferTestSupport
import PostgresStore
import Testing

@Suite(
    "Writes that come while another process writes", .onPostgres("SQLite asks for the lock again and again"),
    .timeLimit(.minutes(5)))
struct JoiningWritesTests {
    private struct Refused: Error {}

    private let directory: TemporaryDirectory
    private let database: PostgresDatabase
    private let other: any DatabaseDriver

    init() throws {
        directory = try TemporaryDirectory()
        let store = try TestStore(in: directory)
        database = try Self.open(store)
        other = try store.open()
    }

    private static func open(_ store: TestStore, batch: Int = 256) throws -> PostgresDatabase {
        let limits = WriteLimits(batch: batch, patience: .seconds(600))
        return try #require(try store.open(limits: limits, checksPrefetched: false) as? PostgresDatabase)
    }

    /// A question of a write's own: the instant that another process left, and the write's number.
    private static func question(_ number: Int) -> Statement {
        Statement("SELECT last_instant + \(number) FROM store_state WHERE id = 1")
    }

    private static func expecting(_ question: Statement) -> WriteExpectation.Maker {
        { WriteExpectation(of: [], [{ _ = try $0.rows(question) }]) }
    }

    /// Waits until all but some writes have begun to wait for the lock.
    private static func joined(_ database: PostgresDatabase, but left: Int = 0) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while database.waitingWrites > left {
            try #require(ContinuousClock.now < end, "\(database.waitingWrites) writes do not join")
            await Task.yield()
        }
    }

    /// Runs a body while the other process writes, and lets that commit an instant.
    private func whileOtherWrites<Answer: Sendable>(
        _ body: () async throws -> Answer
    ) async throws -> Answer {
        let gate = Gate()
        async let held: Void = other.write { transaction in
            try StoreClock(transaction).advance(to: Instant(milliseconds: 100))
            gate.hold()
        }
        await gate.entered()
        let answer: Answer
        do {
            defer { gate.open() }
            answer = try await body()
        }
        try await held
        return answer
    }

    @Test(
        "share one commit with the one that waits, and their questions are asked with its own",
        arguments: [(batch: 256, trips: 2), (batch: 4, trips: 4)])
    func joined(batch: Int, trips: Int) async throws {
        let database = try Self.open(try TestStore(of: directory), batch: batch)
        let before = database.roundTrips.writing
        let writes = try await whileOtherWrites {
            var writes: [Task<Int?, any Error>] = []
            for number in 1...8 {
                let question = Self.question(number)
                writes.append(
                    Task.immediate {
                        try await database.write(expecting: Self.expecting(question)) {
                            try $0.row(question)?.value(0)
                        }
                    })
                try await Self.joined(database, but: max(0, number - batch))
            }
            // Time for what should not join to do so.
            if batch < 8 { try await Task.sleep(for: .milliseconds(50)) }
            return writes
        }
        for (number, write) in zip(1..., writes) { #expect(try await write.value == 100 + number) }
        #expect(database.roundTrips.writing - before == trips)
        database.close()
        try close()
    }

    /// Runs two writes, the second of which joins the first.
    private func run(
        _ second: @escaping @Sendable (PostgresDatabase) async throws -> Int?
    ) async throws -> Task<Int?, any Error> {
        let database = database
        let (first, joined) = try await whileOtherWrites {
            let first = Task.immediate {
                try await database.write { try StoreClock($0).advance(to: Instant(milliseconds: 300)) }
            }
            try await Self.joined(database)
            let joined = Task.immediate { try await second(database) }
            try await Self.joined(database)
            return (first, joined)
        }
        try await first.value
        return joined
    }

    @Test("fail alone where they fail")
    func failing() async throws {
        let joined = try await run { database in
            try await database.write { transaction in
                try StoreClock(transaction).advance(to: Instant(milliseconds: 900))
                throw Refused()
            }
        }
        await #expect(throws: Refused.self) { try await joined.value }
        #expect(try await database.read { try StoreClock($0).lastInstant() } == Instant(milliseconds: 300))
        try close()
    }

    @Test("fail alone where a question fails that was asked for them")
    func wrongQuestion() async throws {
        let wrong = Statement("SELECT 1 / (last_instant - last_instant) FROM store_state WHERE id = 1")
        let joined = try await run { database in
            try await database.write(expecting: Self.expecting(wrong)) { try $0.row(Self.question(1))?.value(0) }
        }
        await #expect(throws: StoreError.unavailable("the database failed: division by zero")) {
            try await joined.value
        }
        #expect(try await database.read { try StoreClock($0).lastInstant() } == Instant(milliseconds: 300))
        try close()
    }

    private func close() throws {
        database.close()
        try other.close()
    }
}

import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import OfferStore

@Suite("Cache of a durable transaction", .timeLimit(.minutes(5)))
struct TransactionCacheTests {
    private struct Refused: Error {}

    /// Runs bodies that share one commit, the first of them first, and says which were refused.
    private static func together(
        _ database: some StoreDatabase, _ bodies: [@Sendable (any StoreTransaction) throws -> Void]
    ) async throws -> [Bool] {
        let gate = Gate()
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        let writes = bodies.map { body in
            Task.immediate { @Sendable in
                do {
                    try await database.write(body)
                    return false
                } catch is Refused {
                    return true
                }
            }
        }
        gate.open()
        try await held
        var refused = [Bool]()
        for write in writes { refused.append(try await write.value) }
        return refused
    }

    @Test(
        "bodies that fail in a shared commit leave no gap in sequence or chain, wherever they stand",
        arguments: [[0], [1], [6], [0, 1], [2, 3, 5], [5, 6], [0, 1, 2, 3, 4, 5, 6]] as [Set<Int>])
    func noGap(failing: Set<Int>) async throws {
        for driver in Driver.allCases {
            let audited = try await AuditedBench(driver)
            let (bench, database) = (audited.bench, audited.bench.database)
            let before = try await database.read { try StoreClock($0).newestSequence() }
            let refused = try await Self.together(
                database,
                (0..<7).map { number in
                    { transaction in
                        let statement = RecordedSignature.fixture(
                            900 + number, format: .introductoryEligibility, allow: false)
                        try RefusalStore(transaction).insert(
                            .fixture(900 + number, customer: nil, statement: statement), in: bench.scope)
                        if failing.contains(number) { throw Refused() }
                    }
                })
            #expect(refused == (0..<7).map(failing.contains))
            let (sequences, newest) = try await database.read { transaction in
                (
                    try transaction.rows(
                        Statement(
                            "SELECT sequence FROM refusal WHERE sequence > ?1 ORDER BY 1", before)
                    ).map { try $0.value(0, as: Int64.self) }, try StoreClock(transaction).newestSequence()
                )
            }
            #expect(sequences == Array(before..<newest).map { $0 + 1 })
            #expect(newest == before + Int64(7 - failing.count))
            _ = try await audited.verify()
        }
    }

    @Test(
        "a body sees what its neighbours before it have done, and nothing of one that failed",
        arguments: Driver.allCases)
    func neighbours(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (database, scope, other) = (bench.database, bench.scope, bench.other)
        let now = Bench.now
        func later(_ days: Int64) -> Instant { now.adding(milliseconds: days * Instant.Duration.day) }
        let (second, third, fourth) = (later(1), later(2), later(3))
        let refused = try await Self.together(
            database,
            [
                { transaction in
                    try StoreClock(transaction).advance(to: second)
                    try StoreClock(transaction).noteSigned(at: third)
                    try ScopeStore(transaction).advanceGeneration(of: scope)
                    #expect(try ScopeStore(transaction).generation(of: scope) == 1)
                    #expect(try ScopeStore(transaction).generation(of: other) == 0)
                },
                { transaction in
                    #expect(try StoreClock(transaction).lastInstant() == second)
                    #expect(try ScopeStore(transaction).generation(of: scope) == 1)
                    try StoreClock(transaction).advance(to: fourth)
                    try StoreClock(transaction).noteSigned(at: fourth)
                    try ScopeStore(transaction).advanceGeneration(of: scope)
                    try ScopeStore(transaction).advanceGeneration(of: other)
                    #expect(try ScopeStore(transaction).generation(of: scope) == 2)
                    throw Refused()
                },
                { transaction in
                    #expect(
                        try StoreClock(transaction).marks() == ClockMarks(lastInstant: second, newestSignedDate: third))
                    #expect(try ScopeStore(transaction).generation(of: scope) == 1)
                    #expect(try ScopeStore(transaction).generation(of: other) == 0)
                    try StoreClock(transaction).reset(to: now)
                    try StoreClock(transaction).advance(to: now.adding(milliseconds: -1))
                    #expect(try StoreClock(transaction).lastInstant() == now)
                },
            ])
        #expect(refused == [false, true, false])
        let stored = try await database.read { transaction in
            (
                try StoreClock(transaction).marks(), try ScopeStore(transaction).generation(of: scope),
                try ScopeStore(transaction).generation(of: other)
            )
        }
        #expect(stored.0 == ClockMarks(lastInstant: now, newestSignedDate: third))
        #expect(stored.1 == 1 && stored.2 == 0)
    }

    @Test("nothing is remembered beyond the commit: another process's writes in between are seen")
    func otherProcess() async throws {
        let bench = try await Bench(.file)
        let other = try bench.reopened()
        let scope = bench.scope
        for round in 0..<6 {
            let database = round.isMultiple(of: 2) ? bench.database : other
            let at = Bench.now.adding(milliseconds: Int64(round))
            try await database.write { transaction in
                if round > 0 {
                    #expect(try StoreClock(transaction).lastInstant() == at.adding(milliseconds: -1))
                    #expect(try ScopeStore(transaction).generation(of: scope) == Int64(round))
                }
                try RefusalStore(transaction).insert(.fixture(round + 1, customer: nil), in: scope)
                try StoreClock(transaction).advance(to: at)
                try ScopeStore(transaction).advanceGeneration(of: scope)
            }
        }
        let report = try await bench.database.read {
            try LedgerVerification(digest: OpenSSLDigest(), key: nil) { _ in .valid }.verify($0)
        }
        #expect(report.rows["refusal"] == 6)
        try other.close()
    }
}

import OfferModel
import OfferStore
import OfferTestSupport
import PostgresStore
import Testing

@Suite("Answers that PostgreSQL was asked for ahead", .onPostgres("SQLite is asked nothing ahead"))
struct AnswersAskedAheadTests {
    private static let version = Statement("SELECT version FROM customer WHERE id = 2")

    private let directory: TemporaryDirectory
    private let database: any DatabaseDriver

    init() async throws {
        directory = try TemporaryDirectory()
        database = try TestStore(in: directory).open(checksPrefetched: false)
        try await database.write { transaction in
            try transaction.execute(
                Statement(
                    "INSERT INTO scope (id, bundle_id, environment, generation) VALUES (1, 'com.example.pro', 'Sandbox', 0)"
                ))
            for customer in 1...2 {
                try transaction.execute(
                    Statement(
                        """
                        INSERT INTO customer (id, scope_id, rollout_key, first_stored_at, version)
                        VALUES (?1, 1, 'key', 1, 5)
                        """, customer))
            }
        }
    }

    /// What a write asks of the second customer, after another one of the same commit.
    ///
    /// - Parameter concerns: what is expected of the other one.
    private func seen(
        after concerns: [Concern]?, _ change: @escaping @Sendable (any StoreTransaction) throws -> Void
    ) async throws -> Int? {
        let (database, gate) = (database, Gate())
        async let held: Void = database.write { _ in gate.hold() }
        await gate.entered()
        async let changed: Void = database.write(
            expecting: { concerns.map { WriteExpectation(of: $0, []) } }, change)
        while database.waitingWrites < 1 { await Task.yield() }
        async let seen: Int? = database.write(
            expecting: {
                WriteExpectation(of: [.customer(CustomerNumber(rawValue: 2))], [{ _ = try $0.rows(Self.version) }])
            },
            { try $0.row(Self.version)?.value(0) })
        while database.waitingWrites < 2 { await Task.yield() }
        gate.open()
        try await held
        try await changed
        return try await seen
    }

    @Sendable
    private static func change(_ transaction: any StoreTransaction) throws {
        try transaction.execute(Statement("UPDATE customer SET version = 9 WHERE id = 2"))
    }

    @Test("are asked again after a write of the commit that concerns the same")
    func same() async throws {
        let concerns: [Concern] = [.customer(CustomerNumber(rawValue: 2))]
        #expect(try await seen(after: concerns, Self.change) == 9)
        try database.close()
    }

    @Test("are asked again after one that may concern anything")
    func anything() async throws {
        #expect(try await seen(after: nil, Self.change) == 9)
        try database.close()
    }

    @Test("are asked again after one that has come to concern more than was expected")
    func more() async throws {
        let seen = try await seen(after: [.customer(CustomerNumber(rawValue: 1))]) { transaction in
            transaction.concerns { [.customer(CustomerNumber(rawValue: 2))] }
            try Self.change(transaction)
        }
        #expect(seen == 9)
        try database.close()
    }

    @Test("are asked again after one that changed a table whose rows all may share")
    func shared() async throws {
        let seen = try await seen(after: [.customer(CustomerNumber(rawValue: 1))]) { transaction in
            try transaction.execute(Statement("UPDATE scope SET generation = generation WHERE id = 1"))
            try Self.change(transaction)
        }
        #expect(seen == 9)
        try database.close()
    }

    @Test("are used after one that concerns something else, which is why each has to say what it concerns")
    func other() async throws {
        #expect(try await seen(after: [.customer(CustomerNumber(rawValue: 1))], Self.change) == 5)
        try database.close()
    }
}

import OfferModel
import OfferStore
import Testing

@Suite("Answers kept under keys")
struct IdempotencyTests {
    private func prepared(_ driver: Driver) async throws -> Bench {
        let bench = try await Bench(driver)
        try await bench.database.write { transaction in
            for id in ["a", "b"] { try APIKeyStore(transaction).insert(.fixture(id)) }
        }
        return bench
    }

    private static func key(_ key: String, route: String = "r", of apiKeyId: String = "a") -> IdempotencyRecordKey {
        IdempotencyRecordKey(apiKeyId: apiKeyId, route: route, key: key)
    }

    private static func answer(_ number: UInt8, at now: Instant = Bench.now) -> IdempotencyRecord {
        IdempotencyRecord(
            requestDigest: Array(repeating: number, count: 32), status: 201, contentType: "application/json",
            location: number == 1 ? nil : "/x", body: "{\"é\":\(number)}\n", answeredAt: now)
    }

    @Test("an answer comes back for its API key, route and key only", arguments: Driver.allCases)
    func roundTrip(driver: Driver) async throws {
        let bench = try await prepared(driver)
        let keys = [
            Self.key("k"), Self.key("k", of: "b"), Self.key("k", route: "s"), Self.key("K"),
            Self.key("k", route: "s", of: "b"),
        ]
        try await bench.database.write { transaction in
            for (index, key) in keys.dropLast().enumerated() {
                try IdempotencyStore(transaction).keep(Self.answer(UInt8(index + 1)), under: key)
            }
        }
        let found = try await bench.database.read { transaction in
            try keys.map { try IdempotencyStore(transaction).answer($0, at: Bench.now) }
        }
        #expect(found == [Self.answer(1), Self.answer(2), Self.answer(3), Self.answer(4), nil])
    }

    @Test("a key holds one answer for 24 hours, and is free from then on", arguments: Driver.allCases)
    func life(driver: Driver) async throws {
        let bench = try await prepared(driver)
        let last = Bench.now.adding(milliseconds: 86_400_000 - 1)
        let after = Bench.now.adding(milliseconds: 86_400_000)
        try await bench.database.write { try IdempotencyStore($0).keep(Self.answer(1), under: Self.key("k")) }
        await #expect(throws: StoreError.self) {
            try await bench.database.write {
                try IdempotencyStore($0).keep(Self.answer(2, at: last), under: Self.key("k"))
            }
        }
        let found = try await bench.database.read { transaction in
            try [last, after].map { try IdempotencyStore(transaction).answer(Self.key("k"), at: $0) }
        }
        #expect(found == [Self.answer(1), nil])
        try await bench.database.write {
            try IdempotencyStore($0).keep(Self.answer(2, at: after), under: Self.key("k"))
        }
        let again = try await bench.database.read { try IdempotencyStore($0).answer(Self.key("k"), at: after) }
        #expect(again == Self.answer(2, at: after))
    }

    @Test("each new answer clears away up to a hundred whose life is over, the oldest first, and no other")
    func clearing() async throws {
        let bench = try await prepared(.memory)
        let after = Bench.now.adding(milliseconds: 86_400_000)
        try await bench.database.write { transaction in
            for index in 0..<150 {
                let now = Bench.now.adding(milliseconds: Int64(index) - 149)
                try IdempotencyStore(transaction).keep(Self.answer(1, at: now), under: Self.key("old-\(index)"))
            }
            let young = Bench.now.adding(milliseconds: 1)
            try IdempotencyStore(transaction).keep(Self.answer(1, at: young), under: Self.key("young"))
            try IdempotencyStore(transaction).keep(Self.answer(2, at: after), under: Self.key("new"))
        }
        #expect(try await keys(bench) == Set((100..<150).map { "old-\($0)" } + ["young", "new"]))
        try await bench.database.write {
            try IdempotencyStore($0).keep(Self.answer(2, at: after), under: Self.key("newer"))
        }
        #expect(try await keys(bench) == ["young", "new", "newer"])
    }

    private func keys(_ bench: Bench) async throws -> Set<String> {
        try await bench.database.read { transaction in
            let rows = try transaction.rows(Statement("SELECT key FROM kept_answer"))
            return Set(try rows.map { try $0.value(0, as: String.self) })
        }
    }
}

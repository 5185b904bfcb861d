import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("API keys and the store's clock")
struct APIKeyTests {
    private let scope = Scope(bundleId: "com.example.other", environment: .localTesting)

    private func key(_ id: String, digest: [UInt8] = Array(0..<32)) -> StoredAPIKey {
        StoredAPIKey(
            id: id, scope: scope, role: .marketing, secretDigest: digest, label: "Anna", createdAt: Bench.now,
            expiresAt: Bench.now.adding(milliseconds: 10))
    }

    @Test("a key comes back as it was stored, and its scope is added", arguments: Driver.allCases)
    func roundTrip(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (first, second) = (key("a"), key("b"))
        try await bench.database.write { transaction in
            try APIKeyStore(transaction).insert(first)
            try APIKeyStore(transaction).insert(second)
        }
        let (found, unknown, all) = try await bench.database.read { transaction in
            let keys = APIKeyStore(transaction)
            return (try keys.key("a")?.key, try keys.key("A")?.key, try keys.keys())
        }
        #expect(found == first)
        #expect(unknown == nil)
        #expect(all == [first, second])
        let scope = scope
        #expect(try await bench.database.read { try ScopeStore($0).number(of: scope) } != nil)
    }

    @Test("a revoked key stays, is not valid any more and cannot be revoked again", arguments: Driver.allCases)
    func revoke(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let stored = key("a")
        try await bench.database.write { try APIKeyStore($0).insert(stored) }
        let scope = scope
        let generation = {
            try await bench.database.read { transaction in
                let scopes = ScopeStore(transaction)
                return try scopes.number(of: scope).map { try scopes.generation(of: $0) }
            }
        }
        #expect(try await bench.database.write { try APIKeyStore($0).revoke("a", at: Bench.now) })
        // No decision depends on a key, so none in progress looks again.
        #expect(try await generation() == 0)
        #expect(try await bench.database.write { try APIKeyStore($0).revoke("a", at: Bench.now) } == false)
        #expect(try await bench.database.write { try APIKeyStore($0).revoke("x", at: Bench.now) } == false)
        let revoked = try await bench.database.read { try APIKeyStore($0).key("a")?.key }
        #expect(revoked?.revokedAt == Bench.now)
        #expect(revoked?.isValid(at: Bench.now) == false)
        #expect(stored.isValid(at: Bench.now))
        #expect(!stored.isValid(at: Bench.now.adding(milliseconds: 10)))
    }

    @Test("the end of a replaced key is set once, and the ledger tells it and the key that replaces it")
    func replaced() async throws {
        let bench = try await AuditedBench(.memory)
        let (end, later) = (Bench.now.adding(milliseconds: 5), Bench.now.adding(milliseconds: 9))
        try await bench.write { transaction in
            let store = APIKeyStore(transaction)
            try store.insert(.fixture("old"))
            try store.insert(.fixture("new"), replacing: "old")
            #expect(try store.end("old", from: end, at: Bench.now))
            #expect(try !store.end("old", from: later, at: Bench.now))
            let key = try #require(try store.key("old")?.key)
            #expect(key.endsAt == end)
            #expect(key.state(at: end.adding(milliseconds: -1)) == .ends(end) && key.state(at: end) == .expired)
        }
        #expect(
            try await bench.texts("SELECT after_change FROM audit_event WHERE kind LIKE 'apiKey%' ORDER BY sequence")
                .suffix(2) == [
                    #"{"apiKey":"new","replaces":"old","role":"client"}"#,
                    #"{"apiKey":"old","endsAt":\#(end.milliseconds)}"#,
                ])
        #expect(try await bench.verify().rows["api_key"] == 4)
        let found = try await bench.found(after: ["UPDATE api_key SET ends_at = ends_at + 1 WHERE id = 'old'"])
        #expect(found?.table == "api_key" && found?.key == "old")
    }

    @Test("networks that no service has written are a damaged row, and the ledger finds changed ones")
    func networks() async throws {
        let bench = try await AuditedBench(.memory)
        var key = StoredAPIKey.fixture("near")
        key.networks = [try IPNetwork("10.0.0.0/8"), try IPNetwork("::1/128")]
        let stored = key
        try await bench.write { transaction in
            try APIKeyStore(transaction).insert(stored)
            #expect(try APIKeyStore(transaction).key("near")?.key == stored)
        }
        for text in ["10.0.0.0/8", "", "everywhere"] {
            let found = try await bench.found(after: ["UPDATE api_key SET networks = '\(text)' WHERE id = 'near'"])
            #expect(found?.table == "api_key" && found?.key == "near")
        }
        try await bench.write { transaction in
            _ = try transaction.execute(Statement("UPDATE api_key SET networks = 'x' WHERE id = 'near'"))
            #expect(throws: StoreError.self) { try APIKeyStore(transaction).key("near") }
        }
    }

    @Test("a key with a known id or without a 32-byte digest is refused", arguments: Driver.allCases)
    func constraints(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (good, repeated, short) = (key("a"), key("a", digest: Array(1...32)), key("b", digest: [1]))
        try await bench.database.write { try APIKeyStore($0).insert(good) }
        await #expect(throws: StoreError.constraint("api_key.id")) {
            try await bench.database.write { try APIKeyStore($0).insert(repeated) }
        }
        let rule = TestStore.isPostgres ? "api_key.api_key_secret_digest_check" : "length(secret_digest) = 32"
        await #expect(throws: StoreError.constraint(rule)) {
            try await bench.database.write { try APIKeyStore($0).insert(short) }
        }
    }

    @Test("the latest committed instant never goes back", arguments: Driver.allCases)
    func clock(driver: Driver) async throws {
        let bench = try await Bench(driver)
        #expect(try await bench.database.read { try StoreClock($0).lastInstant() } == nil)
        for offset in [0, 500, 100] as [Int64] {
            try await bench.database.write { try StoreClock($0).advance(to: Bench.now.adding(milliseconds: offset)) }
        }
        let last = try await bench.database.read { try StoreClock($0).lastInstant() }
        #expect(last == Bench.now.adding(milliseconds: 500))
    }

    @Test("a scope is added once and told apart by its environment", arguments: Driver.allCases)
    func scopes(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = scope
        let numbers = try await bench.database.write { transaction in
            let scopes = ScopeStore(transaction)
            return [try scopes.findOrAdd(scope), try scopes.findOrAdd(scope), bench.scope, bench.other]
        }
        #expect(numbers[0] == numbers[1])
        #expect(Set(numbers).count == 3)
        let unknown = Scope(bundleId: "com.example.unknown", environment: .sandbox)
        #expect(try await bench.database.read { try ScopeStore($0).number(of: unknown) } == nil)
    }
}

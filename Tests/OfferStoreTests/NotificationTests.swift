import OfferModel
import OfferStore
import Testing

@Suite("Stored notifications")
struct NotificationTests {
    private func after(_ seconds: Int64) -> Instant { Bench.now.adding(milliseconds: seconds * 1_000) }

    private func insert(_ bench: Bench, _ records: KeptNotification..., at now: Instant = Bench.now) async throws {
        let scope = bench.scope
        try await bench.database.write { transaction in
            for record in records { try NotificationStore(transaction).insert(record, at: now, in: scope) }
        }
    }

    private func timeline(_ bench: Bench, of customers: CustomerNumber..., limit: Int = 9) async throws -> [String] {
        try await bench.database.read {
            try NotificationStore($0).notifications(of: customers, limit: limit).map(\.notificationUUID)
        }
    }

    @Test("a notification is read as it was kept, and its UUID is one of one scope", arguments: Driver.allCases)
    func roundTrip(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let record = KeptNotification.fixture("a", signed: after(-5)) {
            $0.stored.subtype = .billingRecovery
            $0.stored.source = .fetched
            $0.stored.outcome = .updated
        }
        try await insert(bench, record)
        await #expect(throws: StoreError.self) { try await insert(bench, record) }
        let (scope, other) = (bench.scope, bench.other)
        let (found, elsewhere) = try await bench.database.read { transaction in
            let store = NotificationStore(transaction)
            return (try store.notification("a", in: scope), try store.notification("a", in: other))
        }
        let stored = try #require(found)
        #expect(stored.notificationUUID == "a" && stored.type == .didRenew && stored.subtype == .billingRecovery)
        #expect(stored.signedDate == after(-5) && stored.receivedAt == Bench.now)
        #expect(stored.source == .fetched && stored.outcome == .updated)
        #expect(stored.transactionId == "1" && stored.productId == "com.example.pro.monthly")
        #expect(stored.payloadRemovedAt == nil && stored.erasedAt == nil)
        #expect(elsewhere == nil)
        try await bench.database.write { try NotificationStore($0).insert(record, at: Bench.now, in: other) }
    }

    @Test(
        "a timeline has what is about any identifier of its customers, newest by Apple's date first, also after a merge",
        arguments: Driver.allCases)
    func timelines(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let first = try await bench.ingest([.bought("1", account: "A")])
        _ = try await bench.ingest([.bought("2")])
        try await insert(
            bench, .fixture("b", signed: after(2)), .fixture("a", signed: after(1)),
            .fixture("c", signed: after(3)) { $0.identifier = .appTransactionId("A") },
            .fixture("d", signed: after(4)) { $0.identifier = .originalTransactionId("2") },
            .fixture("e", signed: after(5)) { $0.identifier = .appTransactionId("1") },
            .fixture("f", signed: after(6)) { $0.identifier = nil })
        let customer = try #require(first.first?.customer)
        #expect(try await timeline(bench, of: customer) == ["c", "b", "a"])
        #expect(try await timeline(bench, of: customer, limit: 2) == ["c", "b"])
        let merged = try await bench.ingest([.bought("3", original: "2", account: "A")])
        let survivor = try #require(merged.first?.customer)
        #expect(try await timeline(bench, of: survivor) == ["d", "c", "b", "a"])
        #expect(try await timeline(bench).isEmpty)
    }

    @Test("an operator's statement does not prove the customer of a notification (invariant 6)")
    func unproven() async throws {
        let bench = try await Bench()
        let customer = try #require(try await bench.ingest([.bought("1", provenance: .operator)]).first?.customer)
        try await insert(bench, .fixture("a"))
        #expect(try await timeline(bench, of: customer).isEmpty)
        _ = try await bench.ingest([.bought("1")])
        #expect(try await timeline(bench, of: customer) == ["a"])
    }

    @Test("signed texts are taken away from the earliest on, so many at once, and never before their time")
    func removal() async throws {
        let bench = try await Bench()
        for (second, uuid) in ["c", "a", "b"].enumerated() {
            try await insert(bench, .fixture(uuid), at: after(Int64(second)))
        }
        /// How many lost their texts, and whose are left.
        func remove(_ cutoff: Int64, _ limit: Int) async throws -> [String] {
            let (now, end) = (after(100), after(cutoff))
            return try await bench.database.write { transaction in
                let count = try NotificationStore(transaction).removePayloads(receivedBy: end, at: now, atMost: limit)
                let left = try transaction.rows(
                    Statement("SELECT uuid FROM notification WHERE payload IS NOT NULL ORDER BY received_at"))
                return try ["\(count)"] + left.map { try $0.value(0, as: String.self) }
            }
        }
        #expect(try await remove(-1, 9) == ["0", "c", "a", "b"])
        #expect(try await remove(1, 1) == ["1", "a", "b"])
        #expect(try await remove(1, 9) == ["1", "b"])
        #expect(try await remove(1, 9) == ["0", "b"])
        let (scope, removed) = (bench.scope, after(100))
        let row = try await bench.database.read { try NotificationStore($0).notification("a", in: scope) }
        #expect(row?.payloadRemovedAt == removed && row?.transactionId == "1")
    }

    @Test("erasing takes out what names a person, of these customers alone, and keeps the UUID")
    func erasure() async throws {
        let bench = try await Bench()
        let customer = try await bench.customer("1")
        _ = try await bench.customer("2")
        try await insert(bench, .fixture("a"), .fixture("b") { $0.identifier = .originalTransactionId("2") })
        let now = after(9)
        #expect(try await bench.database.write { try NotificationStore($0).erase(of: [customer], at: now) } == 1)
        #expect(try await bench.database.write { try NotificationStore($0).erase(of: [customer], at: now) } == 0)
        #expect(try await bench.database.write { try NotificationStore($0).erase(of: [], at: now) } == 0)
        let scope = bench.scope
        let (erased, other) = try await bench.database.read { transaction in
            let store = NotificationStore(transaction)
            return (try store.notification("a", in: scope), try store.notification("b", in: scope))
        }
        #expect(erased?.erasedAt == now && erased?.payloadRemovedAt == now && erased?.transactionId == nil)
        #expect(erased?.type == .didRenew && erased?.productId == "com.example.pro.monthly")
        #expect(other?.erasedAt == nil && other?.transactionId == "1")
        #expect(try await timeline(bench, of: customer).isEmpty)
    }

    @Test(
        "the newest of all, the newest `TEST` and the newest that was delivered are those stored last, whatever their dates"
    )
    func newest() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        func newest() async throws -> [String?] {
            try await bench.database.read { transaction in
                let store = NotificationStore(transaction)
                return [
                    try store.newest(in: scope)?.notificationUUID, try store.newestTest(in: scope)?.notificationUUID,
                    try store.newestDelivered(in: scope)?.notificationUUID,
                ]
            }
        }
        #expect(try await newest() == [nil, nil, nil])
        try await insert(bench, .fixture("a", signed: after(9)) { $0.stored.type = .test })
        try await insert(bench, .fixture("b", signed: after(1)) { $0.stored.type = .test })
        try await insert(bench, .fixture("c"))
        #expect(try await newest() == ["c", "b", "c"])
        try await insert(bench, .fixture("d") { $0.stored.source = .fetched })
        #expect(try await newest() == ["d", "b", "c"], "what was fetched did not come by itself")
    }
}

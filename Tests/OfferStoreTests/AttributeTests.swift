import OfferModel
import OfferStore
import Testing

@Suite("Attributes of customers")
struct AttributeTests {
    private static let everyType: [String: FactValue] = [
        "plan": .text("équipe \"A\"\n"), "empty": .text(" "), "seats": .number(12), "share": .number(0.1),
        "huge": .number(1e300), "negative": .number(-0.5), "isStudent": .boolean(false), "isOwner": .boolean(true),
        "spent": .money(Money(milliunits: -12_345, currency: "USD")),
        "joined": .instant(Instant(milliseconds: 1_790_000_000_123)),
    ]

    @Test("values of every type come back as they were set", arguments: Driver.allCases)
    func roundTrip(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        #expect(try await set(Self.everyType, of: [customer], bench))
        #expect(try await read([customer], bench) == Self.everyType)
    }

    @Test("new attributes replace all earlier ones, and the same again is not a change", arguments: Driver.allCases)
    func replacing(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        #expect(try await set(["a": .number(1), "b": .text("x")], of: [customer], bench))
        let before = try await version(customer, bench)
        #expect(try await !set(["a": .number(1), "b": .text("x")], of: [customer], bench))
        #expect(try await version(customer, bench) == before)
        #expect(try await set(["a": .text("1"), "c": .boolean(true)], of: [customer], bench))
        #expect(try await read([customer], bench) == ["a": .text("1"), "c": .boolean(true)])
        #expect(try await version(customer, bench) != before)
        #expect(try await set([:], of: [customer], bench))
        #expect(try await read([customer], bench) == [:])
    }

    @Test(
        "of several customers together the attribute set last counts, whoever was stored first",
        arguments: Driver.allCases)
    func together(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (first, second) = (try await bench.customer("1"), try await bench.customer("2"))
        _ = try await set(["a": .number(2), "b": .number(2)], of: [second], bench)
        _ = try await set(["a": .number(1)], of: [first], bench)
        #expect(try await read([first, second], bench) == ["a": .number(1), "b": .number(2)])
        #expect(try await read([second, first], bench) == ["a": .number(1), "b": .number(2)])
        #expect(try await read([], bench) == [:])
    }

    @Test(
        "a merge keeps the attribute set last and the opening that came first", arguments: Driver.allCases,
        [false, true])
    func merging(driver: Driver, olderIsSetLast: Bool) async throws {
        let bench = try await Bench(driver)
        let (older, newer) = (try await bench.customer("1"), try await bench.customer("2"))
        let order = olderIsSetLast ? [newer, older] : [older, newer]
        for (place, customer) in order.enumerated() {
            _ = try await set(["a": .number(Double(place)), "only\(place)": .boolean(true)], of: [customer], bench)
            let openedAt = Bench.now.adding(milliseconds: Int64(place) * 1_000)
            try await bench.database.write { try OpeningStore($0).open("trial", to: [customer], at: openedAt) }
        }
        // One verified payload holds both.
        try await bench.ingest([
            .bought("3", original: "1", account: "A"), .bought("4", original: "2", account: "A"),
        ])
        let survivor = try await bench.database.read { [scope = bench.scope] transaction in
            try CustomerStore(transaction).customers(
                proven: [.originalTransactionId("1"), .originalTransactionId("2")], in: scope)
        }
        #expect(survivor == [older])
        #expect(
            try await read(survivor, bench) == [
                "a": .number(1), "only0": .boolean(true), "only1": .boolean(true),
            ])
        let openings = try await bench.database.read { try OpeningStore($0).openings(of: survivor) }
        #expect(openings == ["trial": Bench.now])
    }

    @Test(
        "an opening keeps its first date, and only the first one is a change of the customer",
        arguments: Driver.allCases)
    func openings(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer()
        let before = try await version(customer, bench)
        try await bench.database.write { try OpeningStore($0).open("trial", to: [customer], at: Bench.now) }
        let opened = try await version(customer, bench)
        #expect(opened != before)
        let later = Bench.now.adding(milliseconds: 1)
        try await bench.database.write { try OpeningStore($0).open("trial", to: [customer], at: later) }
        #expect(try await version(customer, bench) == opened)
        let openings = try await bench.database.read { try OpeningStore($0).openings(of: [customer]) }
        #expect(openings == ["trial": Bench.now])
    }

    private func set(
        _ attributes: [String: FactValue], of customers: [CustomerNumber], _ bench: Bench
    ) async throws -> Bool {
        try await bench.database.write {
            try AttributeStore($0).replace(attributes, of: customers, actor: "key", at: Bench.now)
        }
    }

    private func read(_ customers: [CustomerNumber], _ bench: Bench) async throws -> [String: FactValue] {
        try await bench.database.read { try AttributeStore($0).attributes(of: customers) }
    }

    private func version(_ customer: CustomerNumber, _ bench: Bench) async throws -> SubjectVersion {
        try await bench.database.read { try CustomerStore($0).version(of: [customer]) }
    }
}

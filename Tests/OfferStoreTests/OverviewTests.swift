import OfferModel
import OfferStore
import Testing

@Suite("Overview that every decision reads first")
struct OverviewTests {
    private static let scope = Scope(bundleId: "com.example.pro", environment: .sandbox)

    private func state(_ bench: Bench, around scope: Scope = scope) async throws -> PresentState {
        try await bench.database.readInline { try ScopeStore($0).presentState(around: scope) }
    }

    private func overview(_ bench: Bench, _ customers: CustomerNumber...) async throws -> CustomerOverview {
        try await bench.database.readInline { try CustomerStore($0).overview(of: customers) }
    }

    @Test(
        "the state of a scope is its own catalog, pauses and generation, with the store's clock",
        arguments: Driver.allCases)
    func presentState(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (number, other) = (bench.scope, bench.other)
        let unknown = try await state(bench, around: Scope(bundleId: "com.example.other", environment: .sandbox))
        #expect(unknown.scope == nil)
        #expect(unknown.marks == ClockMarks())

        let production = Scope(bundleId: "com.example.pro", environment: .production)
        for revision in 1...2 as ClosedRange<Int64> {
            try await bench.database.write {
                let next = CatalogRevision(
                    revision: revision, document: "offers: []\n", format: .yaml,
                    digest: String(repeating: "ab", count: 32), actor: "key-1", message: nil, createdAt: Bench.now)
                try CatalogStore($0).apply(next, expected: revision - 1, in: number)
            }
        }
        let applied = try await state(bench)
        #expect(applied.scope?.number == number)
        #expect(applied.scope?.catalogRevision == 2)
        #expect(applied.scope?.hasPauses == false)
        let untouched = try await state(bench, around: production)
        #expect(untouched.scope?.number == other)
        #expect(untouched.scope?.catalogRevision == 0)

        _ = try await bench.database.write { try PauseStore($0).pause("a", actor: "k", at: Bench.now, in: number) }
        let paused = try await state(bench)
        #expect(paused.scope?.hasPauses == true)
        #expect(paused.scope?.generation == (applied.scope?.generation).map { $0 + 1 })
        #expect(try await state(bench, around: production).scope == untouched.scope)
        _ = try await bench.database.write { try PauseStore($0).resume("a", actor: "k", at: Bench.now, in: number) }
        #expect(try await state(bench).scope?.hasPauses == false)

        try await bench.database.write { transaction in
            try StoreClock(transaction).advance(to: Bench.now)
            try StoreClock(transaction).noteSigned(at: Bench.now.adding(milliseconds: -5))
        }
        let later = try await state(bench)
        #expect(
            later.marks
                == ClockMarks(lastInstant: Bench.now, newestSignedDate: Bench.now.adding(milliseconds: -5)))
        #expect(try await later.newestSequence == bench.database.read { try StoreClock($0).newestSequence() })
    }

    @Test(
        "of several customers the first stored gives date and rollout key, of two at one instant the smaller number",
        arguments: Driver.allCases)
    func first(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let payloads: [(id: TransactionId, delay: Int64)] = [("30", 500), ("20", 0), ("10", 0)]
        var numbers = [CustomerNumber]()
        for (id, delay) in payloads {
            let kept = try await bench.ingest([.bought(id)], at: Bench.now.adding(milliseconds: delay))
            numbers.append(try #require(kept.first?.customer))
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let overview = try await overview(bench, numbers[order[0]], numbers[order[1]], numbers[order[2]])
            #expect(overview.firstStoredAt == Bench.now)
            #expect(overview.rolloutKey == "20")
            #expect(overview.version.customers == numbers.sorted())
        }
        let last = try await overview(bench, numbers[0])
        #expect(last.firstStoredAt == Bench.now.adding(milliseconds: 500))
        #expect(last.rolloutKey == "30")
        let number = numbers[0]
        #expect(try await bench.database.read { try CustomerStore($0).version(of: [number]) } == last.version)

        let nobody = try await overview(bench)
        #expect(nobody.firstStoredAt == nil && nobody.rolloutKey == nil && nobody.version.changes.isEmpty)
    }

    @Test("whoever was merged away is in no overview, and the version shows it", arguments: Driver.allCases)
    func merged(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (first, second) = (try await bench.customer("1"), try await bench.customer("2"))
        let before = try await overview(bench, first, second)
        try await bench.ingest([.bought("3", original: "1", account: "A"), .bought("4", original: "2", account: "A")])
        let after = try await overview(bench, first, second)
        #expect(before.version.customers == [first, second])
        #expect(after.version.customers == [first])
        #expect(try await overview(bench, second).rolloutKey == nil)
    }

    @Test("attributes and openings of any of the customers show", arguments: Driver.allCases)
    func context(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (first, second) = (try await bench.customer("1"), try await bench.customer("2"))
        let none = try await overview(bench, first, second)
        #expect(!none.hasAttributes && !none.hasOpenings)
        _ = try await bench.database.write {
            try AttributeStore($0).replace(["seats": .number(3)], of: [second], actor: "k", at: Bench.now)
        }
        let described = try await overview(bench, first, second)
        #expect(described.hasAttributes && !described.hasOpenings)
        try await bench.database.write { try OpeningStore($0).open("trial", to: [first], at: Bench.now) }
        let open = try await overview(bench, first, second)
        #expect(open.hasAttributes && open.hasOpenings)
        let alone = try await overview(bench, second)
        #expect(alone.hasAttributes && !alone.hasOpenings)
    }
}

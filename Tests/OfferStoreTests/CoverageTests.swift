import OfferModel
import OfferStore
import Testing

@Suite("Coverage of a history")
struct CoverageTests {
    private let later = Bench.now.adding(milliseconds: 1_000)

    private func state(_ customers: [CustomerNumber], asOf: Instant, _ bench: Bench) async throws {
        let scope = bench.scope
        try await bench.database.write {
            try CoverageStore($0).stateComplete(
                customers, asOf: asOf, provenance: .caller, at: Bench.now, in: scope)
        }
    }

    /// As of one subject, and as of one among several.
    private func coverage(_ customers: [CustomerNumber], _ bench: Bench) async throws -> Coverage {
        try await bench.database.read { transaction in
            let store = HistoryStore(transaction)
            let coverage = try store.history(of: customers).coverage
            let both = try store.histories(of: [[], customers]).map(\.coverage)
            #expect(both == [.none, coverage])
            return coverage
        }
    }

    @Test("nothing known is none, something partial, a statement complete (invariant 3)", arguments: Driver.allCases)
    func levels(driver: Driver) async throws {
        let bench = try await Bench(driver)
        #expect(try await coverage([], bench) == .none)
        let customer = try await bench.customer()
        #expect(try await coverage([customer], bench) == Coverage(level: .partial))
        try await state([customer], asOf: Bench.now, bench)
        let complete = Coverage(level: .complete, asOf: Bench.now, provenance: .caller)
        #expect(try await coverage([customer], bench) == complete)
        try await state([customer], asOf: Bench.now.adding(milliseconds: -1), bench)
        #expect(try await coverage([customer], bench) == complete)
        try await state([customer], asOf: later, bench)
        #expect(try await coverage([customer], bench).asOf == later)
    }

    @Test("a subject's coverage is the least of its customers' (invariant 3)", arguments: Driver.allCases)
    func least(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (first, second) = (try await bench.customer("1"), try await bench.customer("2"))
        try await state([first], asOf: later, bench)
        #expect(try await coverage([first, second], bench).level == .partial)
        try await state([second], asOf: Bench.now, bench)
        #expect(try await coverage([first, second], bench).asOf == Bench.now)
    }

    @Test("a customer known by aliases only does not lessen the coverage of a proven one", arguments: Driver.allCases)
    func aliasOnly(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let proven = try await bench.customer()
        let placeholder = try await bench.database.write {
            try CustomerStore($0).add(under: [.customerId("user-1")], at: Bench.now, in: scope)
        }
        #expect(try await coverage([placeholder], bench) == .none)
        try await state([proven], asOf: Bench.now, bench)
        #expect(try await coverage([proven, placeholder], bench).level == .complete)
        try await state([placeholder], asOf: later, bench)
        #expect(try await coverage([placeholder], bench).asOf == later)
    }

    @Test("a merge leaves the least coverage of both (invariant 3)", arguments: Driver.allCases)
    func merge(driver: Driver) async throws {
        for second in [nil, Bench.now] as [Instant?] {
            let bench = try await Bench(driver)
            let (survivor, merged) = (try await bench.customer("1"), try await bench.customer("2"))
            try await state([survivor], asOf: later, bench)
            if let second { try await state([merged], asOf: second, bench) }
            try await bench.ingest([
                .bought("3", original: "1", account: "A"), .bought("4", original: "2", account: "A"),
            ])
            let united = try await coverage([survivor], bench)
            #expect(united.level == (second == nil ? .partial : .complete))
            #expect(united.asOf == second)
        }
    }
}

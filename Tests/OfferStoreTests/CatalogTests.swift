import OfferModel
import OfferStore
import Testing

@Suite("Catalog revisions and pauses")
struct CatalogTests {
    private static func revision(_ number: Int64) -> CatalogRevision {
        CatalogRevision(
            revision: number, document: "offers: [] # \(number) ü\n", format: .yaml,
            digest: String(repeating: "ab", count: 32), actor: "key-1", message: number == 1 ? nil : "spring",
            createdAt: Bench.now)
    }

    @Test("the first revision follows 0, and each comes back byte for byte", arguments: Driver.allCases)
    func apply(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (scope, other) = (bench.scope, bench.other)
        #expect(try await bench.database.read { try CatalogStore($0).currentNumber(in: scope) } == 0)
        #expect(try await bench.database.read { try CatalogStore($0).current(in: scope) } == nil)
        for number in 1...3 as ClosedRange<Int64> {
            try await bench.database.write {
                try CatalogStore($0).apply(Self.revision(number), expected: number - 1, in: scope)
            }
        }
        #expect(try await bench.database.read { try CatalogStore($0).current(in: scope) } == Self.revision(3))
        #expect(try await bench.database.read { try CatalogStore($0).revision(1, in: scope) } == Self.revision(1))
        #expect(try await bench.database.read { try CatalogStore($0).current(in: other) } == nil)
        let page = try await bench.database.read { try CatalogStore($0).page(before: 3, limit: 9, in: scope) }
        #expect(page.map(\.revision) == [2, 1])
    }

    @Test(
        "of 50 writers who saw the same revision one wins and the others hear the current one",
        arguments: Driver.allCases)
    func compareAndSwap(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let won = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        try await bench.database.write {
                            try CatalogStore($0).apply(Self.revision(1), expected: 0, in: scope)
                        }
                        return 1
                    } catch {
                        #expect((error as? CatalogChanged)?.current == 1)
                        return 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(won == 1)
    }

    @Test(
        "pauses of single offers and of all are independent, and a repeated one changes nothing",
        arguments: Driver.allCases)
    func pauses(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (scope, other) = (bench.scope, bench.other)
        let pause = { (offer: OfferId?) in
            try await bench.database.write { try PauseStore($0).pause(offer, actor: "k", at: Bench.now, in: scope) }
        }
        let resume = { (offer: OfferId?) in
            try await bench.database.write { try PauseStore($0).resume(offer, actor: "k", at: Bench.now, in: scope) }
        }
        let active = { (in: ScopeNumber) in
            try await bench.database.read { try PauseStore($0).active(in: `in`).map(\.offerId) }
        }
        #expect(try await pause("a"))
        #expect(try await pause("a") == false)
        #expect(try await pause(nil))
        #expect(try await active(scope) == ["a", nil])
        #expect(try await active(other) == [])
        #expect(try await resume(nil))
        #expect(try await resume(nil) == false)
        #expect(try await active(scope) == ["a"])
        #expect(try await resume("a"))
        #expect(try await pause("a"))
        let kept = try await bench.database.read { try $0.rows(Statement("SELECT sequence FROM pause")).count }
        #expect(kept == 3)
    }

    @Test("the generation moves with the catalog and the pauses of its own scope only", arguments: Driver.allCases)
    func generation(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (scope, other) = (bench.scope, bench.other)
        let generation = { (of: ScopeNumber) in
            try await bench.database.read { try ScopeStore($0).generation(of: of) }
        }
        let untouched = try await generation(other)
        var seen = [try await generation(scope)]
        try await bench.database.write { try CatalogStore($0).apply(Self.revision(1), expected: 0, in: scope) }
        seen.append(try await generation(scope))
        _ = try await bench.database.write { try PauseStore($0).pause(nil, actor: "k", at: Bench.now, in: scope) }
        seen.append(try await generation(scope))
        _ = try await bench.database.write { try PauseStore($0).resume(nil, actor: "k", at: Bench.now, in: scope) }
        seen.append(try await generation(scope))
        #expect(Set(seen).count == 4 && seen == seen.sorted())
        #expect(try await generation(other) == untouched)
    }
}

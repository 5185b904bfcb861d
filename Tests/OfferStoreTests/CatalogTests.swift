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

    @Test(
        "of two pauses of the same the later sets end and reason; a pause is over at its end, which a sweep records",
        arguments: Driver.allCases)
    func endedPauses(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        @Sendable func at(_ seconds: Int64) -> Instant {
            Bench.now.adding(milliseconds: seconds * Instant.Duration.second)
        }
        func pause(_ offer: OfferId?, until end: Int64?, _ reason: String?, at now: Int64) async throws -> Bool {
            try await bench.database.write {
                try PauseStore($0).pause(
                    offer, until: end.map(at), reason: reason, actor: "k\(now)", at: at(now), in: scope)
            }
        }
        func inForce(_ now: Int64) async throws -> [String] {
            try await bench.database.read { transaction in
                try PauseStore(transaction).active(in: scope).filter { $0.isInForce(at: at(now)) }.map {
                    "\($0.offerId ?? "*") \($0.actor) \($0.reason ?? "–")"
                }
            }
        }
        #expect(try await pause("a", until: 10, "stock 🎟", at: 0))
        #expect(try await pause("a", until: 10, "stock 🎟", at: 1) == false)
        #expect(try await pause("a", until: 10, nil, at: 1) == false, "no reason takes none away")
        #expect(try await pause(nil, until: 20, nil, at: 2))
        #expect(try await pause("a", until: 10, "other", at: 3))
        #expect(try await inForce(9) == ["* k2 –", "a k3 other"])
        #expect(try await inForce(10) == ["* k2 –"])
        #expect(try await pause("a", until: nil, nil, at: 11), "it had ended, so it is paused again")
        #expect(try await pause("a", until: 30, nil, at: 12), "another end")
        #expect(try await inForce(19) == ["* k2 –", "a k12 –"])
        #expect(try await inForce(20) == ["a k12 –"])
        // Whatever is recorded later, an earlier moment had what it had.
        try await bench.database.write { try PauseStore($0).endPassed(at: at(25), actor: "sweep") }
        try await bench.database.write { try PauseStore($0).endPassed(at: at(26), actor: "sweep") }
        for (second, expected) in [(0, ["a"]), (5, [nil, "a"]), (21, [nil, "a"]), (26, ["a"])] as [(Int64, [OfferId?])]
        {
            let found = try await bench.database.read { try PauseStore($0).active(in: scope, at: at(second)) }
            #expect(found.map(\.offerId) == expected, "\(second)")
        }
        let ended = try await bench.database.read {
            try $0.rows(Statement("SELECT resumed_by FROM pause WHERE resumed_by = 'sweep'")).count
        }
        #expect(ended == 1)
        #expect(try await inForce(29) == ["a k12 –"])
        #expect(try await inForce(30) == [])
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

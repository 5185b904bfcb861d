import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Simulations as jobs")
struct SimulationJobTests {
    private static let counting = "SELECT COUNT(*) FROM customer"

    @Test("one is counted, four wait, and the next is told so; what is done frees its place")
    func limits() async throws {
        let bench = try await Workbench(onFile: true)
        try await bench.admit([.lapsed])
        let database = HeldReads(bench.database, before: Self.counting)
        let simulations = bench.useCases(over: database).simulations
        var ids: [LowercaseUUID] = []
        for key in 0..<5 { ids.append(try await simulations.start(.of("comeback"), caller: Self.caller("\(key)")).id) }
        await database.entered()
        await #expect {
            _ = try await simulations.start(.of("comeback"), caller: Self.caller("5"))
        } throws: {
            if case RequestError.simulationsWaiting = $0 { true } else { false }
        }
        for _ in ids { database.open() }
        for id in ids { #expect(try await simulations.ended(id).state == .done) }
        database.open()
        let next = try await started(simulations)
        #expect(try await simulations.ended(next).state == .done)
    }

    private static func caller(_ apiKeyId: String, _ role: Role = .marketing) -> Caller {
        Caller(apiKeyId: apiKeyId, scope: Workbench.scope, role: role)
    }

    @Test(
        "a key has one at a time, and begins the next as soon as that is done or cancelled; other keys do not wait for it"
    )
    func oneOfKey() async throws {
        let bench = try await Workbench(onFile: true)
        try await bench.admit([.lapsed])
        let database = HeldReads(bench.database, before: Self.counting)
        let simulations = bench.useCases(over: database).simulations
        let (anna, bert) = (Self.caller("anna"), Self.caller("bert", .support))
        let first = try await simulations.start(.of("comeback"), caller: anna).id
        await database.entered()
        for _ in 0..<20 {
            await #expect {
                _ = try await simulations.start(.of("comeback"), caller: anna)
            } throws: {
                if case RequestError.simulationUnfinished(first, of: "comeback") = $0 { true } else { false }
            }
        }
        #expect(try await bench.count("simulation") == 1)
        let others = try await simulations.start(.of("comeback"), caller: bert).id
        #expect(try await simulations.cancel(first, caller: anna).state == .cancelled)
        let second = try await simulations.start(.of("comeback"), caller: anna).id
        for _ in 0..<4 { database.open() }
        for id in [others, second] { #expect(try await simulations.ended(id).state == .done) }
        // Its result is there, so the next may begin at once.
        for _ in 0..<5 {
            database.open()
            let next = try await simulations.start(.of("comeback"), caller: anna).id
            #expect(try await simulations.ended(next).state == .done)
        }
    }

    @Test("a key that begins and cancels in a loop has to wait, what is refused leaves no row, and another key goes on")
    func loop() async throws {
        let time = TestTime()
        let limit = RateLimit(perSecond: 1, burst: 3, slowness: 60)
        var limits = RateLimits.off
        limits.simulations = limit
        let bench = try await Workbench(onFile: true, rates: RequestRates(limits, clock: { time.now }))
        try await bench.admit([.lapsed])
        let simulations = bench.useCases.simulations
        let (anna, bert) = (Self.caller("anna"), Self.caller("bert"))
        func begun(by caller: Caller) async throws -> RateLimited? {
            do {
                let id = try await simulations.start(.of("comeback"), caller: caller).id
                _ = try await simulations.cancel(id, caller: caller)
                return nil
            } catch RequestError.rateLimited(let rejected) {
                return rejected
            }
        }
        for _ in 0..<3 { #expect(try await begun(by: anna) == nil) }
        let rejected = try #require(try await begun(by: anna))
        #expect(rejected.policy == .simulations && rejected.limit == limit && rejected.secondsToWait == 60)
        #expect(try await bench.count("simulation") == 3)
        #expect(try await begun(by: bert) == nil)
        time.advance(seconds: 60)
        #expect(try await begun(by: anna) == nil)
        #expect(try await bench.count("simulation") == 5)
        await simulations.stop()
    }

    /// A place becomes free a moment after its result is there.
    private func started(_ simulations: Simulations) async throws -> LowercaseUUID {
        while true {
            do {
                return try await simulations.start(.of("comeback"), caller: Workbench.support).id
            } catch RequestError.simulationsWaiting {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test("one that is cancelled, also by another server, ends and stays cancelled, however often it is cancelled")
    func cancelled() async throws {
        let bench = try await Workbench(onFile: true)
        try await bench.admit([.lapsed])
        let database = HeldReads(bench.database, before: Self.counting)
        let (simulations, others) = (bench.useCases(over: database).simulations, bench.useCases.simulations)
        let id = try await simulations.start(.of("comeback"), caller: Workbench.support).id
        await database.entered()
        for caller in [Workbench.support, Workbench.marketing] {
            let shown = try await others.show(id, caller: caller)
            #expect(shown.state == .running && shown.progress.done == 0 && shown.progress.of == 0)
        }
        for _ in 0..<2 { #expect(try await others.cancel(id, caller: Workbench.support).state == .cancelled) }
        database.open()
        await simulations.stop()
        let shown = try await simulations.show(id, caller: Workbench.support)
        #expect(shown.state == .cancelled && shown.result == nil && shown.failure == nil)
    }

    @Test("what is done stays done when it is cancelled, and any server on the database shows it for a day")
    func kept() async throws {
        let bench = try await Workbench(onFile: true)
        try await bench.admit([.lapsed, .newcomer])
        let id = try await bench.useCases.simulations.start(.of("comeback"), caller: Workbench.support).id
        let done = try await bench.useCases.simulations.ended(id)
        #expect(try await bench.useCases.simulations.cancel(id, caller: Workbench.support) == done)
        let other = bench.useCases(over: try bench.reopened()).simulations
        #expect(try await other.show(id, caller: Workbench.support) == done)
        bench.clock.advance(hours: 23)
        #expect(try await other.show(id, caller: Workbench.support) == done)
        bench.clock.advance(hours: 1)
        await #expect(throws: RequestError.self) { _ = try await other.show(id, caller: Workbench.support) }
        _ = try await bench.simulated(.of("comeback"))
        #expect(try await bench.count("simulation") == 1)
    }

    @Test("one whose server says nothing for a minute has failed, and one that is stopped says so")
    func silent() async throws {
        let bench = try await Workbench(onFile: true)
        try await bench.admit([.lapsed])
        let id = try #require(LowercaseUUID("019a9f2e-7c0b-7b0e-9f3a-2d5e8c1b7a90"))
        let now = bench.clock.now
        try await bench.write { transaction, scope in
            try SimulationStore(transaction).add(
                StoredSimulation(id: id, scope: scope, apiKeyId: "1", at: now))
        }
        bench.clock.advance(milliseconds: 60_000)
        #expect(try await bench.useCases.simulations.show(id, caller: Workbench.support).state == .running)
        bench.clock.advance(milliseconds: 1)
        let failed = try await bench.useCases.simulations.show(id, caller: Workbench.support)
        #expect(failed.state == .failed && failed.failure == "the server that counted has ended")

        let database = HeldReads(bench.database, before: Self.counting)
        let simulations = bench.useCases(over: database).simulations
        let other = try await simulations.start(.of("comeback"), caller: Workbench.support).id
        await database.entered()
        async let stopped: Void = simulations.stop()
        database.open()
        await stopped
        let shown = try await simulations.show(other, caller: Workbench.support)
        #expect(shown.state == .failed || shown.state == .done, "\(shown)")
    }

    @Test("another app, and another environment, does not have it")
    func foreign() async throws {
        let bench = try await Workbench()
        try await bench.admit([.lapsed])
        let id = try await bench.useCases.simulations.start(.of("comeback"), caller: Workbench.support).id
        _ = try await bench.useCases.simulations.ended(id)
        let foreign = Workbench.caller(
            .support, scope: Scope(bundleId: "com.example.pro", environment: .sandbox))
        await #expect(throws: RequestError.self) {
            _ = try await bench.useCases.simulations.show(id, caller: foreign)
        }
        await #expect(throws: RequestError.self) {
            _ = try await bench.useCases.simulations.cancel(id, caller: foreign)
        }
    }

    @Test("a kept result has no identifier of a customer that an erasure would leave")
    func nameless() async throws {
        let bench = try await Workbench()
        try await bench.admit([.lapsed, .lapsed])
        let id = try await bench.useCases.simulations.start(.of("comeback"), caller: Workbench.support).id
        #expect(try await bench.useCases.simulations.ended(id).result?.samples.count == 2)
        #expect(
            try await bench.texts("simulation", "result").allSatisfy { !$0.contains("user-1") && !$0.contains("app-1") }
        )
    }
}

extension Workbench {
    /// A column of a table.
    fileprivate func texts(_ table: String, _ column: String) async throws -> [String] {
        try await database.read { try $0.rows(Statement("SELECT \(column) FROM \(table)")).map { try $0.value(0) } }
    }
}

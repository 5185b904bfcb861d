import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Dry-runs that suppose something")
struct SupposingTurnsTests {
    @Test(
        "two are answered at once and thirty wait for them, the next is told to come back, and who supposes nothing never waits (invariant 10)"
    )
    func turns() async throws {
        let bench = try await Workbench(onFile: true)
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        bench.clock.advance(hours: 1)
        // Only a dry-run as of an instant looks for the catalog of that instant.
        let database = HeldReads(bench.database, before: "FROM catalog_revision WHERE scope_id = ?1 AND created_at <=")
        let decisions = bench.useCases(over: database).decisions
        let inquiry = Inquiry(
            customer: named("100"), offerIds: ["comeback"], asOf: bench.clock.now)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do {
                        return try await decisions.decide(inquiry, caller: Workbench.marketing).decisions.count == 1
                    } catch RequestError.busy {
                        return false
                    }
                }
            }
            for _ in 0..<8 {
                let answered = try await group.next()
                #expect(answered == false)
            }
            await database.entered()
            await database.entered()
            let plain = Inquiry(customer: named("100"), offerIds: ["comeback"])
            let meanwhile = try await decisions.decide(plain, caller: Workbench.client)
            #expect(meanwhile.decisions.count == 1)
            for _ in 0..<32 { database.open() }
            for _ in 0..<32 {
                let answered = try await group.next()
                #expect(answered == true)
            }
        }
        database.open()
        #expect(try await decisions.decide(inquiry, caller: Workbench.marketing).decisions.count == 1)
    }

    @Test("whoever is cancelled while waiting leaves the place to the next")
    func cancelled() async throws {
        let bench = try await Workbench(onFile: true)
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        bench.clock.advance(hours: 1)
        let database = HeldReads(bench.database, before: "FROM catalog_revision WHERE scope_id = ?1 AND created_at <=")
        let decisions = bench.useCases(over: database).decisions
        let inquiry = Inquiry(
            customer: named("100"), offerIds: ["comeback"], asOf: bench.clock.now)
        func ask() -> Task<Int, any Error> {
            Task { try await decisions.decide(inquiry, caller: Workbench.marketing).decisions.count }
        }
        let held = [ask(), ask()]
        await database.entered()
        await database.entered()
        let (left, next) = (ask(), ask())
        left.cancel()
        await #expect(throws: CancellationError.self) { try await left.value }
        for _ in 0..<3 { database.open() }
        for task in held + [next] { #expect(try await task.value == 1) }
    }
}

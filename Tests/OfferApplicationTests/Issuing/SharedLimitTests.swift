import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("A limit that several offers share")
struct SharedLimitTests {
    @Test(
        "64 requests at once for two offers that share one place give it to one of them (invariant 2)", arguments: 0..<4
    )
    func atOnce(round: Int) async throws {
        let bench = try await Workbench(onFile: true, catalog: TestCatalog.head + TestCatalog.rivals)
        let second = try bench.reopened()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        try await bench.deliver(delivery)
        let other = bench.useCases(over: second)
        let orders = (0..<64).map { index in
            (
                index % 4 < 2 ? bench.useCases : other,
                IssueRequest(offerId: index.isMultiple(of: 2) ? "left" : "right", customer: named("100"))
            )
        }
        let answers = try await ConcurrentIssuingTests.ask(bench, orders)
        let issued = answers.compactMap(\.issued).map(\.offer.offerId)
        #expect(Set(issued).count == 1, "round \(round)")
        #expect(issued.count == 32)
        let refused = answers.compactMap(\.refusal)
        #expect(refused.count == 32)
        #expect(refused.allSatisfy { $0.decision.obstacles == [.limitCustomer, .limitCustomerWindow] })
        #expect(try await bench.count("issued_offer") == 1)
        try await bench.checkLedger()
        try second.close()
        try bench.database.close()
    }

    @Test("the one that was issued may be asked for again, the other not before its place frees")
    func afterwards() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.rivals)
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let left = IssueRequest(offerId: "left", customer: named("100"))
        let right = IssueRequest(offerId: "right", customer: named("100"))
        let first = try await bench.granted(left)
        #expect(try await bench.granted(left).offer.id == first.offer.id)
        let refusal = try await bench.refused(right)
        let frees = first.offer.expiresAt.adding(milliseconds: Instant.Duration.hour)
        #expect(refusal.outlook.changesAt == frees)
        #expect(try await bench.dryRun(named("100"), "right").outcome == .ineligible)
        bench.clock.advance(milliseconds: frees.milliseconds(since: bench.clock.now) - 1)
        #expect(try await bench.dryRun(named("100"), "right").outcome == .ineligible)
        bench.clock.advance(milliseconds: 1)
        #expect(try await bench.granted(right).isNew)
    }
}

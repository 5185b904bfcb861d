import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@Suite("Offers that stay open for so long")
struct OpeningTests {
    /// A trial with `availableFor` (docs/design.md#decisions), and a promotional offer with a limit of one.
    private static let catalog =
        TestCatalog.head
            + """
              - id: trial
                type: introductory
                products: [monthly]
                paymentMode: freeTrial
                period: P1W
                periodCount: 1
                status: active
                eligibility: { fact: signals.interactions, atLeast: 50 }
                availableFor: PT48H
                limits: []
              - id: stay
                type: promotional
                offerIdentifier: stay50
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                eligibility: { fact: signals.interactions, atLeast: 50 }
                availableFor: PT48H
                limits: [ { count: 1, per: customer } ]

            """

    private static let uses: [String: FactValue] = ["interactions": .number(50)]

    @Test(
        "the first request that finds it open opens it for 48 hours, whatever the signals say then, and closes it for good"
    )
    func lifetime() async throws {
        let bench = try await Workbench(catalog: Self.catalog)
        let newcomer = try bench.shop.delivery(.newcomer, "1")
        let early = try await bench.refused(.of("trial", newcomer))
        #expect(early.decision.outcome == .undetermined)
        // A dry-run that would open it opens nothing (invariant 4).
        #expect(try await bench.dryRun(account("1"), "trial", signals: Self.uses).outcome == .eligible)
        bench.clock.advance(hours: 100)
        var order = IssueRequest.of("trial", try bench.shop.delivery(.newcomer, "1"))
        order.signals = Self.uses
        #expect(try await bench.granted(order).offer.introductoryEligibility?.allowIntroductoryOffer == true)
        let opened = bench.clock.now

        bench.clock.advance(hours: 47, milliseconds: 3_599_999)
        let silent = IssueRequest.of("trial", try bench.shop.delivery(.newcomer, "1"))
        #expect(try await bench.ask(silent).issued != nil)
        #expect(bench.clock.now == opened.adding(milliseconds: 48 * Instant.Duration.hour - 1))
        bench.clock.advance(hours: 0, milliseconds: 1)
        order.delivery = try bench.shop.delivery(.newcomer, "1")
        let late = try await bench.refused(order)
        #expect(late.decision.obstacles == [.ruleAvailableFor])
    }

    @Test("a request that is refused for another reason opens it all the same")
    func refusedMeanwhile() async throws {
        let bench = try await Workbench(catalog: Self.catalog)
        let subscriber = try bench.shop.delivery(.subscriber, "1")
        var order = IssueRequest.of("trial", subscriber)
        order.signals = Self.uses
        #expect(try await bench.refused(order).decision.obstacles.contains(.introductoryNotSubscribed))
        bench.clock.advance(hours: 48)
        order.delivery = try bench.shop.delivery(.subscriber, "1")
        #expect(try await bench.refused(order).decision.obstacles.contains(.ruleAvailableFor))
    }

    @Test("a pause uses up none of the customer's time")
    func paused() async throws {
        let bench = try await Workbench(catalog: Self.catalog)
        var order = IssueRequest.of("stay", try bench.shop.delivery(.lapsed, "1"))
        order.signals = Self.uses
        _ = try await bench.useCases.switches.set("stay", paused: true, caller: Workbench.marketing)
        #expect(try await bench.refused(order).decision.obstacles == [.catalogPaused])
        bench.clock.advance(hours: 60)
        _ = try await bench.useCases.switches.set("stay", paused: false, caller: Workbench.marketing)
        #expect(try await bench.ask(order).issued != nil)
    }

    @Test("it is open to both customers of one subject from the first of them, and stays so after they are merged")
    func merged() async throws {
        let bench = try await Workbench(catalog: Self.catalog)
        var order = IssueRequest.of("stay", try bench.shop.delivery(.lapsed, "1"))
        order.signals = Self.uses
        #expect(try await bench.ask(order).issued != nil)
        bench.clock.advance(hours: 49)
        let other = try bench.shop.delivery(.lapsed, "2")
        let joining = try bench.shop.edited(try #require(other.signedTransactions.first)) {
            $0["appTransactionId"] = "app-1"
            $0["signedDate"] = bench.clock.now.milliseconds
        }
        try await bench.deliver(SignedDelivery(signedTransactions: [joining]))
        let decision = try await bench.dryRun(named("2"), "stay", signals: Self.uses)
        #expect(decision[.ruleAvailableFor]?.verdict == .violated)
    }

    private func account(_ id: String) -> CustomerIdentifiers {
        CustomerIdentifiers(appTransactionId: AppTransactionId("app-\(id)"))
    }
}

import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("Redemptions known from the history")
struct RedemptionTests {
    /// A lapsed customer who was issued the offer and bought with it an hour later.
    private func redeemed(
        _ offer: OfferId, as identifier: String, refunded: Bool = false
    ) async throws -> (bench: Workbench, issuedOffer: LowercaseUUID) {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let issuedOffer = try await bench.granted(.of(offer, delivery)).offer.id
        bench.clock.advance(hours: 1)
        let purchase = bench.clock.now
        bench.clock.advance(hours: 1)
        let jws = try bench.shop.redemption(
            of: identifier, "100900", like: try #require(delivery.signedTransactions.first), at: purchase,
            refundedAt: refunded ? bench.clock.now : nil)
        try await bench.deliver(SignedDelivery(signedTransactions: [jws]))
        return (bench, issuedOffer)
    }

    /// What Apple signs when the subscription has ended in the meantime.
    private func end(_ bench: Workbench) async throws {
        let info = try #require(try bench.shop.delivery(.lapsed, "100").signedRenewalInfo.first)
        try await bench.deliver(SignedDelivery(signedRenewalInfo: [info]))
    }

    @Test("a redemption of a once-only offer counts for ever")
    func forEver() async throws {
        let (bench, issuedOffer) = try await redeemed("comeback", as: "comeback50")
        #expect(
            try await bench.useCases.customers.issuedOffer(issuedOffer, caller: Workbench.client).state == .redeemed)
        bench.clock.advance(hours: 24 * 400)
        try await end(bench)
        let refusal = try await bench.refused(IssueRequest(offerId: "comeback", customer: named("100")))
        #expect(refusal.decision.obstacles == [.limitCustomer])
        #expect(refusal.decision[.limitCustomer]?.turningPoint == nil)
        #expect(refusal.decision[.limitCustomer]?.evidence.map(\.transactionId).contains("100900") == true)
    }

    @Test("an offer with two places gives a second issued offer after a redemption, and no third (invariant 2)")
    func twoPlaces() async throws {
        let (bench, issuedOffer) = try await redeemed("twice", as: "twice10")
        bench.clock.advance(hours: 24 * 40)
        try await end(bench)
        let order = IssueRequest(offerId: "twice", customer: named("100"))
        let second = try await bench.granted(order)
        #expect(second.isNew && second.offer.id != issuedOffer)
        #expect(try await bench.granted(order).offer.id == second.offer.id)
        let now = bench.clock.now
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let jws = try bench.shop.redemption(
            of: "twice10", "100901", like: try #require(delivery.signedTransactions.first), at: now)
        try await bench.deliver(SignedDelivery(signedTransactions: [jws]))
        bench.clock.advance(hours: 24 * 40)
        try await end(bench)
        let refusal = try await bench.refused(order)
        #expect(refusal.decision.obstacles == [.limitCustomer])
    }

    @Test(
        "a refunded redemption frees nothing, but the second place can be had at once while the first issued offer still lives"
    )
    func refunded() async throws {
        let (bench, issuedOffer) = try await redeemed("twice", as: "twice10", refunded: true)
        let decision = try await bench.dryRun(named("100"), "twice")
        #expect(decision.outcome == .eligible)
        let second = try await bench.granted(IssueRequest(offerId: "twice", customer: named("100")))
        #expect(second.isNew && second.offer.id != issuedOffer)
        #expect(try await bench.count("issued_offer") == 2)
    }

    @Test("a use that becomes known too late is shown as an overrun and breaks nothing")
    func late() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let first = try await bench.granted(.of("comeback", delivery)).offer.id
        bench.clock.advance(hours: 1)
        let purchase = bench.clock.now
        bench.clock.advance(hours: 25)
        let second = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100"))).offer.id
        #expect(second != first)
        bench.tolerateOverrun()
        let jws = try bench.shop.redemption(
            of: "comeback50", "100900", like: try #require(delivery.signedTransactions.first), at: purchase)
        try await bench.deliver(SignedDelivery(signedTransactions: [jws]))
        #expect(try await !bench.overruns(at: bench.clock.now).isEmpty)
        let story = try await bench.useCases.customers.story(named("100"), caller: Workbench.client)
        #expect(story.issuedOffers.map(\.id) == [second, first])
        #expect(story.issuedOffers.map(\.state) == [.open, .redeemed])
        let refusal = try await bench.refused(IssueRequest(offerId: "comeback", customer: named("100")))
        #expect(refusal.decision.obstacles.contains(.limitCustomer))
    }

    @Test("an offer that was used without us counts as well")
    func usedElsewhere() async throws {
        let bench = try await Workbench()
        var delivery = try bench.shop.delivery(.lapsed, "100")
        let first = try #require(delivery.signedTransactions.first)
        delivery.signedTransactions.append(
            try bench.shop.redemption(of: "comeback50", "100900", like: first, at: Workbench.start.adding(months: -2)))
        let refusal = try await bench.refused(.of("comeback", delivery))
        #expect(refusal.decision.obstacles == [.limitCustomer])
    }
}

import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("An issued offer whose redemption turns out to be another's")
struct ReopenedIssuedOfferTests {
    @Test("evidence that arrives late never reopens a settled issued offer beside the next one (invariant 2)")
    func lateEvidence() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let jws = try #require(delivery.signedTransactions.first)
        let early = bench.clock.now
        bench.clock.advance(hours: 1)
        let first = try await bench.granted(.of("twice", delivery)).offer.id
        bench.clock.advance(hours: 1)
        let purchase = bench.clock.now
        bench.clock.advance(hours: 1)
        // Bought with the first issued offer and refunded at once: the first is used, and the customer is without
        // access again.
        try await bench.deliver(
            SignedDelivery(signedTransactions: [
                try bench.shop.redemption(of: "twice10", "100900", like: jws, at: purchase, refundedAt: bench.clock.now)
            ]))
        let order = IssueRequest(offerId: "twice", customer: named("100"))
        let second = try await bench.granted(order).offer.id
        #expect(second != first)
        // Renewal info of before the first issued offer shows the offer pending: the use was not the first issued
        // offer's.
        bench.tolerateOverrun()
        let info = try bench.shop.edited(try #require(delivery.signedRenewalInfo.first)) { payload in
            payload["offerType"] = 2
            payload["offerIdentifier"] = "twice10"
            payload["signedDate"] = early.milliseconds
        }
        try await bench.deliver(SignedDelivery(signedRenewalInfo: [info]))
        // Granted under the second issued offer or refused by a rule, but never the first again and never an error.
        let fresh = try await bench.ask(IssueRequest(offerId: "twice", customer: named("100"), fresh: true))
        #expect(fresh.issued?.offer.id ?? second == second)
        #expect(fresh.issued != nil || fresh.refusal?.decision.outcome == .ineligible)
    }
}

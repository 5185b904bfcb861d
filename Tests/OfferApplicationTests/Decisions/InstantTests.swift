import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@Suite("The instant of a request")
struct InstantTests {
    @Test("a clock that jumps back never makes an instant before the last committed one")
    func jumpBack() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        try await bench.deliver(delivery)
        bench.clock.advance(hours: 2)
        let first = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100"))).offer
        let last = first.issuedAt
        #expect(last == bench.clock.now)
        bench.clock.advance(milliseconds: -30_000)
        let second = try await bench.granted(IssueRequest(offerId: "twice", customer: named("100"))).offer
        #expect(second.issuedAt == last)
        #expect(second.v1?.timestamp == last)
        try await bench.apply(TestCatalog.yaml + "# again\n", expected: 1)
        _ = try await bench.refused(IssueRequest(offerId: "sketch", customer: named("100")))
        #expect(try await bench.ledger().lastInstant == last)
        #expect(try await bench.known(named("100")).now == last)
    }
}

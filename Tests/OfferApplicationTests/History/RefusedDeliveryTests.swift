import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import Testing

@Suite("Deliveries that are refused, in part or whole")
struct RefusedDeliveryTests {
    /// A newcomer whose app transaction names no Apple Account.
    private func nameless(_ bench: Workbench) throws -> SignedDelivery {
        var delivery = try bench.shop.delivery(.newcomer, "100", complete: false)
        delivery.signedAppTransaction = try bench.shop.edited(try #require(delivery.signedAppTransaction)) {
            $0["appTransactionId"] = nil
        }
        return delivery
    }

    @Test("an app transaction that names no account is ignored beside a customer's data, and refused without any")
    func namelessAppTransaction() async throws {
        let bench = try await Workbench()
        let delivery = try nameless(bench)
        await #expect(throws: RequestError.self) { try await bench.deliver(delivery) }
        var known = try bench.shop.delivery(.lapsed, "200")
        known.signedAppTransaction = delivery.signedAppTransaction
        let order = IssueRequest(offerId: "comeback", customer: named("200"), delivery: known)
        guard case .issued(let issued, _) = try await bench.ask(order) else {
            Issue.record("nothing was issued")
            return
        }
        #expect(issued.ignored?.map(\.member) == ["signedAppTransaction"])
    }

    @Test("a payload with a control character is refused, and its verified neighbours are kept")
    func controlCharacter() async throws {
        let bench = try await Workbench()
        let good = try bench.shop.delivery(.lapsed, "100", complete: false)
        let bad = try bench.shop.edited(try #require(good.signedTransactions.first)) { $0["storefront"] = "US\u{0}A" }
        let report = try await bench.deliver(
            SignedDelivery(
                signedTransactions: good.signedTransactions + [bad], signedRenewalInfo: good.signedRenewalInfo))
        #expect(report.results.map(\.outcome) == [.added, .refused, .added])
        #expect(report.results.compactMap(\.code) == ["malformedPayload"])
    }

    @Test("a delivery that brings nothing and speaks of nobody is a mistake, also if it vouches")
    func nothing() async throws {
        let bench = try await Workbench()
        for complete in [false, true] {
            let error = await #expect(throws: RequestError.self) {
                try await bench.deliver(SignedDelivery(historyComplete: complete))
            }
            guard case .invalidRequest(let pointer, _, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(pointer == "/signedTransactions")
        }
    }

    @Test("refused data is named before customers who cannot be one, whether or not the rest is new")
    func refusedBeforeAmbiguous() async throws {
        let bench = try await Workbench()
        let first = try bench.shop.delivery(.lapsed, "100", complete: false)
        let second = try bench.shop.delivery(.lapsed, "200", complete: false)
        let delivery = SignedDelivery(
            signedTransactions: first.signedTransactions + second.signedTransactions + ["no.jws.here"])
        let order = IssueRequest(
            offerId: "comeback", customer: CustomerIdentifiers(customerId: "both"), delivery: delivery)
        for _ in 0..<2 {
            let error = await #expect(throws: RequestError.self) { try await bench.ask(order) }
            guard case .signedDataRefused(let refused) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(refused.map(\.pointer) == ["/signedTransactions/2"])
        }
    }

    @Test("completeness is stated anew only after ten minutes")
    func restatement() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        try await bench.deliver(delivery)
        #expect(try await bench.count("coverage") == 1)
        bench.clock.advance(milliseconds: 9 * Instant.Duration.minute)
        try await bench.deliver(delivery)
        #expect(try await bench.count("coverage") == 1)
        bench.clock.advance(milliseconds: 2 * Instant.Duration.minute)
        try await bench.deliver(delivery)
        #expect(try await bench.count("coverage") == 2)
    }
}

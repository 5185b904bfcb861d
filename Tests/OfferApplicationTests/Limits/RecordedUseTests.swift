import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Uses as they are recorded")
struct RecordedUseTests {
    private static func issued() async throws -> (bench: Workbench, first: String, issuedOffer: LowercaseUUID) {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let issuedOffer = try await bench.granted(.of("comeback", delivery)).offer.id
        return (bench, try #require(delivery.signedTransactions.first), issuedOffer)
    }

    @Test("a story tells of each use which issued offer it used, and what was used twice or late")
    func story() async throws {
        let (bench, jws, issuedOffer) = try await Self.issued()
        bench.tolerateOverrun()
        bench.clock.advance(hours: 24 * 70)
        let uses = try [1, 24 * 40].map { hours in
            try bench.shop.redemption(
                of: "comeback50", "1009\(hours)", like: jws,
                at: Workbench.start.adding(milliseconds: Int64(hours) * Instant.Duration.hour))
        }
        try await bench.deliver(SignedDelivery(signedTransactions: uses.reversed()))
        let redemptions = try await bench.known(named("100")).redemptions
        #expect(redemptions.map(\.transactionId) == ["10091", "1009960"])
        #expect(redemptions.map(\.issuedOfferId) == [issuedOffer, issuedOffer])
        #expect(redemptions.map(\.isDoubled) == [false, true])
        #expect(redemptions.map(\.isLate) == [false, true])
    }

    @Test("a purchase without the offer right after its signature is told")
    func fullPrice() async throws {
        let (bench, jws, issuedOffer) = try await Self.issued()
        bench.clock.advance(hours: 1)
        let now = bench.clock.now
        let purchase = try bench.shop.edited(jws) { payload in
            payload["transactionId"] = "100900"
            payload["purchaseDate"] = now.milliseconds
            payload["expiresDate"] = now.adding(months: 1).milliseconds
            payload["signedDate"] = now.milliseconds
            payload["transactionReason"] = "PURCHASE"
        }
        try await bench.deliver(SignedDelivery(signedTransactions: [purchase]))
        let offers = try await bench.known(named("100")).issued
        #expect(offers.map(\.issuedOffer.id) == [issuedOffer])
        #expect(offers.map(\.fullPriceTransactionId) == ["100900"])
    }

    @Test("a redeemed issued offer is settled by the data that shows it, so the offer can be issued again at once")
    func settledAtOnce() async throws {
        let (bench, jws, issuedOffer) = try await Self.issued()
        bench.clock.advance(hours: 1)
        let now = bench.clock.now
        try await bench.deliver(
            SignedDelivery(signedTransactions: [
                try bench.shop.redemption(of: "comeback50", "100900", like: jws, at: now)
            ]))
        let row = try await bench.database.read {
            try IssuedOfferStore($0).issuedOffers(of: [CustomerNumber(rawValue: 1)]).first
        }
        #expect(row?.id == issuedOffer)
        #expect(row?.settledAt == now)
    }

    @Test("a second use of one issued offer months later counts in a window at its own date")
    func secondUseInWindow() async throws {
        let bench = try await Workbench(
            catalog: TestCatalog.head + TestCatalog.shared("{ count: 1, per: customer, window: P30D }"))
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let jws = try #require(delivery.signedTransactions.first)
        _ = try await bench.granted(.of("drop", delivery))
        bench.clock.advance(hours: 1)
        let first = bench.clock.now
        try await bench.deliver(
            SignedDelivery(signedTransactions: [
                try bench.shop.redemption(of: "drop50", "100901", like: jws, at: first)
            ]))
        bench.clock.advance(hours: 24 * 60)
        let second = bench.clock.now
        bench.clock.advance(hours: 24)
        try await bench.deliver(
            SignedDelivery(signedTransactions: [
                try bench.shop.redemption(
                    of: "drop50", "100902", like: jws, at: second, refundedAt: bench.clock.now)
            ]))
        let finding = try #require(try await bench.dryRun(named("100"), "drop")[.limitCustomerWindow])
        #expect(finding.verdict == .violated)
        #expect(finding.turningPoint == .at(second.adding(milliseconds: 30 * Instant.Duration.day)))
    }

    @Test("a use that Apple dates after our issue, and that was known before it, is that of the new issued offer")
    func datedAhead() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        try await bench.deliver(delivery)
        // A renewal charged early, and refunded, so that the offer does not run.
        let use = try bench.shop.redemption(
            of: "twice10", "100900", like: try #require(delivery.signedTransactions.first),
            at: bench.clock.now.adding(milliseconds: Instant.Duration.hour), refundedAt: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        let issuedOffer = try await bench.granted(IssueRequest(offerId: "twice", customer: named("100"))).offer.id
        let used = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT issued_offer_id FROM redemption")).map {
                try $0.value(0, as: LowercaseUUID?.self)
            }
        }
        #expect(used == [issuedOffer])
    }
}

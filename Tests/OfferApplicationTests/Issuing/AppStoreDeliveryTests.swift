import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import Testing

@Suite("Offers that the App Store delivers")
struct AppStoreDeliveryTests {
    private static let catalog =
        TestCatalog.head + """
              - id: apple
                type: winBack
                delivery: appStore
                offerIdentifier: back_apple
                products: [monthly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                paidSubscriptionDurationInMonths: 1
                timeSinceLastSubscribedInMonths: { minimum: 1, maximum: 12 }
                status: active
                limits: [ { count: 1, per: customer } ]
              - id: apple-either
                type: winBack
                delivery: appStore
                offerIdentifier: back_either
                products: [monthly, yearly]
                paymentMode: freeTrial
                period: P1M
                periodCount: 1
                status: active
                limits: [ { count: 1, per: customer } ]

            """

    private func bench() async throws -> (bench: Workbench, delivery: SignedDelivery) {
        let bench = try await Workbench(catalog: Self.catalog)
        let delivery = try bench.shop.delivery(.lapsed, "100")
        try await bench.deliver(delivery)
        return (bench, delivery)
    }

    private func order(_ offer: OfferId = "apple", product: ProductId? = nil, fresh: Bool = false) -> IssueRequest {
        IssueRequest(offerId: offer, productId: product, customer: named("100"), fresh: fresh)
    }

    /// Signs the customer's renewal info anew, with Apple's list.
    private func list(_ offers: [String], _ delivery: SignedDelivery, _ bench: Workbench) throws -> SignedDelivery {
        let signed = bench.clock.now
        let info = try bench.shop.edited(try #require(delivery.signedRenewalInfo.first)) { payload in
            payload["eligibleWinBackOfferIds"] = offers
            payload["signedDate"] = signed.milliseconds
        }
        return SignedDelivery(signedRenewalInfo: [info])
    }

    @Test("one is recorded with its decision and without a signature before it is handed out (invariant 1)")
    func recorded() async throws {
        let (bench, _) = try await bench()
        let (offer, isNew) = try await bench.granted(order())
        #expect(isNew)
        #expect(offer.delivery == .appStore && offer.offerType == .winBack)
        #expect(offer.offerIdentifier == "back_apple" && offer.productId == "monthly")
        #expect(offer.v1 == nil && offer.v2 == nil && offer.introductoryEligibility == nil && offer.keyId == nil)
        #expect(offer.expiresAt == bench.clock.now.adding(milliseconds: 24 * Instant.Duration.hour))
        #expect(try await bench.count("signature") == 0)
        let rows = try await bench.database.read { transaction in
            try transaction.rows(
                Statement(
                    """
                    SELECT issued_offer.id, issued_offer.signings, decision.id, decision.kind FROM issued_offer
                    JOIN decision ON decision.issued_offer_id = issued_offer.id
                    """)
            ).map { row in
                let (id, decision): (LowercaseUUID, LowercaseUUID) = (try row.value(0), try row.value(2))
                return (id: id, signings: try row.value(1, as: Int.self), decision: decision)
            }
        }
        #expect(rows.map(\.id) == [offer.id])
        #expect(rows.map(\.decision) == [offer.decisionId])
        #expect(rows.map(\.signings) == [1])
    }

    @Test("asking again for a day gives the same one, fresh or not, and writes nothing")
    func again() async throws {
        let (bench, _) = try await bench()
        let first = try await bench.granted(order()).offer
        for fresh in [false, true] {
            let again = try await bench.granted(order(fresh: fresh))
            #expect(!again.isNew && again.offer == first)
        }
        bench.clock.advance(hours: 24, milliseconds: -1)
        #expect(try await bench.granted(order()).offer == first)
        #expect(try await bench.useCases.customers.issuedOffer(first.id, caller: Workbench.client) == first)
        #expect(try await bench.count("decision") == 1)
        bench.clock.advance(milliseconds: 1)
        let later = try await bench.granted(order())
        #expect(later.isNew && later.offer.id == first.id)
        #expect(later.offer.expiresAt == bench.clock.now.adding(milliseconds: 24 * Instant.Duration.hour))
        #expect(try await bench.useCases.customers.issuedOffer(first.id, caller: Workbench.client) == later.offer)
        #expect(try await bench.count("issued_offer") == 1)
    }

    @Test("a dry-run says what issuing does, before and after (invariant 4)")
    func dryRun() async throws {
        let (bench, _) = try await bench()
        #expect(try await bench.dryRun(named("100"), "apple").outcome == .eligible)
        _ = try await bench.granted(order())
        let decision = try await bench.dryRun(named("100"), "apple")
        #expect(decision.outcome == .eligible)
        #expect(decision[.limitSignatures]?.verdict == .notApplicable)
    }

    @Test("another product is one more of the open one's hand-outs, and is what can be read back")
    func otherProduct() async throws {
        let (bench, _) = try await bench()
        let monthly = try await bench.granted(order("apple-either", product: "monthly"))
        let yearly = try await bench.granted(order("apple-either", product: "yearly"))
        #expect(yearly.isNew && yearly.offer.id == monthly.offer.id && yearly.offer.productId == "yearly")
        let read = try await bench.useCases.customers.issuedOffer(monthly.offer.id, caller: Workbench.client)
        #expect(read == yearly.offer)
        #expect(try await bench.granted(order("apple-either", product: "yearly")).isNew == false)
    }

    @Test("there are no formats to choose from")
    func formats() async throws {
        let (bench, _) = try await bench()
        var order = order()
        order.formats = [.v2]
        let asked = order
        await #expect {
            try await bench.ask(asked)
        } throws: { error in
            guard case RequestError.invalidRequest("/formats", _, _) = error else { return false }
            return true
        }
    }

    @Test("a use with Apple's offer type 4 settles it, and one of a signed offer of the same name does not")
    func redeemed() async throws {
        let (bench, delivery) = try await bench()
        let issuedOffer = try await bench.granted(order()).offer.id
        bench.clock.advance(hours: 1)
        let bought = try bench.shop.redemption(
            of: "back_apple", "100900", like: try #require(delivery.signedTransactions.first), at: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [bought]))
        #expect(try await bench.useCases.customers.issuedOffer(issuedOffer, caller: Workbench.client).state == .open)
        let real = try bench.shop.edited(bought) { payload in
            payload["transactionId"] = "100901"
            payload["offerType"] = 4
        }
        try await bench.deliver(SignedDelivery(signedTransactions: [real]))
        #expect(
            try await bench.useCases.customers.issuedOffer(issuedOffer, caller: Workbench.client).state == .redeemed)
        let refusal = try await bench.refused(order())
        #expect(refusal.decision[.limitCustomer]?.reason == .limitReached)
    }

    @Test("the App Store's newest list decides, and is asked again each time")
    func listed() async throws {
        let (bench, delivery) = try await bench()
        bench.clock.advance(hours: 1)
        try await bench.deliver(try list(["another"], delivery, bench))
        let refusal = try await bench.refused(order())
        #expect(refusal.decision.obstacles == [.winBackListedByAppStore])
        #expect(refusal.decision[.winBackTimeSinceLastSubscribed]?.verdict == .notApplicable)
        bench.clock.advance(hours: 1)
        try await bench.deliver(try list(["another", "back_apple"], delivery, bench))
        let offer = try await bench.granted(order()).offer
        #expect(offer.offerIdentifier == "back_apple")
        bench.clock.advance(hours: 1)
        try await bench.deliver(try list([], delivery, bench))
        #expect(try await bench.refused(order()).decision.obstacles == [.winBackListedByAppStore])
    }
}

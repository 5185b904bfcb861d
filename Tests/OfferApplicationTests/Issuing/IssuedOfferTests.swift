import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import Testing

@Suite("Issued offers")
struct IssuedOfferTests {
    private let token = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
    private let otherToken = AppAccountToken("aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b")

    private func bench() async throws -> Workbench {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        return bench
    }

    private func order(
        _ offer: OfferId = "comeback", fresh: Bool = false, token: AppAccountToken? = nil,
        formats: [SignatureFormat] = [], product: ProductId? = nil
    ) -> IssueRequest {
        IssueRequest(
            offerId: offer, productId: product,
            customer: CustomerIdentifiers(originalTransactionId: "100", appAccountToken: token), formats: formats,
            fresh: fresh)
    }

    @Test("asking again gives the stored signatures as long as an hour of life is left, to the millisecond")
    func stored() async throws {
        let bench = try await bench()
        let first = try await bench.granted(order())
        #expect(first.isNew)
        #expect(first.offer.expiresAt == Workbench.start.adding(milliseconds: 24 * Instant.Duration.hour))
        bench.clock.advance(hours: 23)
        let again = try await bench.granted(order())
        #expect(!again.isNew)
        #expect(again.offer == first.offer)
        bench.clock.advance(milliseconds: 1)
        let renewed = try await bench.granted(order())
        #expect(renewed.isNew)
        #expect(renewed.offer.id == first.offer.id)
        #expect(renewed.offer.issuedAt == first.offer.issuedAt)
        #expect(renewed.offer.v2 != first.offer.v2)
        #expect(renewed.offer.expiresAt == bench.clock.now.adding(milliseconds: 24 * Instant.Duration.hour))
        #expect(try await bench.count("issued_offer") == 1)
    }

    @Test("another account, format or product needs one more signing under the same issued offer")
    func otherPlan() async throws {
        let bench = try await bench()
        let first = try await bench.granted(order(token: token, formats: [.v1]))
        #expect(try await bench.granted(order(token: token, formats: [.v1])).isNew == false)
        let other = try await bench.granted(order(token: otherToken, formats: [.v1]))
        #expect(other.isNew && other.offer.id == first.offer.id)
        #expect(other.offer.v1?.appAccountToken == otherToken?.description)
        let both = try await bench.granted(order(token: otherToken, formats: [.v2, .v1]))
        #expect(both.isNew && both.offer.id == first.offer.id)
        #expect(both.offer.v1?.timestamp == bench.clock.now)
        let monthly = try await bench.granted(order("either", product: "monthly"))
        let yearly = try await bench.granted(order("either", product: "yearly"))
        #expect(yearly.isNew && yearly.offer.id == monthly.offer.id)
        #expect(yearly.offer.productId == "yearly")
    }

    @Test("another transaction of the customer needs one more signing under the same issued offer")
    func otherTransaction() async throws {
        let bench = try await bench()
        let first = try await bench.granted(order())
        let account = IssueRequest(offerId: "comeback", customer: CustomerIdentifiers(appTransactionId: "app-100"))
        let other = try await bench.granted(account)
        #expect(other.isNew && other.offer.id == first.offer.id)
        #expect(try await bench.granted(account).offer.v2 == other.offer.v2)
    }

    @Test(
        "`fresh` makes one more signing until `signaturesPerOffer`, 3 by default, is reached; stored ones stay available"
    )
    func fresh() async throws {
        let bench = try await bench()
        let first = try await bench.granted(order())
        for _ in 2...3 {
            let next = try await bench.granted(order(fresh: true))
            #expect(next.isNew && next.offer.id == first.offer.id)
        }
        let refusal = try await bench.refused(order(fresh: true))
        #expect(refusal.decision.outcome == .ineligible)
        #expect(refusal.decision.obstacles == [.limitSignatures])
        #expect(try await bench.granted(order()).isNew == false)
        #expect(try await bench.count("signature") == 3)
    }

    @Test("an issued offer that was not used stops counting an hour after its newest signature, and not before")
    func expiry() async throws {
        let bench = try await bench()
        let first = try await bench.granted(order())
        bench.clock.advance(hours: 25, milliseconds: -1)
        #expect(try await bench.useCases.customers.issuedOffer(first.offer.id, caller: Workbench.client).state == .open)
        let late = try await bench.granted(order())
        #expect(late.offer.id == first.offer.id)
        bench.clock.advance(hours: 25)
        let expired = try await bench.useCases.customers.issuedOffer(first.offer.id, caller: Workbench.client)
        #expect(expired.state == .expired)
        let second = try await bench.granted(order())
        #expect(second.isNew && second.offer.id != first.offer.id)
    }

    @Test(
        "an issued offer voided without release counts until its end; one released frees its place at once",
        arguments: [false, true])
    func voided(release: Bool) async throws {
        let bench = try await bench()
        let first = try await bench.granted(order())
        let now = bench.clock.now
        let isVoided = try await bench.write { transaction, scope in
            try IssuedOfferStore(transaction).void(
                first.offer.id, reason: "mistake", release: release, at: now, in: scope)
        }
        #expect(isVoided)
        if release {
            let second = try await bench.granted(order())
            #expect(second.isNew && second.offer.id != first.offer.id)
        } else {
            let refusal = try await bench.refused(order())
            #expect(refusal.decision.obstacles == [.limitCustomer])
            let end = now.adding(milliseconds: 25 * Instant.Duration.hour)
            #expect(refusal.decision[.limitCustomer]?.turningPoint == .at(end))
            bench.clock.advance(hours: 25)
            #expect(try await bench.granted(order()).isNew)
        }
        #expect(
            try await bench.useCases.customers.issuedOffer(first.offer.id, caller: Workbench.client).state == .voided)
    }

    @Test(
        "a product that is not the offer's is refused, several products need one named, and unknown formats are named")
    func orders() async throws {
        let bench = try await bench()
        await #expect {
            try await bench.ask(order(product: "yearly"))
        } throws: { error in
            guard case RequestError.invalidRequest("/productId", _, _) = error else { return false }
            return true
        }
        await #expect {
            try await bench.ask(order("either"))
        } throws: { error in
            guard case RequestError.productRequired(let offer, let products) = error else { return false }
            return offer == "either" && products == ["monthly", "yearly"]
        }
        await #expect {
            try await bench.ask(order("back", formats: [.v2, .v1]))
        } throws: { error in
            guard case RequestError.invalidRequest(let pointer, _, _) = error else { return false }
            return pointer == "/formats/1"
        }
        await #expect {
            try await bench.ask(order("nothing"))
        } throws: { error in
            guard case RequestError.unknownOffer("nothing") = error else { return false }
            return true
        }
        #expect(try await bench.count("issued_offer") == 0)
    }

    @Test("a draft, a missing signal and a low signal are refused with their own reasons")
    func reasons() async throws {
        let bench = try await bench()
        #expect(try await bench.refused(order("sketch")).decision[.catalogStatus]?.reason == .offerDraft)
        #expect(try await bench.refused(order("engaged")).decision.outcome == .undetermined)
        var engaged = order("engaged")
        engaged.signals = ["interactions": .number(49)]
        #expect(try await bench.refused(engaged).decision.outcome == .ineligible)
        engaged.signals = ["interactions": .number(50)]
        #expect(try await bench.granted(engaged).isNew)
    }
}

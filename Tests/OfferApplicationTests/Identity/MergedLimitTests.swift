import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("A once-only offer after two sign-ups turn out to be one Apple Account")
struct MergedLimitTests {
    private let anna = CustomerIdentifiers(
        appAccountToken: AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"), customerId: "anna")
    private let second = CustomerIdentifiers(
        appAccountToken: AppAccountToken("aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b"), customerId: "second")

    @Test(
        "taken under the first sign-up, it is refused under the second, at issue and in a dry-run, and says why in words (invariants 2 and 4)",
        arguments: [true, false])
    func refused(isUsed: Bool) async throws {
        let bench = try await Workbench()
        let (first, other) = (try bench.shop.anonymous("100"), try bench.shop.anonymous("200"))
        let issuedOffer = try await bench.granted(IssueRequest(offerId: "comeback", customer: anna, delivery: first))
            .offer
        if isUsed {
            bench.clock.advance(hours: 1)
            let use = try bench.shop.redemption(
                of: "comeback50", "100900", like: try #require(first.signedTransactions.first), at: bench.clock.now)
            try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        }
        // As long as nobody knows better, the second sign-up is somebody else.
        try await bench.deliver(other, aliases: second)
        #expect(try await bench.dryRun(second, "comeback").outcome == .eligible)

        bench.clock.advance(hours: isUsed ? 24 * 40 : 1)
        for delivery in [first, other] { try await bench.deliver(try bench.shop.proof(delivery, of: "app-100")) }
        #expect(try await bench.count("customer_merge") == 1)
        if !isUsed {
            // Under the open issued offer the second sign-up may have a signing of its own, but no second place.
            bench.clock.advance(hours: 20)
            #expect(
                try await bench.granted(IssueRequest(offerId: "comeback", customer: second, delivery: other)).offer.id
                    == issuedOffer.id)
            return
        }
        try await bench.deliver(SignedDelivery(signedRenewalInfo: first.signedRenewalInfo))
        let expected = """
            already used (limit: once per customer), one of the uses under another sign-up of the same Apple Account: \
            `customerId` `anna`, `appAccountToken` `0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b`, issued on \
            \(issuedOffer.issuedAt.description.prefix(10)) and used (issued offer `\(issuedOffer.id)`)
            """
        let refusal = try await bench.refused(IssueRequest(offerId: "comeback", customer: second, delivery: other))
        let dryRun = try await bench.dryRun(second, "comeback")
        for decision in [refusal.decision, dryRun] {
            let finding = try #require(decision[.limitCustomer])
            #expect(finding.verdict == .violated)
            #expect(finding.reason == .limitReached)
            #expect(finding.message == expected)
            let told = finding.evidence.suffix(4)
            #expect(
                told.map(\.field) == [
                    "issuedOffer", "issuedOffer.issuedAt", "issuedOffer.customerId", "issuedOffer.appAccountToken",
                ])
            let observed: [EvidenceValue?] = [
                .value(.text(issuedOffer.id.description)), .value(.instant(issuedOffer.issuedAt)),
                .value(.text("anna")),
                .value(.text("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")),
            ]
            #expect(told.map(\.observed) == observed)
            #expect(told.map(\.provenance) == [nil, nil, .caller, .caller])
        }
        // Whoever asks under the first sign-up hears nothing of another.
        let own = try #require(try await bench.dryRun(anna, "comeback")[.limitCustomer])
        #expect(own.message == "already used (limit: once per customer)")
    }

    @Test("of two open ones met by a merge the newer is voided, and the page tells which, why and for whom")
    func twoOpen() async throws {
        let bench = try await Workbench()
        bench.tolerateOverrun()
        let (first, other) = (try bench.shop.anonymous("100"), try bench.shop.anonymous("200"))
        let kept = try await bench.granted(IssueRequest(offerId: "comeback", customer: anna, delivery: first)).offer
        bench.clock.advance(hours: 1)
        let voided = try await bench.granted(IssueRequest(offerId: "comeback", customer: second, delivery: other)).offer
        for delivery in [first, other] { try await bench.deliver(try bench.shop.proof(delivery, of: "app-100")) }
        let finding = try #require(try await bench.dryRun(second, "comeback")[.limitCustomer])
        #expect(finding.verdict == .violated)
        let entries = try await bench.useCases.customers.story(second, caller: Workbench.client).timeline
        #expect(
            entries.first { $0.kind == "voided" }?.message
                == "the offer `comeback` was voided: \(IssuedOfferStore.mergeReason) (issued offer \(voided.id))")
        #expect(
            entries.filter { $0.kind == "issued" }.map(\.message) == [
                "the offer `comeback` was issued for `monthly` to `customerId` `second`, `appAccountToken` "
                    + "`aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b` (voided now)",
                "the offer `comeback` was issued for `monthly` to `customerId` `anna`, `appAccountToken` "
                    + "`0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b` (open now)",
            ])
        #expect(kept.id != voided.id)
    }

    @Test("a replay of what was signed under either sign-up comes out the same (invariant 5)")
    func replay() async throws {
        let bench = try await Workbench()
        let first = try bench.shop.anonymous("100")
        let issuedOffer = try await bench.granted(IssueRequest(offerId: "twice", customer: anna, delivery: first)).offer
        bench.clock.advance(hours: 1)
        let use = try bench.shop.redemption(
            of: "twice10", "100900", like: try #require(first.signedTransactions.first), at: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        bench.clock.advance(hours: 24 * 40)
        try await bench.deliver(SignedDelivery(signedRenewalInfo: try bench.shop.anonymous("100").signedRenewalInfo))
        let again = try await bench.granted(IssueRequest(offerId: "twice", customer: second, delivery: first)).offer
        #expect(again.id != issuedOffer.id)
        let replay = try await bench.useCases.replay.replay(again.id, catalogRevision: nil, caller: Workbench.client)
        #expect(replay.differences.isEmpty)
        let evidence = replay.recomputed[.limitCustomer]?.evidence?.map(\.field) ?? []
        #expect(evidence.contains("issuedOffer.customerId"))
    }
}

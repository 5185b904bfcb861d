import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Introductory offers")
struct IntroductoryTests {
    private func claims(_ jws: String, _ bench: Workbench) throws -> [String: Any] {
        let parsed = try CompactJWS(parsing: jws)
        #expect(bench.key.publicKey.isValid(rawSignature: parsed.signature, of: parsed.signingInput))
        let object = try JSONSerialization.jsonObject(with: Data(parsed.payload))
        return try #require(object as? [String: Any])
    }

    @Test(
        "a used trial is refused with the transaction as evidence, no turning point, and a signed `false` without an issued offer"
    )
    func used() async throws {
        let bench = try await Workbench()
        let refusal = try await bench.refused(.of("welcome", try bench.shop.delivery(.trialUsed, "100")))
        #expect(refusal.decision.outcome == .ineligible)
        let finding = try #require(refusal.decision[.introductoryUnusedInGroup])
        #expect(finding.reason == .introductoryOfferUsed)
        #expect(finding.evidence.map(\.transactionId) == ["100"])
        #expect(finding.turningPoint == nil)
        let block = try #require(refusal.introductoryEligibility)
        #expect(!block.allowIntroductoryOffer)
        let claims = try claims(block.jws, bench)
        #expect(claims["allowIntroductoryOffer"] as? Bool == false)
        #expect(claims["transactionId"] as? String == "100")
        #expect(claims["productId"] as? String == "monthly")
        #expect(claims["iat"] as? Int64 == Workbench.start.seconds)
        #expect(claims["exp"] == nil)
        #expect(try await bench.count("issued_offer") == 0)
        #expect(try await bench.count("signature") == 1)
    }

    @Test("a used trial decides also when the history is partial: presence always decides")
    func usedPartial() async throws {
        let bench = try await Workbench()
        let refusal = try await bench.refused(
            .of("welcome", try bench.shop.delivery(.trialUsed, "100", complete: false)))
        #expect(refusal.decision.outcome == .ineligible)
        #expect(refusal.introductoryEligibility?.allowIntroductoryOffer == false)
    }

    @Test("a partial history is undetermined and no signature leaves, not even `false` (invariant 3)")
    func partial() async throws {
        let bench = try await Workbench()
        let refusal = try await bench.refused(
            .of("welcome", try bench.shop.delivery(.newcomer, "100", complete: false)))
        #expect(refusal.decision.outcome == .undetermined)
        #expect(refusal.decision[.introductoryUnusedInGroup]?.reason == .historyIncomplete)
        #expect(refusal.introductoryEligibility == nil)
        #expect(try await bench.count("signature") == 0)
        #expect(try await bench.count("decision") == 1)
    }

    @Test("a complete history without a trial gets a signed `true` under an issued offer")
    func unused() async throws {
        let bench = try await Workbench()
        let issued = try await bench.granted(.of("welcome", try bench.shop.delivery(.newcomer, "100"))).offer
        let statement = try #require(issued.introductoryEligibility)
        #expect(statement.allowIntroductoryOffer)
        let claims = try claims(statement.jws, bench)
        #expect(claims["allowIntroductoryOffer"] as? Bool == true)
        #expect(claims["transactionId"] as? String == "app-100")
        #expect(issued.v1 == nil && issued.v2 == nil && issued.offerIdentifier == nil)
        #expect(issued.delivery == .introductoryEligibility)
    }

    @Test("completeness serves for 24 hours and not a millisecond longer, and can be stated again (invariant 3)")
    func coverageLife() async throws {
        let bench = try await Workbench()
        let customer = CustomerIdentifiers(appTransactionId: "app-100")
        try await bench.deliver(try bench.shop.delivery(.newcomer, "100"))
        bench.clock.advance(hours: 24, milliseconds: -1)
        #expect(try await bench.dryRun(customer, "welcome").outcome == .eligible)
        bench.clock.advance(milliseconds: 2)
        let refusal = try await bench.refused(IssueRequest(offerId: "welcome", customer: customer))
        #expect(refusal.decision.outcome == .undetermined)
        #expect(refusal.introductoryEligibility == nil)
        let restated = IssueRequest(
            offerId: "welcome", customer: customer, delivery: SignedDelivery(historyComplete: true))
        #expect(try await bench.granted(restated).isNew)
    }

    @Test("a product that is not the offer's is a wrong request: nothing is signed about it, and no refusal recorded")
    func otherProduct() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.trialUsed, "100"))
        for product: ProductId in ["yearly", "no such product", ""] {
            await #expect {
                try await bench.ask(IssueRequest(offerId: "welcome", productId: product, customer: named("100")))
            } throws: { error in
                guard case RequestError.invalidRequest("/productId", _, _) = error else { return false }
                return true
            }
        }
        #expect(try await bench.count("signature") == 0)
        #expect(try await bench.count("refusal") == 0)
    }
}

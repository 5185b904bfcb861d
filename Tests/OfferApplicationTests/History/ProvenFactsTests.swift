import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import Testing

@Suite("Only proven facts")
struct ProvenFactsTests {
    private func codes(_ error: any Error) -> [SignedDataRefusal.Code]? {
        guard case RequestError.signedDataRefused(let refused) = error else { return nil }
        return refused.map(\.refusal.code)
    }

    private func nothingStored(_ bench: Workbench) async throws -> Bool {
        var rows = 0
        for table in ["history_transaction", "history_renewal_info", "history_app_transaction", "customer"] {
            rows += try await bench.count(table)
        }
        return rows == 0
    }

    @Test("LocalTesting data under a Sandbox key is refused though its root is trusted there (invariant 6)")
    func otherEnvironment() async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let sandbox = Workbench.caller(.client, scope: Scope(bundleId: "com.example.pro", environment: .sandbox))
        await #expect {
            try await bench.deliver(delivery, caller: sandbox)
        } throws: { self.codes($0) == [.wrongEnvironment, .wrongEnvironment] }
        #expect(try await nothingStored(bench))
    }

    @Test("another app's data is refused, transaction and app transaction alike (invariant 6)")
    func otherApp() async throws {
        let bench = try await Workbench()
        for scene in [Scene.lapsed, .newcomer] {
            var delivery = try bench.shop.delivery(scene, "100", app: "com.example.other")
            delivery.signedRenewalInfo = []
            await #expect {
                try await bench.deliver(delivery)
            } throws: { self.codes($0) == [.wrongBundleId] }
        }
        #expect(try await nothingStored(bench))
    }

    @Test("a payload that claims Production counts neither here nor for a Production key (invariant 6)")
    func claimsProduction() async throws {
        let bench = try await Workbench()
        let original = try #require(try bench.shop.delivery(.lapsed, "100").signedTransactions.first)
        let claiming = try bench.shop.edited(original) { $0["environment"] = "Production" }
        let delivery = SignedDelivery(signedTransactions: [claiming])
        await #expect {
            try await bench.deliver(delivery)
        } throws: { self.codes($0) == [.wrongEnvironment] }
        let production = Workbench.caller(.client, scope: Scope(bundleId: "com.example.pro", environment: .production))
        await #expect {
            try await bench.deliver(delivery, caller: production)
        } throws: { self.codes($0) == [.untrustedRoot] }
        #expect(try await nothingStored(bench))
    }

    @Test("renewal info of a subscription that no verified transaction names makes nobody a customer (invariant 6)")
    func renewalInfoAlone() async throws {
        let bench = try await Workbench()
        let delivery = SignedDelivery(
            signedRenewalInfo: try bench.shop.delivery(.subscriber, "100").signedRenewalInfo, historyComplete: true)
        try await bench.deliver(delivery, aliases: CustomerIdentifiers(customerId: "somebody"))
        let refusal = try await bench.refused(
            IssueRequest(offerId: "comeback", customer: CustomerIdentifiers(customerId: "somebody")))
        #expect(refusal.decision.outcome == .ineligible)
        #expect(refusal.decision[.promotionalEverSubscribed]?.reason == .neverSubscribed)
    }

    @Test("a refused JWS refuses the request and is named; those verified before it are kept (invariant 6)")
    func keptBesideRefused() async throws {
        let bench = try await Workbench()
        var delivery = try bench.shop.delivery(.lapsed, "100", complete: false)
        let good = try #require(delivery.signedTransactions.first)
        delivery.signedTransactions = [good, String(good.dropLast(4)) + "AAAA"]
        await #expect {
            try await bench.ask(.of("comeback", delivery))
        } throws: { error in
            guard case RequestError.signedDataRefused(let refused) = error else { return false }
            return refused.map(\.pointer) == ["/signedTransactions/1"] && refused.map(\.refusal.code) == [.badSignature]
        }
        #expect(try await bench.count("decision") == 0)
        #expect(try await bench.count("history_transaction") == 1)
        #expect(try await bench.count("history_renewal_info") == 0)
        delivery.signedTransactions = []
        #expect(
            try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100"), delivery: delivery)).isNew
        )
    }

    @Test("a history of which a part was refused is not complete, whatever the backend says (invariants 3 and 6)")
    func completenessOfRefused() async throws {
        let bench = try await Workbench()
        var delivery = try bench.shop.delivery(.newcomer, "100")
        let trial = try #require(try bench.shop.delivery(.trialUsed, "100").signedTransactions.first)
        delivery.signedTransactions = [String(trial.dropLast(4)) + "AAAA"]
        let order = IssueRequest.of("welcome", delivery)
        await #expect(throws: RequestError.self) { try await bench.ask(order) }
        let customer = CustomerIdentifiers(appTransactionId: "app-100")
        #expect(
            try await bench.refused(IssueRequest(offerId: "welcome", customer: customer)).decision.outcome
                == .undetermined)
        let report = try await bench.deliver(delivery)
        #expect(report.results.map(\.outcome) == [.refused, .added])
        #expect(
            try await bench.refused(IssueRequest(offerId: "welcome", customer: customer)).decision.outcome
                == .undetermined)
        #expect(try await bench.count("signature") == 0)
    }

    @Test(
        "an empty history proves nothing: an unknown customer is undetermined and never gets a signature (invariant 3)")
    func emptyHistory() async throws {
        let bench = try await Workbench()
        let stranger = CustomerIdentifiers(
            originalTransactionId: "1", appAccountToken: AppAccountToken("aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b"))
        for offer: OfferId in ["comeback", "welcome", "back", "twice"] {
            let refusal = try await bench.refused(IssueRequest(offerId: offer, customer: stranger))
            #expect(refusal.decision.outcome == .undetermined, "\(offer)")
            #expect(refusal.introductoryEligibility == nil)
        }
        #expect(try await bench.count("signature") == 0)
        #expect(try await bench.count("customer") == 0)
    }

    @Test("a renewal that is due and not heard of leaves a win-back undetermined (invariant 3)")
    func overdue() async throws {
        let bench = try await Workbench()
        var delivery = try bench.shop.delivery(.overdue, "100")
        delivery.signedRenewalInfo = []
        let refusal = try await bench.refused(.of("back", delivery))
        #expect(refusal.decision.outcome == .undetermined)
        #expect(refusal.decision[.winBackLapsed]?.reason == .historyStale)
    }

    @Test("data signed more than a minute ahead of the clock is refused")
    func future() async throws {
        let bench = try await Workbench()
        let jws = try #require(try bench.shop.delivery(.lapsed, "100").signedTransactions.first)
        let ahead = try bench.shop.edited(jws) { $0["signedDate"] = Workbench.start.milliseconds + 60_001 }
        await #expect {
            try await bench.deliver(SignedDelivery(signedTransactions: [ahead]))
        } throws: { self.codes($0) == [.signedInFuture] }
        let slightly = try bench.shop.edited(jws) { $0["signedDate"] = Workbench.start.milliseconds + 60_000 }
        #expect(
            try await bench.deliver(SignedDelivery(signedTransactions: [slightly])).results.map(\.outcome) == [.added])
    }
}

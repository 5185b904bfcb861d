import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("One evaluator")
struct OneEvaluatorTests {
    /// What the rules answered as it was recorded, and the decision as it was answered or comes out of the record
    /// again.
    private func recorded(_ answer: IssueAnswer, _ bench: Workbench) async throws -> ([RuleAnswer], [FindingBody]) {
        switch answer {
        case .issued(let offer, _):
            let replay = try await bench.useCases.replay.replay(
                offer.id, catalogRevision: nil, caller: Workbench.caller(.support))
            return (try await bench.record(of: offer.decisionId).findings, replay.recomputed.findings)
        case .refused(let refusal):
            return (
                try await bench.record(of: refusal.decisionId).findings, refusal.decision.findings.map(FindingBody.init)
            )
        }
    }

    private static let offers: [OfferId] = ["comeback", "twice", "welcome", "back", "engaged", "sketch"]

    @Test(
        "for every customer and offer the dry-run's decision is the issue's, also beside an open issued offer (invariant 4)",
        arguments: Scene.allCases, [true, false])
    func equal(scene: Scene, complete: Bool) async throws {
        let bench = try await Workbench()
        let customer = CustomerIdentifiers(appTransactionId: "app-100")
        try await bench.deliver(try bench.shop.delivery(scene, "100", complete: complete))
        for offer in Self.offers {
            for signals in [[:], ["interactions": FactValue.number(60)]] {
                let order = IssueRequest(offerId: offer, customer: customer, signals: signals)
                let dry = try await bench.dryRun(customer, offer, signals: signals)
                let answer = try await bench.ask(order)
                if answer.issued?.isNew == false {
                    #expect(dry.outcome == .eligible)
                } else {
                    let (findings, answered) = try await recorded(answer, bench)
                    #expect(answered == dry.findings.map(FindingBody.init), "\(scene) \(offer)")
                    #expect(findings == dry.findings.map(RuleAnswer.init), "\(scene) \(offer)")
                }
                bench.clock.advance(hours: 1)
            }
        }
    }

    @Test("a client's dry-run has the same outcomes, and the findings in the way alone", arguments: Scene.allCases)
    func client(scene: Scene) async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(scene, "100"))
        func answer(_ caller: Caller) async throws -> InquiryAnswer {
            try await bench.useCases.decisions.decide(
                Inquiry(customer: CustomerIdentifiers(appTransactionId: "app-100")), caller: caller)
        }
        var full = try await answer(Workbench.support)
        #expect(full.decisions.contains { $0.decision.findings.contains { !$0.verdict.isInTheWay } })
        #expect((full.dataAsOf == nil) == (scene == .newcomer), "how old the data is, is for staff")
        full.dataAsOf = nil
        for place in full.decisions.indices {
            full.decisions[place].decision.findings.removeAll { !$0.verdict.isInTheWay }
        }
        #expect(try await answer(Workbench.client) == full)
    }

    @Test("a dry-run leaves no trace, whoever is asked about (invariant 4)")
    func noTrace() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let before = try await bench.ledger()
        bench.clock.advance(hours: 5)
        for customer in [named("100"), named("1"), CustomerIdentifiers(customerId: "new")] {
            for offer in Self.offers { _ = try await bench.dryRun(customer, offer) }
        }
        let after = try await bench.ledger()
        #expect(after.sequence == before.sequence)
        #expect(after.lastInstant == before.lastInstant)
        #expect(after.decisions == before.decisions)
        #expect(after.nonces.isEmpty)
    }

    @Test("a dry-run in an environment nobody used finds an empty catalog and adds nothing (invariant 4)")
    func untouchedScope() async throws {
        let bench = try await Workbench(catalog: nil)
        let answer = try await bench.useCases.decisions.decide(
            Inquiry(customer: named("1")), caller: Workbench.support)
        #expect(answer.decisions.isEmpty && answer.choice == nil)
        #expect(try await bench.count("scope") == 0)
    }

    @Test("without offer ids all that are not archived are decided in the catalog's order, and the best priority wins")
    func best() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let answer = try await bench.useCases.decisions.decide(
            Inquiry(customer: named("100")), caller: Workbench.support)
        #expect(
            answer.decisions.map(\.offer.id) == ["comeback", "twice", "welcome", "either", "back", "engaged", "sketch"])
        #expect(answer.choice?.offerId == "twice")
    }
}

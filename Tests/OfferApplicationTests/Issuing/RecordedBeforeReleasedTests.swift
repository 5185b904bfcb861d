import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import Testing

@Suite("Recorded before released")
struct RecordedBeforeReleasedTests {
    enum Failure: CaseIterable, Sendable {
        case beforeTheBody
        case afterTheBody
    }

    @Test("a commit that fails releases nothing and leaves nothing (invariant 1)", arguments: Failure.allCases)
    func failedCommit(failure: Failure) async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let before = try await bench.ledger()
        var database = InterposedDatabase(real: bench.database)
        switch failure {
        case .beforeTheBody: database.beforeWrite = { throw InterposedDatabase.Broken() }
        case .afterTheBody: database.insideWrite = { throw InterposedDatabase.Broken() }
        }
        let broken = bench.useCases(over: database)
        for offer: OfferId in ["comeback", "welcome"] {
            await #expect(throws: InterposedDatabase.Broken.self) {
                try await broken.issuing.issue(
                    IssueRequest(offerId: offer, customer: named("100")), caller: Workbench.client)
            }
        }
        let after = try await bench.ledger()
        #expect(after.nonces.isEmpty && after.issuedOffers.isEmpty && after.decisions == 0)
        #expect(after.sequence == before.sequence)
    }

    @Test("a refusal's signed block is not released either when its commit fails (invariant 1)")
    func failedRefusal() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.trialUsed, "100"))
        let broken = bench.useCases(
            over: InterposedDatabase(real: bench.database, insideWrite: { throw InterposedDatabase.Broken() }))
        await #expect(throws: InterposedDatabase.Broken.self) {
            try await broken.issuing.issue(
                IssueRequest(offerId: "welcome", customer: named("100")), caller: Workbench.client)
        }
        #expect(try await bench.count("signature") == 0)
    }

    @Test(
        "a commit whose confirmation is lost is found by asking again: the same signatures, one issued offer (invariant 1)"
    )
    func lostConfirmation() async throws {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        let order = IssueRequest(offerId: "comeback", customer: named("100"), formats: [.v1, .v2])
        let deaf = bench.useCases(
            over: InterposedDatabase(real: bench.database, afterWrite: { throw InterposedDatabase.Broken() }))
        await #expect(throws: InterposedDatabase.Broken.self) {
            try await deaf.issuing.issue(order, caller: Workbench.client)
        }
        let again = try await bench.granted(order)
        #expect(!again.isNew)
        let ledger = try await bench.ledger()
        #expect(ledger.issuedOffers == [again.offer.id.description])
        #expect(Set(ledger.artefacts) == Set(bench.releasedArtefacts))
    }

    @Test("released signatures are in the file when it is opened again, row for row (invariant 1)")
    func reopened() async throws {
        let bench = try await Workbench(onFile: true)
        let issued = try await bench.granted(
            IssueRequest(
                offerId: "comeback", customer: CustomerIdentifiers(customerId: "somebody"), formats: [.v1, .v2],
                delivery: try bench.shop.delivery(.lapsed, "100"))
        ).offer
        let blocked = try await bench.refused(.of("welcome", try bench.shop.delivery(.trialUsed, "200")))
        try bench.database.close()
        let database = try bench.reopened()
        let ledger = try await database.read(Ledger.read)
        #expect(Set(ledger.artefacts) == Set(bench.releasedArtefacts))
        #expect(ledger.artefacts.count == 3)
        let useCases = bench.useCases(over: database)
        #expect(try await useCases.customers.issuedOffer(issued.id, caller: Workbench.client) == issued)
        let recorded = try await database.read { transaction in
            let scope = try #require(try ScopeStore(transaction).number(of: Workbench.scope))
            return try #require(try RefusalStore(transaction).refusal(blocked.decisionId, in: scope))
        }
        #expect(recorded.outcome == .ineligible)
        #expect(try DecisionRecord(stored: #require(recorded.record)).findings.contains { $0.verdict == .violated })
        #expect(recorded.statement?.artefact == (try #require(blocked.introductoryEligibility).jws))
        #expect(recorded.statement?.allowIntroductoryOffer == false)
        try database.close()
    }
}

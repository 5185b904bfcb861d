import Foundation
import OfferAPI
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferApplication

@Suite("Replaying recorded decisions")
struct ReplayTests {
    private static let support = Workbench.caller(.support)

    @Test(
        "every issued offer's decision comes out as it was recorded, whatever happened since (invariant 5)",
        arguments: [3, 20_261_121, 77, 404, 9_001, 65_537] as [UInt64])
    func sameAsRecorded(seed: UInt64) async throws {
        let bench = try await Workbench()
        bench.tolerateOverrun()
        var generator = SeededGenerator(seed: seed)
        var world = World(bench: bench)
        var steps = [String]()
        for offer in ["comeback", "twice"] as [OfferId] {
            let answer = try await bench.ask(.of(offer, try World.delivery(.lapsed, bench)))
            if let id = answer.issued?.offer.id { world.issued.append(id) }
        }
        for _ in 0..<16 {
            steps.append(try await world.step(&generator))
            bench.clock.advance(hours: Int64.random(in: 0...40, using: &generator), milliseconds: 7)
        }
        let before = try await bench.ledger()
        #expect(world.issued.count >= 2)
        for id in Set(world.issued) {
            let replay = try await bench.useCases.replay.replay(id, catalogRevision: nil, caller: Self.support)
            #expect(replay.differences.isEmpty, "seed \(seed), \(steps): \(replay.differences)")
            #expect(replay.recorded == replay.recomputed)
            #expect(replay.recorded.outcome == "eligible")
        }
        let after = try await bench.ledger()
        #expect(after.sequence == before.sequence && after.lastInstant == before.lastInstant)
    }

    @Test("a merge since then brings no other customer's rows into it")
    func mergedSince() async throws {
        let bench = try await Workbench()
        let issued = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100")))
        let other = try bench.shop.delivery(.subscriber, "200")
        let joining = try bench.shop.edited(try #require(other.signedTransactions.first)) {
            $0["appTransactionId"] = "app-100"
            $0["signedDate"] = bench.clock.now.milliseconds
        }
        // Bought before the offer was issued, so that a decision on all rows would see it.
        try await bench.deliver(SignedDelivery(signedTransactions: [joining]))
        let now = try await bench.dryRun(named("100"), "comeback")
        #expect(now.findings.map(FindingBody.init) != (try await replay(issued.offer.id, bench)).recorded.findings)
        #expect(try await replay(issued.offer.id, bench).differences == [])
    }

    @Test("attributes, signals and the device count as they were then")
    func context() async throws {
        let catalog =
            TestCatalog.head
                + """
                  - id: engaged
                    type: promotional
                    offerIdentifier: engaged20
                    products: [monthly]
                    paymentMode: freeTrial
                    period: P1M
                    periodCount: 1
                    status: active
                    eligibility: { fact: signals.interactions, atLeast: 50 }
                    limits: []

                """
        let bench = try await Workbench(catalog: catalog)
        var order = IssueRequest.of("engaged", try bench.shop.delivery(.lapsed, "100"))
        order.signals = ["interactions": .number(60)]
        let issued = try await bench.granted(order)
        _ = try await bench.useCases.changes.replace(
            ["plan": .text("x")], of: named("100"), caller: Workbench.client)
        let replay = try await replay(issued.offer.id, bench)
        #expect(replay.differences == [])
        #expect(replay.recomputed.outcome == "eligible")
        #expect(replay.decisionId == issued.offer.decisionId)
        #expect(replay.offerId == "engaged")
        #expect(replay.decidedAt == Workbench.start)
    }

    @Test("another catalog revision shows each finding that it would change")
    func otherCatalog() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        let issued = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100")))
        let stricter = TestCatalog.comeback().replacingOccurrences(
            of: "    limits:", with: "    eligibility: { fact: subscription.state, is: subscribed }\n    limits:")
        try await bench.apply(TestCatalog.head + stricter, expected: 1)
        #expect(try await replay(issued.offer.id, bench).differences == [])
        let other = try await bench.useCases.replay.replay(issued.offer.id, catalogRevision: 2, caller: Self.support)
        #expect(other.recorded.catalogRevision == 1 && other.recomputed.catalogRevision == 2)
        #expect(other.recomputed.outcome == "ineligible")
        #expect(
            other.differences.map { "\($0.rule ?? "-") \($0.member) \($0.recorded ?? "-") \($0.recomputed ?? "-")" }
                .prefix(3) == [
                    "- outcome eligible ineligible", "rule.eligibility verdict notApplicable violated",
                    "rule.eligibility reason notApplicable conditionNotMet",
                ])
    }

    @Test("a record that says otherwise than what comes out is shown by rule and member")
    func tampered() async throws {
        let bench = try await Workbench()
        let issued = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100")))
        try await edit(issued.offer.decisionId, bench) { record in
            for place in record.findings.indices where record.findings[place].rule == .promotionalEverSubscribed {
                record.findings[place].verdict = .violated
            }
        }
        let differences = try await replay(issued.offer.id, bench).differences
        #expect(
            differences == [
                ReplayDifference(member: "outcome", recorded: "ineligible", recomputed: "eligible"),
                ReplayDifference(
                    rule: "platform.promotional.everSubscribed", member: "verdict", recorded: "violated",
                    recomputed: "satisfied"),
            ])
    }

    @Test("a record that says it depended on something else is shown by what comes out of that")
    func tamperedInput() async throws {
        let bench = try await Workbench()
        let issued = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100")))
        try await edit(issued.offer.decisionId, bench) { $0.pause = .everyOffer }
        let differences = try await replay(issued.offer.id, bench).differences
        #expect(
            differences.first == ReplayDifference(member: "outcome", recorded: "eligible", recomputed: "ineligible"))
        #expect(differences.dropFirst().allSatisfy { $0.rule == "catalog.paused" })
    }

    /// Changes the record of the first signing as somebody with the file does.
    private func edit(
        _ decision: LowercaseUUID, _ bench: Workbench, _ change: (inout DecisionRecord) -> Void
    ) async throws {
        var record = try await bench.record(of: decision)
        change(&record)
        let packed = try record.packed()
        _ = try await bench.write { transaction, _ in
            try transaction.execute(
                Statement("UPDATE issued_offer SET record = ?2 WHERE decision_id = ?1", decision, packed))
        }
    }

    @Test("an offer nobody was issued, a revision that never was and an offer that a revision lacks are told apart")
    func unknown() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.others)
        try await bench.apply(TestCatalog.yaml, expected: 1)
        let issued = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100")))
        func code(_ id: LowercaseUUID, _ revision: Int?, _ caller: Caller = Self.support) async -> String {
            do {
                _ = try await bench.useCases.replay.replay(id, catalogRevision: revision, caller: caller)
                return "replayed"
            } catch RequestError.unknownIssuedOffer {
                return "unknownIssuedOffer"
            } catch RequestError.unknownRevision(let number) {
                return "unknownRevision \(number)"
            } catch RequestError.unknownOffer(let offer) {
                return "unknownOffer \(offer)"
            } catch { return "\(error)" }
        }
        #expect(await code(issued.offer.id, nil) == "replayed")
        #expect(await code(issued.offer.id, 1) == "unknownOffer comeback")
        for revision in [0, -1, 3, .max] {
            #expect(await code(issued.offer.id, revision) == "unknownRevision \(revision)")
        }
        #expect(await code(issued.offer.decisionId, nil) == "unknownIssuedOffer")
        let elsewhere = Workbench.caller(
            .support, scope: Scope(bundleId: "com.example.pro", environment: .sandbox))
        #expect(await code(issued.offer.id, nil, elsewhere) == "unknownIssuedOffer")
    }

    private func replay(_ id: LowercaseUUID, _ bench: Workbench) async throws -> DecisionReplay {
        try await bench.useCases.replay.replay(id, catalogRevision: nil, caller: Self.support)
    }
}

import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("An audience is every customer's dry-run, counted")
struct SimulationTests {
    private static let offers: [OfferId] = ["comeback", "twice", "welcome", "back", "engaged", "sketch"]

    /// Customers in random scenes, with offers granted, issued, voided and redeemed.
    private func populate(_ bench: Workbench, _ count: Int, _ generator: inout SeededGenerator) async throws {
        for place in 0..<count {
            let id = "\(1_000 + place)"
            let scene = Scene.allCases.randomElement(using: &generator) ?? .lapsed
            let delivery = try bench.shop.delivery(scene, id, complete: Bool.random(using: &generator))
            try await bench.deliver(delivery)
            let customer = CustomerIdentifiers(appTransactionId: AppTransactionId("app-\(id)"))
            if Bool.random(using: &generator) {
                try await bench.setAttributes(["seats": .number(Double(place % 5))], of: id)
            }
            if Int.random(in: 0..<3, using: &generator) == 0 {
                _ = try await bench.useCases.grants.grant(
                    Self.offers.randomElement(using: &generator) ?? "twice", to: customer, reason: "a test",
                    expiresAt: nil, caller: Workbench.support)
            }
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let offer = Self.offers.randomElement(using: &generator) ?? "twice"
                let answer = try await bench.ask(IssueRequest(offerId: offer, customer: customer))
                if let issued = answer.issued, Int.random(in: 0..<4, using: &generator) == 0 {
                    _ = try await bench.useCases.voiding.void(
                        issued.offer.id, reason: "test", release: Bool.random(using: &generator),
                        caller: Workbench.support)
                }
            }
            if Int.random(in: 0..<3, using: &generator) == 0, let jws = delivery.signedTransactions.first {
                try await bench.deliver(
                    SignedDelivery(signedTransactions: [
                        try bench.shop.redemption(of: "twice10", "\(90_000 + place)", like: jws, at: bench.clock.now)
                    ]))
            }
            bench.clock.advance(hours: Int64.random(in: 0...6, using: &generator))
        }
    }

    /// The dry-run of each customer, as support makes it.
    private func dryRuns(
        _ bench: Workbench, _ count: Int, _ offer: OfferId, asOf: Instant? = nil, catalog: String? = nil
    ) async throws -> [OfferDecision] {
        var decisions: [OfferDecision] = []
        for place in 0..<count {
            var inquiry = Inquiry(
                customer: CustomerIdentifiers(appTransactionId: AppTransactionId("app-\(1_000 + place)")),
                offerIds: [offer], asOf: asOf)
            inquiry.catalog = catalog
            let answer = try await bench.useCases.decisions.decide(inquiry, caller: Workbench.support)
            decisions.append(try #require(answer.decisions.first))
        }
        return decisions
    }

    private func expect(
        _ result: SimulationResult, _ decisions: [OfferDecision], at now: Instant, _ note: Comment
    ) {
        let outcomes = decisions.map(\.decision.outcome)
        #expect(result.customers.told == decisions.count, note)
        #expect(result.eligible.told == outcomes.count { $0 == .eligible }, note)
        #expect(result.ineligible.told == outcomes.count { $0 == .ineligible }, note)
        #expect(result.undetermined.told == outcomes.count { $0 == .undetermined }, note)
        var rules: [String: Int] = [:]
        for decision in decisions.map(\.decision) where decision.outcome != .eligible {
            for rule in BlockingRules(decision.findings.map(RuleAnswer.init)).deciding {
                rules["\(rule.rule.rawValue) \(rule.verdict.rawValue) \(rule.fact ?? "")", default: 0] += 1
            }
        }
        #expect(
            Dictionary(result.byRule.map { ("\($0.rule) \($0.verdict) \($0.fact ?? "")", $0.count.told) }) { $0 + $1 }
                == rules, note)
        let left = result.waterfall.map(\.customers.told)
        #expect(left.first == decisions.count && left.last == result.eligible.told, note)
        #expect(zip(left, left.dropFirst()).allSatisfy { $0 > $1 }, note)
        let days = decisions.compactMap { decision -> Int64? in
            guard decision.decision.outcome != .eligible, let opens = decision.outlook.changesAt else { return nil }
            return opens.dayNumber - now.dayNumber
        }
        #expect(
            result.next30Days.map(\.eligible.told) == (0..<30).map { day in days.count { $0 == day } }, note)
    }

    @Test(
        "after random purchases, grants, issues, voids and redemptions the counts are those of single dry-runs, also by another catalog and at another instant (invariant 4)",
        arguments: 1...4 as ClosedRange<UInt64>)
    func counts(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try await Workbench()
        let count = 14
        try await populate(bench, count, &generator)
        let other = TestCatalog.head + TestCatalog.comeback(to: "expired") + TestCatalog.others
        let earlier = bench.clock.now.adding(milliseconds: -20 * Instant.Duration.hour)
        for offer in Self.offers {
            for (asOf, catalog) in [(nil, nil), (earlier, nil), (nil, other)] as [(Instant?, String?)] {
                let result = try await bench.simulated(.of(offer) { ($0.asOf, $0.catalog) = (asOf, catalog) })
                let decisions = try await dryRuns(bench, count, offer, asOf: asOf, catalog: catalog)
                expect(result, decisions, at: asOf ?? bench.clock.now, "seed \(seed), \(offer), \(asOf == nil)")
            }
        }
    }

    @Test("samples are the first eligible customers, whose dry-run says yes")
    func samples() async throws {
        let bench = try await Workbench()
        try await bench.admit(Array(repeating: .lapsed, count: 12))
        let result = try await bench.simulated(.of("comeback"))
        #expect(result.customers.told == 12 && result.eligible.told == 12)
        #expect(result.samples.count == 10)
        #expect(result.samples.map(\.customerId) == (100..<110).map { CustomerId("user-\($0)") })
        for sample in result.samples {
            let named = CustomerIdentifiers(originalTransactionId: sample.originalTransactionId)
            #expect(try await bench.dryRun(named, "comeback").outcome == .eligible)
        }
    }

    @Test("each part of a condition is a step of the waterfall, in the words of `where`")
    func waterfall() async throws {
        let bench = try await Workbench(catalog: nil)
        let condition = """
                eligibility:
                  all:
                    - { fact: subscription.state, is: expired }
                    - { fact: customer.attributes.seats, atLeast: 3 }

            """
        try await bench.apply(
            TestCatalog.head + TestCatalog.comeback().replacing("    limits:", with: condition + "    limits:"),
            expected: 0)
        try await bench.admit([.lapsed, .lapsed, .lapsed, .subscriber, .newcomer])
        for (id, seats) in [("100", 5), ("101", 1)] {
            try await bench.setAttributes(["seats": .number(Double(seats))], of: id)
        }
        let result = try await bench.simulated(.of("comeback"))
        #expect(result.waterfall.first?.step == "customers" && result.waterfall.first?.customers.told == 5)
        #expect(
            result.waterfall.suffix(2).map { "\($0.customers.told) \($0.rule ?? "") \($0.step)" } == [
                "3 rule.eligibility subscription.state is expired",
                "1 rule.eligibility customer.attributes.seats atLeast 3",
            ], "\(result.waterfall)")
        #expect(result.eligible.told == 1)
    }

    @Test("`where` counts only who matches, and apart from them who may match")
    func condition() async throws {
        let bench = try await Workbench()
        try await bench.admit([.lapsed, .lapsed, .subscriber, .newcomer])
        try await bench.setAttributes(["plan": .text("gold")], of: "100")
        try await bench.setAttributes(["plan": .text("silver")], of: "101")
        let gold = try await bench.simulated(.of("comeback") { $0.where = "customer.attributes.plan is gold" })
        #expect(gold.customers.told == 1 && gold.eligible.told == 1 && gold.undeterminedWhere?.told == 2)
        let lapsed = try await bench.simulated(
            .of("comeback") { $0.where = "subscription.state is expired or subscription.state is subscribed" })
        #expect(lapsed.customers.told == 3)
    }

    @Test("a comparison tells who gains the offer and who loses it")
    func comparison() async throws {
        let bench = try await Workbench()
        try await bench.admit([.lapsed, .lapsed, .subscriber, .subscriber, .subscriber])
        let narrower = TestCatalog.head + TestCatalog.comeback(to: "expired") + TestCatalog.others
        let request = SimulationRequest.of("comeback") { ($0.catalog, $0.compareWith) = (narrower, .inForce) }
        let result = try await bench.simulated(request)
        #expect(result.eligible.told == 2)
        #expect(result.gains?.customers.told == 0 && result.losses?.customers.told == 3)
        #expect(result.losses?.samples.compactMap(\.customerId) == ["user-102", "user-103", "user-104"])
        #expect(result.catalogRevision == nil && result.comparedRevision == 1 && result.where == nil)
        try await bench.apply(narrower, expected: 1)
        let back = try await bench.simulated(.of("comeback") { $0.compareWith = .revision(1) })
        #expect(back.losses?.customers.told == 3)
        #expect(back.catalogRevision == 2 && back.comparedRevision == 1)
        let new = try await bench.simulated(
            .of("fresh") {
                $0.catalog = TestCatalog.head + TestCatalog.comeback("fresh")
                $0.compareWith = .inForce
            })
        #expect(new.gains?.customers == new.eligible && new.losses?.customers.told == 0)
        #expect(new.catalogRevision == nil && new.comparedRevision == nil, "that revision has no such offer")
    }

    @Test(
        "the cost is that of every eligible customer, or what the limits leave",
        arguments: [
            ("{ count: 1, per: customer }", "29.97", false), ("{ count: 2 }", "19.98", true),
            ("{ spend: \"25.00\", currency: USD }", "25.00", true),
            ("{ count: 100 }, { spend: \"20.00\", currency: USD }", "20.00", true),
        ])
    func cost(_ limits: String, _ amount: String, _ isCapped: Bool) async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.shared(limits))
        try await bench.admit([.lapsed, .lapsed, .lapsed, .newcomer])
        let result = try await bench.simulated(.of("drop"))
        let cost = try #require(result.costCeiling?.first)
        #expect(result.eligible.told == 3 && result.costCeiling?.count == 1)
        #expect(cost.amount == amount && cost.currency == "USD" && cost.isCapped == isCapped)
    }

    @Test("held out are those kept back by the rollout alone")
    func heldBack() async throws {
        let rollout = TestCatalog.comeback().replacing(
            "    limits:", with: "    rollout: { percent: 100, holdout: 50 }\n    limits:")
        let bench = try await Workbench(catalog: TestCatalog.head + rollout)
        try await bench.admit(Array(repeating: .lapsed, count: 20) + [.newcomer])
        let result = try await bench.simulated(.of("comeback"))
        let heldOut = result.byRule.first { $0.rule == "rollout.holdout" }?.count.told ?? 0
        #expect(heldOut > 0 && result.heldBack.told == heldOut)
        #expect(
            result.eligible.told + heldOut == 20 && result.ineligible.told + result.undetermined.told == heldOut + 1)
    }
}

import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Limits that everyone shares")
struct LimitsForEveryoneTests {
    /// A workbench with one offer and so many lapsed customers.
    static func bench(
        _ limits: String, customers: Int, onFile: Bool = false
    ) async throws -> (bench: Workbench, orders: [IssueRequest]) {
        let bench = try await Workbench(onFile: onFile, catalog: TestCatalog.head + TestCatalog.shared(limits))
        var orders: [IssueRequest] = []
        for number in 0..<customers {
            try await bench.deliver(try bench.shop.delivery(.lapsed, "\(1_000 + number)"))
            orders.append(IssueRequest(offerId: "drop", customer: named("\(1_000 + number)")))
        }
        return (bench, orders)
    }

    static func counters(_ bench: Workbench) async throws -> [String: Int64] {
        try await bench.database.read { try Recount.stored($0).amounts }
    }

    @Test(
        "60 customers at once on two databases of one file get the five places there are, the others a reasoned no (invariant 2)",
        arguments: [
            ("{ count: 5 }", RuleId.limitTotal), ("{ spend: \"50.00\", currency: USD }", .limitBudget),
        ])
    func atOnce(limits: String, rule: RuleId) async throws {
        let (bench, orders) = try await Self.bench(limits, customers: 60, onFile: true)
        let second = try bench.reopened()
        let other = bench.useCases(over: second)
        let answers = try await ConcurrentIssuingTests.ask(
            bench, orders.enumerated().map { ($0.offset.isMultiple(of: 2) ? bench.useCases : other, $0.element) })
        #expect(answers.compactMap(\.issued).count == 5)
        #expect(answers.compactMap(\.refusal).count == 55)
        for refusal in answers.compactMap(\.refusal) {
            #expect(refusal.decision.obstacles == [rule])
            #expect(refusal.decision[rule]?.reason == .limitReached)
        }
        #expect(try await Self.counters(bench) == ["drop places": 5, "drop USD": 49_950])
        try await bench.checkLedger()
        try second.close()
        try bench.database.close()
    }

    @Test("whoever loses the last place between decision and commit gets the rule's own no, at once (invariant 2)")
    func lostRace() async throws {
        let (bench, orders) = try await Self.bench("{ count: 1 }", customers: 2)
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: { if writes.next() == 1 { _ = try await bench.granted(orders[1]) } }))
        let answer = try await moved.issuing.issue(orders[0], caller: Workbench.client)
        let refusal = try #require(answer.refusal)
        #expect(refusal.decision.obstacles == [.limitTotal])
        let frees = bench.clock.now.adding(milliseconds: 25 * Instant.Duration.hour)
        #expect(refusal.decision[.limitTotal]?.turningPoint == .at(frees))
        #expect(refusal.outlook.changesAt == frees)
        #expect(writes.next() == 3, "one commit that was given up and one that records the no")
        #expect(try await bench.count("signature") == 1)
    }

    @Test("a place frees at `countsUntil` to the millisecond, and nothing sweeps it")
    func expiry() async throws {
        let (bench, orders) = try await Self.bench("{ count: 2 }", customers: 3)
        let first = try await bench.granted(orders[0]).offer
        bench.clock.advance(hours: 1)
        _ = try await bench.granted(orders[1])
        let frees = first.expiresAt.adding(milliseconds: Instant.Duration.hour)
        let refusal = try await bench.refused(orders[2])
        #expect(
            refusal.decision[.limitTotal]?.message
                == "2 of 2 uses across all customers; available again at \(frees)")
        bench.clock.advance(milliseconds: frees.milliseconds(since: bench.clock.now) - 1)
        #expect(try await bench.refused(orders[2]).decision.obstacles == [.limitTotal])
        bench.clock.advance(milliseconds: 1)
        #expect(try await bench.dryRun(orders[2].customer, "drop").outcome == .eligible)
        #expect(try await bench.granted(orders[2]).isNew)
        #expect(try await bench.refused(orders[0]).decision.obstacles == [.limitTotal])
    }

    @Test("a further signature holds the place for longer")
    func prolonged() async throws {
        let (bench, orders) = try await Self.bench("{ count: 1 }", customers: 2)
        _ = try await bench.granted(orders[0])
        bench.clock.advance(hours: 10)
        var fresh = orders[0]
        fresh.fresh = true
        #expect(try await bench.granted(fresh).isNew)
        bench.clock.advance(hours: 16)
        let refusal = try await bench.refused(orders[1])
        #expect(
            refusal.decision[.limitTotal]?.turningPoint
                == .at(bench.clock.now.adding(milliseconds: 9 * Instant.Duration.hour)))
        #expect(try await Self.counters(bench) == ["drop places": 1, "drop USD": 9_990])
    }

    @Test("asking again under an open issued offer is no new use, with stored signatures and with fresh ones")
    func again() async throws {
        let (bench, orders) = try await Self.bench("{ count: 1 }, { spend: \"9.99\", currency: USD }", customers: 1)
        let first = try await bench.granted(orders[0])
        let stored = try await bench.granted(orders[0])
        #expect(!stored.isNew && stored.offer.id == first.offer.id)
        var fresh = orders[0]
        fresh.fresh = true
        let signed = try await bench.granted(fresh)
        #expect(signed.isNew && signed.offer.id == first.offer.id)
    }

    @Test(
        "void frees the place at once where it is released, and at `countsUntil` where it is not",
        arguments: [true, false])
    func void(release: Bool) async throws {
        let (bench, orders) = try await Self.bench("{ count: 1 }, { spend: \"9.99\", currency: USD }", customers: 2)
        let first = try await bench.granted(orders[0]).offer
        _ = try await bench.useCases.voiding.void(
            first.id, reason: "mistake", release: release, caller: Workbench.client)
        try await bench.checkLedger()
        if !release {
            #expect(try await bench.refused(orders[1]).decision.obstacles == [.limitTotal, .limitBudget])
            bench.clock.advance(hours: 25)
        }
        #expect(try await bench.granted(orders[1]).isNew)
    }

    @Test("a place that was redeemed never frees, and one redeemed twice takes two")
    func redeemed() async throws {
        let (bench, orders) = try await Self.bench("{ count: 2 }", customers: 3)
        _ = try await bench.granted(orders[0])
        bench.clock.advance(hours: 1)
        try await redeem(bench, "1000", "1000901", at: bench.clock.now)
        bench.clock.advance(hours: 24 * 3)
        #expect(try await Self.counters(bench) == ["drop places": 1, "drop USD": 9_990])
        try await redeem(bench, "1000", "1000902", at: bench.clock.now.adding(milliseconds: -2 * Instant.Duration.day))
        #expect(try await Self.counters(bench) == ["drop places": 2, "drop USD": 19_980])
        let refusal = try await bench.refused(orders[2])
        #expect(refusal.decision[.limitTotal]?.turningPoint == nil)
        #expect(refusal.outlook.isFinal)
    }

    @Test("a use that becomes known after its issued offer was settled takes its place again, and the overrun is told")
    func lateRedemption() async throws {
        let (bench, orders) = try await Self.bench("{ count: 1 }, { spend: \"9.99\", currency: USD }", customers: 3)
        _ = try await bench.granted(orders[0])
        bench.clock.advance(hours: 1)
        let purchase = bench.clock.now
        bench.clock.advance(hours: 30)
        _ = try await bench.granted(orders[1])
        let settled = try await bench.database.read {
            try $0.row(Statement("SELECT COUNT(*) FROM issued_offer WHERE places = 0"))?.value(0, as: Int.self)
        }
        #expect(settled == 1, "the commit has settled what had passed")
        try await redeem(bench, "1000", "1000901", at: purchase)
        let refusal = try await bench.refused(orders[2])
        let finding = try #require(refusal.decision[.limitTotal])
        #expect(finding.message.hasPrefix("2 of 1 uses across all customers, 1 more than allowed; "))
        #expect(finding.evidence.contains { $0.field == "overrun" && $0.observed == .value(.number(1)) })
        #expect(refusal.decision[.limitBudget]?.message.contains("9.99 USD more than allowed") == true)
        #expect(finding.turningPoint == nil, "the second issued offer ends, and the redemption still takes the place")
    }

    @Test("a use without us counts, from before the service and by customers whom we never issued anything")
    func unmatched() async throws {
        let (bench, orders) = try await Self.bench("{ count: 1 }, { spend: \"5.00\", currency: USD }", customers: 1)
        #expect(try await bench.refused(orders[0]).decision.obstacles == [.limitBudget], "it costs more than there is")
        var delivery = try bench.shop.delivery(.lapsed, "5000")
        delivery.signedTransactions.append(
            try bench.shop.redemption(
                of: "drop50", "5000900", like: try #require(delivery.signedTransactions.first),
                at: Workbench.start.adding(months: -2)))
        try await bench.deliver(delivery)
        let refusal = try await bench.refused(orders[0])
        #expect(refusal.decision.obstacles == [.limitTotal, .limitBudget])
        #expect(
            refusal.decision[.limitBudget]?.message.hasPrefix(
                "9.99 of 5.00 USD spent across all customers, 4.99 USD more")
                == true)
        #expect(try await Self.counters(bench).isEmpty)
        let list = try await bench.useCases.switches.offers(from: nil, limit: 1, caller: Workbench.support)
        let used = try #require(list?.items.first?.used)
        #expect(used.uses == 1 && used.issued == 0 && used.redeemed == 1 && used.notIssuedHere == 1)
    }

    @Test("a lowered allowance shows as an overrun, and the open issued offer is judged by it too")
    func lowered() async throws {
        let (bench, orders) = try await Self.bench("{ count: 3 }", customers: 4)
        for order in orders.prefix(3) { _ = try await bench.granted(order) }
        try await bench.apply(TestCatalog.head + TestCatalog.shared("{ count: 1 }"), expected: 1)
        let finding = try #require(try await bench.refused(orders[3]).decision[.limitTotal])
        #expect(
            finding.message.hasPrefix(
                "3 of 1 uses across all customers, 2 more than allowed; available again at "))
        #expect(try await bench.refused(orders[0]).decision[.limitTotal]?.message.hasPrefix("2 of 1 ") == true)
    }

    @Test("under a lowered allowance a place frees when another's issued offer ends, not when one's own does")
    func freesByOther() async throws {
        let (bench, orders) = try await Self.bench("{ count: 2 }", customers: 2)
        _ = try await bench.granted(orders[0])
        bench.clock.advance(hours: 1)
        let other = try await bench.granted(orders[1]).offer
        try await bench.apply(TestCatalog.head + TestCatalog.shared("{ count: 1 }"), expected: 1)
        bench.tolerateOverrun()
        let finding = try await bench.refused(orders[0]).decision[.limitTotal]
        #expect(finding?.turningPoint == .at(other.expiresAt.adding(milliseconds: Instant.Duration.hour)))
    }

    @Test("a cheaper further signing is judged by the dearer one that it stands beside")
    func dearerFrozen() async throws {
        func catalog(_ budget: String) -> String {
            TestCatalog.head
                + TestCatalog.shared("{ spend: \"\(budget)\", currency: USD }").replacing(
                    "products: [monthly]", with: "products: [monthly, yearly]")
        }
        let bench = try await Workbench(catalog: catalog("30.00"))
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        func order(_ product: ProductId) -> IssueRequest {
            IssueRequest(offerId: "drop", productId: product, customer: named("100"))
        }
        _ = try await bench.granted(order("monthly"))
        try await bench.apply(catalog("7.00"), expected: 1)
        bench.tolerateOverrun()
        #expect(try await bench.refused(order("yearly")).decision.obstacles == [.limitBudget])
    }

    @Test("a customer whose signings are used up hears when the issued offer, and with it the place, has passed")
    func ownIssuedOfferFrees() async throws {
        let (bench, orders) = try await Self.bench("{ count: 1 }", customers: 1)
        var order = orders[0]
        order.fresh = true
        let issuedOffer = try await bench.granted(order).offer
        for _ in 2...3 { _ = try await bench.granted(order) }
        let refusal = try await bench.refused(order)
        #expect(refusal.decision.obstacles == [.limitSignatures])
        #expect(refusal.outlook.changesAt == issuedOffer.expiresAt.adding(milliseconds: Instant.Duration.hour))
    }

    @Test("the cost is frozen when it is issued, whatever the catalog says later")
    func frozenCost() async throws {
        let (bench, orders) = try await Self.bench("{ spend: \"30.00\", currency: USD }", customers: 3)
        _ = try await bench.granted(orders[0])
        let dearer = TestCatalog.head.replacing("9.99", with: "19.99")
        try await bench.apply(dearer + TestCatalog.shared("{ spend: \"30.00\", currency: USD }"), expected: 1)
        _ = try await bench.granted(orders[1])
        #expect(try await Self.counters(bench) == ["drop places": 2, "drop USD": 29_980])
        #expect(
            try await bench.refused(orders[2]).decision[.limitBudget]?.message.hasPrefix(
                "29.98 of 30.00 USD spent across all customers, and the offer costs 19.99 USD") == true)
    }

    @Test(
        "a decision on a limit for everyone is replayed without a difference, whatever others took since (invariant 5)")
    func replayed() async throws {
        let (bench, orders) = try await Self.bench("{ count: 3 }, { spend: \"100.00\", currency: USD }", customers: 3)
        _ = try await bench.granted(orders[0])
        let second = try await bench.granted(orders[1]).offer
        _ = try await bench.granted(orders[2])
        let replay = try await bench.useCases.replay.replay(second.id, catalogRevision: nil, caller: Workbench.client)
        #expect(replay.differences.isEmpty)
        #expect(replay.recomputed[.limitTotal]?.message == "1 of 3 uses across all customers")
    }

    @Test("a dry-run says what issuing would, before and after the places are gone (invariant 4)")
    func oneEvaluator() async throws {
        let (bench, orders) = try await Self.bench("{ count: 2 }, { spend: \"19.98\", currency: USD }", customers: 3)
        for order in orders {
            let dry = try await bench.dryRun(order.customer, "drop")
            let before = try await Self.counters(bench)
            let answer = try await bench.ask(order)
            #expect(dry.outcome == (answer.issued == nil ? .ineligible : .eligible))
            if let refusal = answer.refusal {
                #expect(refusal.decision == dry)
                #expect(try await Self.counters(bench) == before)
            }
        }
    }

    @Test("a dry-run at another instant sees the counters of the present, and says so")
    func otherInstants() async throws {
        let (bench, orders) = try await Self.bench("{ count: 1 }", customers: 2)
        bench.clock.advance(hours: 48)
        _ = try await bench.granted(orders[0])
        func decide(_ instant: Instant) async throws -> Finding {
            let inquiry = Inquiry(
                customer: orders[1].customer, offerIds: ["drop"], asOf: instant)
            let answer = try await bench.useCases.decisions.decide(inquiry, caller: Workbench.marketing)
            return try #require(answer.decisions.first?.decision[.limitTotal])
        }
        let now = bench.clock.now
        let past = try await decide(now.adding(milliseconds: -Instant.Duration.day))
        #expect(past.verdict == .violated)
        #expect(past.evidence.contains { $0.field == "counted" && $0.observed == .value(.instant(now)) })
        let later = now.adding(milliseconds: 25 * Instant.Duration.hour)
        #expect(try await decide(later.adding(milliseconds: -1)).verdict == .violated)
        #expect(try await decide(later).verdict == .satisfied)
    }

    @Test("a dry-run at an instant to come leaves out once what the asker's own issued offer will have freed")
    func ownIssuedOfferPassed() async throws {
        let (bench, orders) = try await Self.bench("{ count: 3 }, { spend: \"30.00\", currency: USD }", customers: 3)
        _ = try await bench.granted(orders[0])
        let own = try await bench.granted(orders[1])
        try await redeem(bench, "1000", "2000", at: bench.clock.now)
        let inquiry = Inquiry(
            customer: orders[1].customer, offerIds: ["drop"],
            asOf: own.offer.expiresAt.adding(milliseconds: Instant.Duration.day))
        let answer = try await bench.useCases.decisions.decide(inquiry, caller: Workbench.marketing)
        let decision = try #require(answer.decisions.first?.decision)
        #expect(decision[.limitTotal]?.message == "1 of 3 uses across all customers")
        #expect(decision[.limitBudget]?.message.hasPrefix("9.99 of 30.00 USD spent across all customers") == true)
    }

    /// The customer buys with the offer; Apple's data arrives now.
    private func redeem(_ bench: Workbench, _ customer: String, _ id: String, at purchase: Instant) async throws {
        let jws = try #require(try bench.shop.delivery(.lapsed, customer).signedTransactions.first)
        try await bench.deliver(
            SignedDelivery(signedTransactions: [
                try bench.shop.redemption(of: "drop50", id, like: jws, at: purchase)
            ]))
    }
}

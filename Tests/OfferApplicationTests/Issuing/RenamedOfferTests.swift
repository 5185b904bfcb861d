import OfferAPI
import OfferApplication
import OfferDocuments
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Offers renamed with `formerly`")
struct RenamedOfferTests {
    /// The shared catalog's first offer under another id.
    private static let renamed = TestCatalog.head + rename(TestCatalog.comeback(), "comeback", "return")

    private static func rename(_ yaml: String, _ former: String, _ id: String) -> String {
        yaml.replacing("id: \(former)\n", with: "id: \(id)\n    formerly: \(former)\n")
    }

    @Test("a still valid offer issued under the former id is handed out again, and takes further signatures")
    func reuse() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        let first = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100"))).offer
        try await bench.apply(Self.renamed, expected: 1)
        var request = IssueRequest(offerId: "return", customer: named("100"))
        let again = try await bench.granted(request)
        #expect(!again.isNew && again.offer == first)
        #expect(again.offer.offerId == "comeback", "the record of what was issued does not change")
        request.fresh = true
        let fresh = try await bench.granted(request).offer
        #expect(fresh.id == first.id && fresh.v2 != first.v2)
        #expect(try await bench.count("issued_offer") == 1)
        let dryRun = try #require(try await bench.dryRun(named("100"), "return")[.limitSignatures])
        #expect(dryRun.message == "no further signing of an open issued offer is asked for")
    }

    @Test("a request by the former id is refused with the new one")
    func requestedByFormerId() async throws {
        let bench = try await Workbench(catalog: Self.renamed)
        let delivery = try bench.shop.delivery(.lapsed, "100")
        await #expect {
            try await bench.ask(.of("comeback", delivery))
        } throws: { error in
            guard case RequestError.renamedOffer("comeback", to: "return") = error else { return false }
            return true
        }
    }

    @Test("once per customer holds across a rename, and without `formerly` it does not", arguments: [true, false])
    func oncePerCustomer(isCarriedOver: Bool) async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        bench.tolerateOverrun()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let first = try await bench.granted(.of("comeback", delivery)).offer
        let catalog = isCarriedOver ? Self.renamed : Self.renamed.replacing("    formerly: comeback\n", with: "")
        bench.clock.advance(hours: 1)
        let use = try bench.shop.redemption(
            of: "comeback50", "100900", like: try #require(delivery.signedTransactions.first), at: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        bench.clock.advance(hours: 24 * 40)
        try await bench.apply(catalog, expected: 1)
        let request = IssueRequest.of("return", try bench.shop.delivery(.lapsed, "100"))
        guard isCarriedOver else {
            #expect(try await bench.granted(request).offer.id != first.id)
            return
        }
        let refusal = try await bench.refused(request)
        #expect(refusal.decision.obstacles == [.limitCustomer])
        #expect(refusal.decision[.limitCustomer]?.message == "already used (limit: once per customer)")
        let replay = try await bench.useCases.replay.replay(
            first.id, catalogRevision: 2, caller: Workbench.caller(.support))
        #expect(replay.recomputed.outcome == "eligible" && replay.offerId == "comeback")
        #expect(replay.differences.allSatisfy { $0.member == "message" }, "\(replay.differences)")
    }

    @Test(
        "a total and a budget count the uses under every id, and free when those under the former one pass",
        arguments: [
            ("{ count: 2 }", "{ count: 3 }", RuleId.limitTotal),
            ("{ spend: \"20.00\", currency: USD }", "{ spend: \"30.00\", currency: USD }", .limitBudget),
        ])
    func totals(_ limit: String, _ raised: String, _ rule: RuleId) async throws {
        let (bench, requests) = try await LimitsForEveryoneTests.bench(limit, customers: 4)
        let first = try await bench.granted(requests[0]).offer
        bench.clock.advance(hours: 1)
        _ = try await bench.granted(requests[1])
        let catalog = TestCatalog.head + Self.rename(TestCatalog.shared(limit), "drop", "autumn")
        try await bench.apply(catalog, expected: 1)
        func request(_ number: Int) -> IssueRequest {
            IssueRequest(offerId: "autumn", customer: requests[number].customer)
        }
        let frees = first.expiresAt.adding(milliseconds: Instant.Duration.hour)
        let refusal = try await bench.refused(request(2))
        #expect(refusal.decision.obstacles == [rule])
        #expect(refusal.outlook.changesAt == frees)
        #expect(try await bench.granted(request(0)).offer.id == first.id, "one's own use does not count against it")

        try await bench.apply(catalog.replacing(limit, with: raised), expected: 2)
        #expect(try await bench.granted(request(2)).offer.offerId == "autumn")
        #expect(try await bench.refused(request(3)).decision.obstacles == [rule])
        #expect(
            try await LimitsForEveryoneTests.counters(bench) == [
                "drop places": 2, "drop USD": 19_980, "autumn places": 1, "autumn USD": 9_990,
            ])
        bench.clock.advance(milliseconds: frees.milliseconds(since: bench.clock.now))
        #expect(try await bench.granted(request(3)).isNew)
    }

    @Test("of two requests for the last use, counted under two ids, one is refused (invariant 2)")
    func lostRace() async throws {
        let (bench, requests) = try await LimitsForEveryoneTests.bench("{ count: 2 }", customers: 3)
        _ = try await bench.granted(requests[0])
        let catalog = TestCatalog.head + Self.rename(TestCatalog.shared("{ count: 2 }"), "drop", "autumn")
        try await bench.apply(catalog, expected: 1)
        let renamed = requests.map { IssueRequest(offerId: "autumn", customer: $0.customer) }
        let writes = Counter()
        let moved = bench.useCases(
            over: InterposedDatabase(
                real: bench.database,
                beforeWrite: { if writes.next() == 1 { _ = try await bench.granted(renamed[2]) } }))
        let answer = try await moved.issuing.issue(renamed[1], caller: Workbench.client)
        #expect(try #require(answer.refusal).decision.obstacles == [.limitTotal])
        #expect(try await bench.count("issued_offer") == 2)
    }

    @Test("a cool-down counts from a use under the former id")
    func coolDown() async throws {
        let terms = TestCatalog.comeback().replacing(
            "limits: [ { count: 1, per: customer } ]", with: "limits: []\n    coolDown: P60D")
        let bench = try await Workbench(catalog: TestCatalog.head + terms)
        bench.tolerateOverrun()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        _ = try await bench.granted(.of("comeback", delivery))
        bench.clock.advance(hours: 1)
        let used = bench.clock.now
        let use = try bench.shop.redemption(
            of: "comeback50", "100900", like: try #require(delivery.signedTransactions.first), at: used)
        try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        bench.clock.advance(hours: 24 * 40)
        try await bench.apply(TestCatalog.head + Self.rename(terms, "comeback", "return"), expected: 1)
        let refusal = try await bench.refused(.of("return", try bench.shop.delivery(.lapsed, "100")))
        #expect(refusal.decision.obstacles == [.limitCoolDown])
        #expect(refusal.outlook.changesAt == used.adding(milliseconds: 60 * Instant.Duration.day))
    }

    @Test("an offer opened under the former id closes at the same moment")
    func opening() async throws {
        let terms = TestCatalog.comeback().replacing(
            "    limits:",
            with: "    eligibility: { fact: signals.interactions, atLeast: 50 }\n    availableFor: PT48H\n    limits:")
        let bench = try await Workbench(catalog: TestCatalog.head + terms)
        var request = IssueRequest.of("comeback", try bench.shop.delivery(.lapsed, "100"))
        request.signals = ["interactions": .number(50)]
        _ = try await bench.granted(request)
        try await bench.apply(TestCatalog.head + Self.rename(terms, "comeback", "return"), expected: 1)
        bench.clock.advance(hours: 47)
        var later = IssueRequest(offerId: "return", customer: named("100"))
        #expect(try await bench.granted(later).offer.offerId == "return", "held open without the signal")
        bench.clock.advance(hours: 1)
        later.signals = ["interactions": .number(50)]
        #expect(try await bench.refused(later).decision.obstacles == [.ruleAvailableFor])
    }

    @Test("a pause goes with the offer, and resuming it under its new id ends it")
    func pause() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        func flip(_ paused: Bool, _ id: OfferId = "return") async throws -> PauseState {
            try await bench.useCases.switches.set(id, paused: paused, caller: Workbench.marketing)
        }
        func isListedAsPaused() async throws -> [Bool]? {
            try await bench.useCases.switches.offers(from: nil, limit: 10, caller: Workbench.marketing)?.items
                .map(\.paused)
        }
        _ = try await bench.useCases.switches.set("comeback", paused: true, caller: Workbench.marketing)
        try await bench.apply(Self.renamed, expected: 1)
        let request = IssueRequest.of("return", try bench.shop.delivery(.lapsed, "100"))
        #expect(try await bench.refused(request).decision.obstacles == [.catalogPaused])
        #expect(try await isListedAsPaused() == [true])
        #expect(try await flip(true).changed == false)
        #expect(try await flip(false).changed)
        #expect(try await isListedAsPaused() == [false])
        #expect(try await bench.granted(request).isNew)
        let former = try await flip(true, "comeback")
        #expect(former.offerId == "return" && former.changed, "the kill switch takes a former id")
        #expect(try await bench.refused(request).decision.obstacles == [.catalogPaused])
    }

    @Test("of two open ones under two ids, met by a merge, the newer is voided")
    func merge() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        bench.tolerateOverrun()
        let (first, other) = (try bench.shop.anonymous("100"), try bench.shop.anonymous("200"))
        let kept = try await bench.granted(.of("comeback", first)).offer
        try await bench.apply(Self.renamed, expected: 1)
        bench.clock.advance(hours: 1)
        let voided = try await bench.granted(.of("return", other)).offer
        for delivery in [first, other] { try await bench.deliver(try bench.shop.proof(delivery, of: "app-100")) }
        let story = try await bench.useCases.customers.story(named("100"), caller: Workbench.client)
        #expect(story.issuedOffers.map(\.id) == [voided.id, kept.id])
        #expect(story.issuedOffers.map(\.state) == [.voided, .open])
    }

    @Test("decisions before and after a rename are replayed as they were recorded (invariant 5)")
    func replay() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.shared("{ count: 9 }"))
        let first = try await bench.granted(.of("drop", try bench.shop.delivery(.lapsed, "100"))).offer
        let catalog = TestCatalog.head + Self.rename(TestCatalog.shared("{ count: 9 }"), "drop", "autumn")
        try await bench.apply(catalog, expected: 1)
        bench.clock.advance(hours: 30)
        let second = try await bench.granted(.of("autumn", try bench.shop.delivery(.lapsed, "100"))).offer
        let third = try await bench.granted(.of("autumn", try bench.shop.delivery(.lapsed, "200"))).offer
        try await bench.apply(catalog.replacing("    formerly: drop\n", with: ""), expected: 2)
        for id in [first.id, second.id, third.id] {
            let replay = try await bench.useCases.replay.replay(
                id, catalogRevision: nil, caller: Workbench.caller(.support))
            #expect(replay.differences.isEmpty, "\(replay.differences)")
        }
    }

    @Test("a rename is one change, and what else it changes is told too")
    func difference() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        #expect(
            try await bench.apply(Self.renamed, expected: 1, dryRun: true).changes == [
                CatalogChange(.changed, of: "return", path: "id", from: "comeback", to: "return")
            ])
        let more = Self.renamed.replacing("count: 1, per", with: "count: 2, per")
        #expect(
            try await bench.apply(more, expected: 1).changes == [
                CatalogChange(.changed, of: "return", path: "id", from: "comeback", to: "return"),
                CatalogChange(
                    .changed, of: "return", path: "limits", from: "1 per customer", to: "2 per customer"),
            ])
        let again = more.replacing("id: return\n    formerly: comeback", with: "id: again\n    formerly: [return]")
        #expect(
            try await bench.apply(again, expected: 2, dryRun: true).changes == [
                CatalogChange(.changed, of: "again", path: "id", from: "return", to: "again"),
                CatalogChange(.changed, of: "again", path: "formerly", from: "comeback, return", to: "return"),
            ])
        #expect(
            try await bench.apply(more.replacing("    formerly: comeback\n", with: ""), expected: 2).changes == [
                CatalogChange(.removed, of: "return", path: "formerly", from: "comeback")
            ])
    }

    @Test("the type and Apple's name of an offer are frozen under its new id too")
    func frozen() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        _ = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100")))
        await #expect {
            try await bench.apply(Self.renamed.replacing("comeback50", with: "return50"), expected: 1)
        } throws: { error in
            guard case RequestError.invalidCatalog(let issues) = error else { return false }
            return issues.map(\.detail) == [
                "`offerIdentifier` of offer `return` was `comeback50` when it was first issued and is now `return50`"
            ] && issues.map(\.hint) == ["`formerly` renames one offer; leave it out for another one"]
                && issues.map(\.path) == ["offers[0].offerIdentifier"]
        }
    }

    @Test(
        "an offer cannot take over the uses of another that Apple knows by another name, under its own id or a former one"
    )
    func frozenOfEach() async throws {
        let other = TestCatalog.comeback().replacing("id: comeback\n", with: "id: other\n")
            .replacing("comeback50", with: "other50")
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback() + other)
        _ = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100")))
        _ = try await bench.granted(.of("other", try bench.shop.delivery(.lapsed, "200")))
        for (offer, former, was, now) in [
            (other.replacing("other50", with: "comeback50"), "comeback", "other50", "comeback50"),
            (other, "comeback", "comeback50", "other50"),
        ] {
            let catalog =
                TestCatalog.head + offer.replacing("id: other\n", with: "id: other\n    formerly: \(former)\n")
            await #expect {
                try await bench.apply(catalog, expected: 1)
            } throws: { error in
                guard case RequestError.invalidCatalog(let issues) = error else { return false }
                return issues.map(\.detail) == [
                    "`offerIdentifier` of offer `other` was `\(was)` when it was first issued and is now `\(now)`"
                ]
            }
        }
    }

    @Test("an offer that gets a former id back is one change, and keeps its uses and its draws")
    func renamedBack() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        let first = try await bench.granted(.of("comeback", try bench.shop.delivery(.lapsed, "100"))).offer
        try await bench.apply(Self.renamed, expected: 1)
        let back =
            TestCatalog.head
            + TestCatalog.comeback().replacing(
                "id: comeback\n", with: "id: comeback\n    formerly: [comeback, return]\n")
        #expect(
            try await bench.apply(back, expected: 2).changes == [
                CatalogChange(.changed, of: "comeback", path: "id", from: "return", to: "comeback")
            ])
        let again = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100")))
        #expect(!again.isNew && again.offer == first)
        #expect(try CatalogReader.read(back).value.offers.map(\.firstId) == ["comeback"])
    }

    @Test("an end that is set under the new id is that of the pause under the former one, which keeps its reason")
    func pausedUntil() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        let (switches, marketing) = (bench.useCases.switches, Workbench.marketing)
        _ = try await switches.pause("comeback", reason: "sold out", caller: marketing)
        try await bench.apply(Self.renamed, expected: 1)
        #expect(try await switches.pause("return", caller: marketing).reason == "sold out")
        let end = bench.clock.now.adding(milliseconds: Instant.Duration.hour)
        let state = try await switches.pause("return", until: end, caller: marketing)
        #expect(state.changed && state.until == end)
        let request = IssueRequest.of("return", try bench.shop.delivery(.lapsed, "100"))
        #expect(try await bench.refused(request).outlook.changesAt == end)
        bench.clock.advance(hours: 1)
        #expect(try await bench.granted(request).isNew)
        try await bench.checkLedger()
    }

    @Test("a pause under the new id outlives a pause under the former one")
    func pausedUnderBoth() async throws {
        let bench = try await Workbench(catalog: TestCatalog.head + TestCatalog.comeback())
        let switches = bench.useCases.switches
        _ = try await switches.set("comeback", paused: true, caller: Workbench.marketing)
        try await bench.apply(Self.renamed, expected: 1)
        #expect(try await switches.set("return", paused: true, caller: Workbench.marketing).changed == false)
        try await bench.apply(Self.renamed.replacing("    formerly: comeback\n", with: ""), expected: 2)
        let request = IssueRequest.of("return", try bench.shop.delivery(.lapsed, "100"))
        #expect(try await bench.refused(request).decision.obstacles == [.catalogPaused])
    }
}

import OfferAPI
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferApplication

@Suite("Pauses with an end")
struct OfferPauseTests {
    private static func bench(_ limits: String = "{ count: 1, per: customer }") async throws -> (
        bench: Workbench, order: IssueRequest
    ) {
        let (bench, orders) = try await LimitsForEveryoneTests.bench(limits, customers: 1)
        return (bench, try #require(orders.first))
    }

    private static func summary(_ bench: Workbench) async throws -> OfferSummary {
        let page = try await bench.useCases.switches.offers(from: nil, limit: 50, caller: Workbench.support)
        return try #require(page?.items.first)
    }

    private static func hour(_ hours: Int64) -> Instant {
        Workbench.start.adding(milliseconds: hours * Instant.Duration.hour)
    }

    @Test(
        "an offer is issued from the millisecond at which its pause ends; until then each refusal says when",
        arguments: [OfferId?.some("drop"), nil])
    func ends(_ offer: OfferId?) async throws {
        let (bench, order) = try await Self.bench()
        let end = Self.hour(48)
        let state = try await bench.useCases.switches.pause(
            offer, until: end, reason: "no codes left 🎟", caller: Workbench.marketing)
        #expect(state.paused && state.changed && state.until == end && state.reason == "no codes left 🎟")
        let refusal = try await bench.refused(order)
        #expect(refusal.decision.obstacles == [.catalogPaused])
        #expect(refusal.decision[.catalogPaused]?.reason == (offer == nil ? .everyOfferPaused : .offerPaused))
        #expect(refusal.decision[.catalogPaused]?.turningPoint == .at(end))
        #expect(refusal.outlook.changesAt == end)
        let message = try #require(refusal.decision[.catalogPaused]?.message)
        #expect(message.hasSuffix("paused until \(end)"))
        #expect(try await bench.dryRun(named("1000"), "drop").obstacles == [.catalogPaused])
        let shown = try await Self.summary(bench)
        #expect(shown.standing == .paused && shown.paused)
        #expect(shown.pause?.until == end && shown.pause?.since == Workbench.start)
        #expect(shown.pause?.actor == Workbench.marketing.apiKeyId && shown.pause?.reason == "no codes left 🎟")
        #expect(shown.pause?.covers == (offer == nil ? .everyOffer : .offer))
        #expect(try await bench.useCases.overviews.read().pauses.map(\.until) == [end])

        bench.clock.advance(milliseconds: 48 * Instant.Duration.hour - 1)
        _ = try await bench.refused(order)
        bench.clock.advance(milliseconds: 1)
        #expect(try await bench.dryRun(named("1000"), "drop").outcome == .eligible)
        #expect(try await bench.granted(order).isNew)
        let later = try await Self.summary(bench)
        #expect(later.standing == .running && !later.paused && later.pause == nil)
        #expect(try await bench.useCases.overviews.read().pauses.isEmpty)
        #expect(try await bench.useCases.switches.resume(offer, caller: Workbench.marketing).changed == false)
        try await bench.checkLedger()
    }

    @Test("a later call sets the end and the reason, earlier or later or none; without a reason the same end keeps it")
    func replaced() async throws {
        let (bench, order) = try await Self.bench()
        func pause(_ hours: Int64?, _ reason: String?) async throws -> PauseState {
            try await bench.useCases.switches.pause(
                "drop", until: hours.map(Self.hour), reason: reason, caller: Workbench.marketing)
        }
        #expect(try await pause(48, "first").changed)
        #expect(try await pause(48, nil).changed == false)
        #expect(try await pause(48, nil).reason == "first")
        #expect(try await pause(48, "second").reason == "second")
        bench.clock.advance(hours: 1)
        let shorter = try await pause(3, nil)
        #expect(shorter.changed && shorter.until == Self.hour(3) && shorter.reason == nil)
        #expect(try await Self.summary(bench).pause?.since == Self.hour(1))
        let endless = try await pause(nil, "until we know")
        #expect(endless.changed && endless.until == nil)
        bench.clock.advance(hours: 100)
        let refusal = try await bench.refused(order)
        #expect(refusal.decision[.catalogPaused]?.turningPoint == .event(.offerResumed))
        #expect(try await pause(nil, nil).changed == false)
        #expect(try await pause(nil, nil).reason == "until we know")
        let present = try #require(try await bench.useCases.switches.present("drop", caller: Workbench.support))
        #expect(present.reason == "until we know" && present.until == nil && present.covers == .offer)
        let silent = try await pause(nil, "")
        #expect(silent.changed && silent.paused && silent.reason == nil && silent.until == nil)
        #expect(try await pause(nil, "").changed == false)
        #expect(try await bench.useCases.switches.present(nil, caller: Workbench.support) == nil)
        #expect(try await bench.useCases.switches.resume("drop", caller: Workbench.marketing).changed)
        #expect(try await bench.granted(order).isNew)
    }

    @Test("of the pause of one offer and that of all, the one that ends last says until when it is refused")
    func together() async throws {
        let (bench, order) = try await Self.bench()
        let switches = bench.useCases.switches
        _ = try await switches.pause("drop", until: Self.hour(10), caller: Workbench.marketing)
        _ = try await switches.pause(nil, until: Self.hour(20), caller: Workbench.marketing)
        #expect(try await bench.refused(order).outlook.changesAt == Self.hour(20))
        #expect(try await Self.summary(bench).pause?.covers == .everyOffer)
        _ = try await switches.pause("drop", until: nil, caller: Workbench.marketing)
        #expect(try await bench.refused(order).outlook.changesAt == nil)
        #expect(try await Self.summary(bench).pause?.covers == .offer)
        #expect(try await switches.resume("drop", caller: Workbench.marketing).everyOfferPaused)
        // New uses wait for longer after a restore, which a pause that ends before does not shorten.
        try await bench.write { transaction, scope in
            try PauseStore(transaction).pauseLimited(
                until: Self.hour(25), actor: "offerd restore", at: Workbench.start, in: scope)
        }
        #expect(try await bench.refused(order).outlook.changesAt == Self.hour(25))
        bench.clock.advance(hours: 20)
        let refusal = try await bench.refused(order)
        #expect(refusal.decision[.catalogPaused]?.reason == .restoredRecently)
        let shown = try await Self.summary(bench)
        #expect(shown.standing == .paused && !shown.paused && shown.pause?.covers == .limitedOffers)
        #expect(try await switches.resume(nil, caller: Workbench.marketing).changed == false)
        #expect(try await Self.summary(bench).standing == .paused)
        bench.clock.advance(hours: 5)
        #expect(try await Self.summary(bench).standing == .running)
        #expect(try await bench.granted(order).isNew)
    }

    @Test(
        "an end that has passed or is too far off is refused in words, and nothing is paused",
        arguments: [
            (0, "has passed: it is"), (-1, "has passed: it is"), (8_785, "is more than 366 days ahead"),
            (60_000_000, "is more than 366 days ahead"),
        ] as [(Int64, String)])
    func refusedEnds(_ hours: Int64, _ words: String) async throws {
        let (bench, _) = try await Self.bench()
        let end = Self.hour(hours)
        let fault = await #expect(throws: RequestFault.self) {
            try await bench.useCases.switches.pause("drop", until: end, caller: Workbench.marketing)
        }
        #expect(fault?.errors.map(\.pointer) == ["/until"])
        #expect(fault?.errors.first?.detail.hasPrefix("`\(end)` \(words)") == true)
        #expect(try await Self.summary(bench).standing == .running)
        let last = Self.hour(366 * 24)
        #expect(
            try await bench.useCases.switches.pause("drop", until: last, caller: Workbench.marketing).until == last)
    }

    @Test("of many who pause at once on two databases of one file, one end is in force, and the ledger proves it")
    func concurrent() async throws {
        let (bench, orders) = try await LimitsForEveryoneTests.bench(
            "{ count: 1, per: customer }", customers: 1, onFile: true)
        let second = try bench.reopened()
        let other = bench.useCases(over: second)
        let ends = try await withThrowingTaskGroup(of: Instant?.self) { group in
            for hours in 1...30 {
                let useCases = hours.isMultiple(of: 2) ? bench.useCases : other
                group.addTask {
                    try await useCases.switches.pause(
                        "drop", until: Self.hour(Int64(hours)), reason: "\(hours)", caller: Workbench.marketing
                    ).until
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(ends).count == 30, "each was answered with its own")
        let pauses = try await bench.write { try PauseStore($0).active(in: $1) }
        #expect(pauses.count == 1)
        let end = try #require(pauses.first?.endsAt)
        #expect(ends.contains(end) && pauses.first?.reason == "\(end.milliseconds(since: Workbench.start) / 3_600_000)")
        #expect(try await bench.refused(orders[0]).outlook.changesAt == end)
        try await bench.checkLedger()
        try second.close()
        try bench.database.close()
    }

    @Test("the list tells when a total or a budget has no room, how much is left, and what is issued and redeemed")
    func exhausted() async throws {
        let (bench, orders) = try await LimitsForEveryoneTests.bench(
            "{ count: 3 }, { spend: \"25.00\", currency: USD }", customers: 3)
        var shown = try await Self.summary(bench)
        #expect(shown.standing == .running && shown.used?.uses == 0)
        #expect(shown.limits?.map(\.remaining) == [3, nil] && shown.limits?.map(\.unspent) == [nil, "25.00"])
        _ = try await bench.granted(orders[0])
        _ = try await bench.granted(orders[1])
        shown = try await Self.summary(bench)
        // Two uses of 9.99 USD leave 5.02 USD: not enough for a third.
        #expect(shown.standing == .exhausted)
        #expect(shown.used?.issued == 2 && shown.used?.redeemed == 0)
        #expect(shown.limits?.map(\.used) == [2, nil] && shown.limits?.map(\.remaining) == [1, nil])
        #expect(shown.limits?.map(\.spent) == [nil, "19.98"] && shown.limits?.map(\.unspent) == [nil, "5.02"])
        #expect(shown.limits?.map(\.usedUpAt) == [nil, nil])
        #expect(try await bench.refused(orders[2]).decision.obstacles == [.limitBudget])
        _ = try await bench.useCases.switches.pause("drop", caller: Workbench.marketing)
        #expect(try await Self.summary(bench).standing == .paused)
        _ = try await bench.useCases.switches.resume("drop", caller: Workbench.marketing)
        bench.clock.advance(hours: 26)
        #expect(try await Self.summary(bench).standing == .running, "what was not redeemed counts no longer")
    }

    @Test("an offer that is not for the environment of the caller is told as a draft there, as it is not issued")
    func elsewhere() async throws {
        for (environments, standing) in [("Sandbox", OfferStanding.draft), ("Sandbox, LocalTesting", .running)] {
            let catalog =
                TestCatalog.head
                + TestCatalog.shared("{ count: 3 }").replacing(
                    "    status: active", with: "    environments: [\(environments)]\n    status: active")
            let bench = try await Workbench(catalog: catalog)
            let shown = try await Self.summary(bench)
            #expect(shown.standing == standing && shown.status == .active)
            #expect(try await bench.useCases.overviews.read().uses.isEmpty == (standing == .draft))
        }
    }

    @Test("after ten redemptions in ten days the list says when the total and the budget are used up at this pace")
    func pace() async throws {
        let bench = try await Workbench(
            catalog: TestCatalog.head + TestCatalog.shared("{ count: 30 }, { spend: \"120.00\", currency: USD }"))
        for number in 0..<10 {
            let delivery = try bench.shop.delivery(.lapsed, "\(1_000 + number)")
            _ = try await bench.granted(.of("drop", delivery))
            #expect(try await Self.summary(bench).limits?.map(\.usedUpAt) == [nil, nil])
            let like = try #require(delivery.signedTransactions.first)
            try await bench.deliver(
                SignedDelivery(signedTransactions: [
                    try bench.shop.redemption(of: "drop50", "\(9_000 + number)", like: like, at: bench.clock.now)
                ]))
            bench.clock.advance(hours: 24)
        }
        let shown = try await Self.summary(bench)
        #expect(shown.standing == .running)
        #expect(shown.used?.issued == 0 && shown.used?.redeemed == 10 && shown.used?.notIssuedHere == 0)
        // Ten in ten days: 20 more uses take 20 days, and 20.10 of 99.90 USD take 2 days and 17 minutes.
        let day = Instant.Duration.day
        #expect(
            shown.limits?.map(\.usedUpAt) == [
                bench.clock.now.adding(milliseconds: 20 * day),
                bench.clock.now.adding(milliseconds: 20_100 * 10 * day / 99_900),
            ])
        bench.clock.advance(hours: 24 * 5)
        #expect(try await Self.summary(bench).limits?.map(\.usedUpAt) == [nil, nil], "fewer than ten are left")
    }

    @Test("the pace leaves out what support granted, which takes nothing of a limit")
    func paceWithoutGrants() async throws {
        func catalog(_ count: Int) -> String { TestCatalog.head + TestCatalog.shared("{ count: \(count) }") }
        let bench = try await Workbench(catalog: catalog(10))
        for number in 0...10 {
            let customer = "\(1_000 + number)"
            try await bench.deliver(try bench.shop.delivery(.lapsed, customer))
            if number == 10 { try await bench.grant("drop", to: customer) }
            let order = IssueRequest(offerId: "drop", customer: named(customer))
            #expect((try await bench.granted(order).offer.grantId != nil) == (number == 10))
            try await bench.redeem("drop", of: customer, as: "\(9_000 + number)")
            bench.clock.advance(hours: 24)
        }
        try await bench.apply(catalog(30), expected: 1)
        // Ten in eleven days: 20 more take 22.
        let end = bench.clock.now.adding(milliseconds: 22 * Instant.Duration.day)
        #expect(try await Self.summary(bench).limits?.map(\.usedUpAt) == [end])
    }
}

import OfferAPI
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import OfferApplication
@testable import OfferModel

/// Who is in the rollout and who is held out follows from `app-<id>` and was computed by another implementation of
/// Examples/conformance/README.md: 101 to 148 that are named here get the offer, 106 to 115 are held out, 104 is
/// outside.
@Suite("the funnel of an offer")
struct FunnelTests {
    private static let month: Int64 = 30

    /// Everybody below, with their fate; the report is of day 100.
    private func play(_ stage: FunnelStage) async throws {
        let day = FunnelStage.day
        // Evaluated too early: in no stage, although the offer was issued and used in the range.
        stage.setClock(FunnelStage.from.adding(milliseconds: -1))
        try await stage.ask("101")
        try await stage.ask("102", .subscriber)

        // At the first moment of the range.
        stage.setClock(FunnelStage.from)
        #expect(try await stage.ask("104", .subscriber).issued == nil, "renews: ineligible")
        for id in ["101", "103", "108", "111", "113", "118", "123", "125"] {
            #expect(try await stage.ask(id).issued != nil, "\(id)")
        }
        for id in ["128", "131", "134"] {
            #expect(try await stage.ask(id, .subscriber, cancelled: true).issued != nil, "\(id)")
        }
        for id in ["106", "112", "114", "115"] {
            #expect(try await stage.ask(id).refusal?.decision.obstacles == [.rolloutHoldout], "\(id)")
        }
        #expect(try await stage.ask("105").refusal?.decision.obstacles == [.rolloutPercent])
        for id in ["135", "147"] {
            #expect(try await stage.ask(id, .newcomer).refusal?.decision.outcome == .ineligible, "\(id)")
        }
        #expect(try await stage.ask("137", .newcomer, complete: false).refusal?.decision.outcome == .undetermined)
        _ = try await stage.bench.useCases.switches.set("comeback", paused: true, caller: Workbench.marketing)
        #expect(try await stage.ask("138").refusal?.decision.obstacles == [.catalogPaused])
        _ = try await stage.bench.useCases.switches.set("comeback", paused: false, caller: Workbench.marketing)
        let unknown = IssueRequest(offerId: "comeback", customer: named("99999"))
        #expect(try await stage.bench.useCases.issuing.issue(unknown, caller: Workbench.client).issued == nil)
        try await stage.applySandbox()
        try await stage.ask("140", environment: .sandbox)
        // 143 is stored as two, first the one who is refused; 244 was evaluated too early as 102.
        #expect(try await stage.askAnonymously("243").issued == nil)
        #expect(try await stage.ask("143").issued != nil)
        try await stage.deliver([try stage.period("243", 1, day(-19), until: day(40), account: "app-143")])
        #expect(try await stage.askAnonymously("244").issued == nil)
        try await stage.deliver([try stage.period("244", 1, day(-19), until: day(40), account: "app-102")])

        // At the last moment of the range, and after it.
        stage.setClock(day(10).adding(milliseconds: -1))
        #expect(try await stage.ask("145", .subscriber).issued == nil)
        stage.setClock(day(10))
        #expect(try await stage.ask("146").issued != nil, "too late for the range")
        try await live(stage)
    }

    private func live(_ stage: FunnelStage) async throws {
        let day = FunnelStage.day
        // 101: used it, but is of an earlier range. 104: used it without having been issued it.
        stage.setClock(day(100))
        try await stage.deliver(
            [
                try stage.period("101", 1, day(2), until: day(32), offered: true),
                try stage.period("104", 1, day(50), until: day(80), offered: true),
            ], [try stage.renewal("104", renews: false, ended: true)])
        // 103: used it, paid for two more months and goes on. 108: the same and left.
        try await stage.deliver(
            [
                try stage.period("103", 1, day(2), until: day(32), offered: true),
                try stage.period("103", 2, day(32), until: day(110)),
                try stage.period("108", 1, day(2), until: day(32), offered: true),
                try stage.period("108", 2, day(32), until: day(62)),
            ],
            [
                try stage.renewal("103", renews: true, signed: day(32)),
                try stage.renewal("108", renews: false, ended: true),
            ])
        // 111: used it and left. 113: used it late and is in it. 118: got a refund. 123: used it twice and left.
        try await stage.deliver(
            [
                try stage.period("111", 1, day(2), until: day(32), offered: true),
                try stage.period("113", 1, day(90), until: day(120), offered: true),
                try stage.period("118", 1, day(2), until: day(32), offered: true, refundedAt: day(3)),
                try stage.period("123", 1, day(2), until: day(33), offered: true),
                try stage.period("123", 2, day(33), until: day(63), offered: true),
            ],
            [
                try stage.renewal("111", renews: false, ended: true),
                try stage.renewal("113", renews: true, signed: day(90)),
                try stage.renewal("123", renews: false, ended: true),
            ])
        // 125 never used it. 128 was saved, 131 left again, 134 used it so late that nobody can tell yet.
        try await stage.deliver(
            [
                try stage.period("128", 1, day(20), until: day(51), offered: true),
                try stage.period("128", 2, day(51), until: day(130)),
                try stage.period("131", 1, day(20), until: day(51), offered: true),
                try stage.period("134", 1, day(80), until: day(111), offered: true),
            ],
            [
                try stage.renewal("128", renews: true, signed: day(21)),
                try stage.renewal("131", renews: false, signed: day(40)),
                try stage.renewal("134", renews: true, signed: day(81)),
            ])
        // Of the held out, 112 came back by themselves; 114 is issued the offer when nobody is held out any more.
        try await stage.deliver(
            [try stage.period("112", 1, day(60), until: day(130))],
            [try stage.renewal("112", renews: true, signed: day(60))])
        try await stage.bench.apply(FunnelStage.catalog(holdout: 0), expected: 1)
        #expect(try await stage.ask("114").issued != nil)
        // 135 never had a subscription; now they have one that renews.
        #expect(try await stage.ask("135", .subscriber).issued == nil)
    }

    @Test("every fate is counted once, where docs/reports.md says; ranges hold their beginning and not their end")
    func fates() async throws {
        let stage = try await FunnelStage()
        try await play(stage)
        let funnel = try await stage.funnel()

        // 104; 103 108 111 113 118 123 125; 128 131 134; 106 112 114 115; 105; 135 147; 137; 138; 143+243; 145.
        #expect(funnel.stages.evaluated == 22)
        // Issued, the four held out and 105.
        #expect(funnel.stages.eligible == 16)
        // 103 108 111 113 118 123 125, 128 131 134, 143 and, later, 114.
        #expect(funnel.stages.issued == 12)
        // All of these but 125, 143 and 114.
        #expect(funnel.stages.redeemed == 9)
        #expect(funnel.stages.renewedAtFullPrice == 3, "103 108 128")
        #expect(funnel.stages.stillActive == 2, "103 128")
        #expect(
            counts(funnel.notIssued)
                == ["heldOut": 3, "notInRollout": 1, "paused": 1, "ineligible": 4, "undetermined": 1])
        #expect(counts(funnel.notIssued).values.reduce(0, +) + funnel.stages.issued == funnel.stages.evaluated)

        // By their newest decision; the most frequent first, then by name.
        #expect(
            funnel.reasons.map { "\($0.rule) \($0.verdict) \($0.fact ?? "–") \($0.customers) \($0.alone)" } == [
                "rule.eligibility violated subscription.willAutoRenew 3 3",  // 104 135 145
                "catalog.paused violated – 1 1",  // 138
                "platform.promotional.everSubscribed undetermined – 1 0",  // 137
                "platform.promotional.everSubscribed violated – 1 0",  // 147
                "rule.eligibility undetermined subscription.state 1 0",  // 137
                "rule.eligibility violated subscription.state 1 0",  // 147
                "rule.eligibility undetermined subscription.willAutoRenew 1 0",  // 137
            ])

        #expect(funnel.redemptions.inOffer == 2, "113 134")
        #expect(funnel.redemptions.refunded == 1, "118")
        #expect(funnel.redemptions.doubled == 1, "123")
        #expect(funnel.redemptions.redeemedWithoutSlot == 1, "104")
        #expect(funnel.requestsOfUnknown == 1, "99999")
        // 9.99 − 4.99 each: 12 issued offers, 10 redemptions, one of them refunded.
        #expect(
            funnel.discountCost == [
                OfferFunnel.Cost {
                    ($0.currency, $0.issued, $0.redeemed, $0.refunded) = ("USD", "60.00", "50.00", "5.00")
                }
            ])
        #expect(funnel.slotsWithoutCost == 0)

        // 114 stays with the held out: it was one of them when the rules first held.
        #expect(funnel.holdoutLift.treated.customers == 11)
        #expect(funnel.holdoutLift.treated.active == 4, "103 113 128 134")
        #expect(
            funnel.holdoutLift.treated.undetermined == 1, "143: whether their other subscription renewed is not known")
        #expect(funnel.holdoutLift.heldOut.customers == 4)
        #expect(funnel.holdoutLift.heldOut.active == 1, "112")
        #expect(funnel.holdoutLift.heldOut.undetermined == 0)
        #expect(funnel.holdoutLift.difference == nil, "15 customers are not enough")
        #expect(funnel.saveRate.judged == 2 && funnel.saveRate.saved == 1, "128 and not 131")
        #expect(funnel.saveRate.pending == 1, "134")
    }

    @Test("each customer is in one of two ranges that meet, and nothing of another app or environment is in any")
    func ranges() async throws {
        let stage = try await FunnelStage()
        try await play(stage)
        let after = try await stage.funnel(from: FunnelStage.day(10), to: FunnelStage.day(11))
        #expect(after.stages.evaluated == 1 && after.stages.issued == 1, "146")
        let before = try await stage.funnel(from: FunnelStage.day(-10), to: FunnelStage.from)
        #expect(before.stages.evaluated == 2 && before.stages.issued == 1 && before.stages.redeemed == 1)
        #expect(counts(before.notIssued) == ["ineligible": 1], "102, who is 244 too")
        let sandbox = try await stage.report("comeback", caller: FunnelStage.sandbox)
        #expect(sandbox.offers.map(\.stages.evaluated) == [1], "140")
        let production = Workbench.caller(
            .marketing, scope: Scope(bundleId: "com.example.pro", environment: .production))
        await #expect(throws: RequestError.self, "the offer is in no catalog there") {
            try await stage.report("comeback", caller: production)
        }
        let elsewhere = try await stage.report(caller: production)
        #expect(elsewhere.offers.isEmpty && elsewhere.asOf >= FunnelStage.day(100))
    }

    @Test("a range that could say nothing, or would take too long, is refused by the parameter that is wrong")
    func silly() async throws {
        let stage = try await FunnelStage()
        let (now, day) = (stage.bench.clock.now, Instant.Duration.day)
        func refused(_ from: Instant?, _ to: Instant?) async throws -> String? {
            do {
                _ = try await stage.report(from: from, to: to)
                return nil
            } catch RequestError.unusableParameter(let name, _, _) {
                return name
            }
        }
        #expect(try await refused(nil, nil) == nil)
        #expect(try await refused(now, now.adding(milliseconds: 1)) == nil)
        #expect(try await refused(now.adding(milliseconds: 1), nil) == "from")
        #expect(try await refused(now, now) == "to")
        #expect(try await refused(now, now.adding(milliseconds: -1)) == "to")
        #expect(try await refused(now.adding(milliseconds: -365 * day), now.adding(milliseconds: day)) == nil)
        #expect(try await refused(now.adding(milliseconds: -365 * day - 1), now.adding(milliseconds: day)) == "from")
        #expect(try await refused(.distantPast, .distantFuture) == "from")
        let usual = try await stage.report(from: nil, to: nil)
        #expect(usual.from == now.adding(milliseconds: 1 - 30 * day) && usual.to == now.adding(milliseconds: 1))
        #expect(usual.offers.map(\.offerId) == ["comeback"] && usual.offers.first?.stages.evaluated == 0)
    }

    @Test(
        "a refusal whose record retention removed counts as removed, and leaves no lift; the newer ones are told as ever"
    )
    func removedRefusals() async throws {
        let stage = try await FunnelStage()
        stage.setClock(FunnelStage.from)
        for id in ["103", "105", "106"] { try await stage.ask(id) }
        stage.setClock(FunnelStage.day(2))
        try await stage.ask("112")
        stage.setClock(FunnelStage.day(3))
        #expect(try await counts(stage.funnel().notIssued) == ["heldOut": 2, "notInRollout": 1])

        let retention = Retention(
            ledger: OfferStore.Ledger(stage.bench.database, digest: OpenSSLDigest()),
            terms: RetentionTerms(refusals: 2 * Instant.Duration.day), author: .service,
            clock: { [clock = stage.bench.clock] in clock.now })
        #expect(try await retention.sweep(rest: .zero).refusals == 2)

        let funnel = try await stage.funnel()
        #expect(funnel.stages.evaluated == 4 && funnel.stages.issued == 1)
        #expect(funnel.stages.eligible == 2, "103 and 112; of 105 and 106 nobody knows any more")
        #expect(counts(funnel.notIssued) == ["removed": 2, "heldOut": 1])
        #expect(try await hasRemovedRefusals(stage, from: FunnelStage.from))
        #expect(try await !hasRemovedRefusals(stage, from: FunnelStage.day(1)), "a later range")
    }

    /// Whether the tally knows that it cannot know all who were held out.
    private func hasRemovedRefusals(_ stage: FunnelStage, from: Instant) async throws -> Bool {
        try await stage.bench.database.read { transaction in
            let number = try #require(try ScopeStore(transaction).number(of: Workbench.scope))
            let offers = try CompiledCatalogs().reportedOffers(
                FunnelStage.offer, of: number, in: Workbench.scope, transaction)
            return try FunnelReports.tally(
                #require(offers.first), from..<FunnelStage.day(10), at: FunnelStage.day(10), policy: .standard,
                in: number, transaction
            ).hasRemovedRefusals
        }
    }

    @Test("an offer that left the catalog is still reported, by the catalog it was last decided on")
    func removed() async throws {
        let stage = try await FunnelStage()
        stage.setClock(FunnelStage.from)
        try await stage.ask("103")
        let other = FunnelStage.catalog(holdout: 0).replacing("comeback", with: "another")
        try await stage.bench.apply(other, expected: 1)
        let report = try await stage.report(from: nil, to: nil)
        #expect(report.offers.map(\.offerId) == ["another", "comeback"])
        #expect(report.offers.map(\.stages.issued) == [0, 1])
        #expect(report.offers.last?.discountCost.map(\.issued) == ["5.00"])
    }

    @Test("issuing goes on while a report is made, which shows what it was asked about; a second report has to wait")
    func whileIssuing() async throws {
        let stage = try await FunnelStage(onFile: true)
        stage.setClock(FunnelStage.from)
        try await stage.ask("103")
        let database = HeldReads(stage.bench.database, before: "MIN(decided_at)")
        let reports = stage.bench.useCases(over: database).reports
        let first = Task { try await reports.funnel(caller: Workbench.marketing) }
        await database.entered()
        #expect(try await stage.ask("108").issued != nil, "the writer does not wait for the report")
        await #expect { try await reports.funnel(caller: Workbench.marketing) } throws: { error in
            if case RequestError.busy = error { true } else { false }
        }
        database.open()
        #expect(try await first.value.offers.map(\.stages.issued) == [1], "108 came after the snapshot")
        database.open()
        let second = try await reports.funnel(caller: Workbench.marketing)
        #expect(second.offers.map(\.stages.issued) == [2])
    }
}

/// What is counted, by the names on the wire.
private func counts(_ counts: OfferFunnel.NotIssued) -> [String: Int] {
    Dictionary(
        uniqueKeysWithValues: Mirror(reflecting: counts).children.compactMap { child in
            (child.value as? Int).flatMap { $0 == 0 ? nil : (child.label ?? "", $0) }
        })
}

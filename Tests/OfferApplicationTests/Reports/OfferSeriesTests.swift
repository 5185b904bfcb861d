import Foundation
import OfferAPI
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferApplication

@Suite("A series of an offer by date")
struct OfferSeriesTests {
    private static let day = Instant.Duration.day

    private func series(
        _ stage: FunnelStage, by unit: CalendarUnit = .day, from: Instant? = nil, to: Instant? = nil,
        _ timeZone: String? = nil, caller: Caller = Workbench.marketing, offer: OfferId = FunnelStage.offer
    ) async throws -> OfferSeries {
        try await stage.bench.useCases.series.series(
            of: offer, by: unit, from: from, to: to, timeZone: timeZone, caller: caller)
    }

    /// The rows that an accountant has.
    private func exported(_ stage: FunnelStage) async throws -> [ExportedOffer] {
        var (items, place): ([ExportedOffer], Int64?) = ([], nil)
        repeat {
            let page = try await stage.bench.useCases.export.page(
                offerId: FunnelStage.offer, limit: 7, after: place, caller: Workbench.support)
            items += page.items
            place = page.next.flatMap { ListCursor.export.place($0) }
        } while place != nil
        return items
    }

    @Test(
        "a year of random events adds up to the rows of the export in three time zones",
        arguments: [1, 2, 3] as [UInt64])
    func year(seed: UInt64) async throws {
        let stage = try await FunnelStage(onFile: true)
        var year = RandomYear(seed: seed, stage: stage)
        try await year.live()
        let rows = try await exported(stage)
        #expect(rows.count > 10 && rows.contains { ($0.redemptions?.count ?? 0) > 0 }, "seed \(seed)")
        #expect(rows.contains { $0.payments != nil }, "seed \(seed)")
        let end = stage.bench.clock.now
        let whole = FunnelStage.from..<FunnelStage.from.adding(milliseconds: 360 * Self.day)
        let part = FunnelStage.day(100).adding(milliseconds: 12_345)..<end
        for zone in ["Europe/Berlin", "America/New_York", "Africa/Cairo"] {
            for unit in CalendarUnit.allCases {
                for range in [whole, part] {
                    let report = try await series(stage, by: unit, from: range.lowerBound, to: range.upperBound, zone)
                    let judge = try Judge(zone, unit, range)
                    let place: Comment = "seed \(seed), \(zone), \(unit), \(range)"
                    #expect(report.buckets.map(\.from) == judge.starts(), place)
                    #expect(report.told { $0.issued } == judge.counts(rows.map(\.offer.issuedAt)), place)
                    let redeemed = rows.flatMap { row in (row.redemptions ?? []).map { ($0.redeemedAt, row.discount) } }
                    #expect(report.told { $0.redeemed } == judge.counts(redeemed.map(\.0)), place)
                    #expect(
                        report.told { $0.spend } == judge.sums(redeemed.map { ($0, $1?.amount, $1?.currency) }), place)
                    let paid = rows.flatMap { $0.payments ?? [] }
                    #expect(
                        report.told { $0.revenue }
                            == judge.sums(paid.map { ($0.paidAt, $0.price.amount, $0.price.currency) }), place)
                    #expect(report.told { $0.requests } == judge.counts(year.decided), place)
                    #expect(report.told { $0.eligible } == judge.counts(year.eligible), place)
                }
            }
        }
    }

    @Test("a request counts by its own date, however long the customer is known, and so does each use and payment")
    func dates() async throws {
        let stage = try await FunnelStage()
        let day = FunnelStage.day
        stage.setClock(day(0))
        #expect(try await stage.ask("103").issued != nil)
        stage.setClock(day(100))
        try await stage.deliver(
            [
                try stage.period("103", 1, day(2), until: day(32), offered: true),
                try stage.period("103", 2, day(32), until: day(62)),
                try stage.period("103", 3, day(62), until: day(92), refundedAt: day(63)),
                try stage.period("103", 4, day(92), until: day(110)),
            ], [try stage.renewal("103", renews: true, signed: day(92))])
        let report = try await series(stage, from: day(0), to: day(101))
        #expect(report.buckets.count == 101 && report.buckets.first?.from == Instant(iso8601: "2026-11-02T00:00:00Z"))
        #expect(report.told { $0.issued } == ["2026-11-02": 1])
        #expect(report.told { $0.redeemed } == ["2026-11-04": 1])
        #expect(report.told { $0.spend } == ["2026-11-04": ["5.00 USD"]])
        #expect(
            report.told { $0.revenue } == ["2026-12-04": ["9.99 USD"], "2027-02-02": ["9.99 USD"]],
            "the refunded period is not paid for")
        let row = try #require(try await exported(stage).first)
        #expect(row.redemptions?.map(\.redeemedAt) == [day(2)] && row.discount?.amount == "5.00")
        #expect(row.payments?.map(\.paidAt) == [day(32), day(92)])
    }

    @Test(
        "a refusal counts once under each deciding rule, and under eligible if only the rollout or holdout blocked it")
    func refusals() async throws {
        let stage = try await FunnelStage()
        stage.setClock(FunnelStage.from)
        try await stage.ask("106")
        try await stage.ask("105")
        try await stage.ask("135", .newcomer)
        try await stage.ask("137", .newcomer, complete: false)
        let bucket = try #require(try await series(stage, by: .month).buckets.last)
        #expect(bucket.requests == 4 && bucket.eligible == 2 && bucket.issued == 0 && bucket.removed == 0)
        let refused = Dictionary(bucket.refused.map { ($0.rule, $0.count) }, uniquingKeysWith: +)
        #expect(refused["rollout.holdout"] == 1 && refused["rollout.percent"] == 1)
        #expect(refused["rule.eligibility"] == 2, "also 137's, where two facts are unknown")
        #expect(bucket.refused.map(\.count) == bucket.refused.map(\.count).sorted(by: >))
        let unknown = IssueRequest(offerId: "comeback", customer: named("99999"))
        _ = try await stage.bench.useCases.issuing.issue(unknown, caller: Workbench.client)
        #expect(try await series(stage, by: .month).buckets.last?.requests == 5, "also of a customer who is unknown")
    }

    @Test("an offer that support granted is counted as granted, and it and what follows from it nowhere else")
    func granted() async throws {
        let stage = try await FunnelStage()
        let day = FunnelStage.day
        stage.setClock(day(0))
        #expect(try await stage.ask("111", .subscriber).refusal?.decision.outcome == .ineligible)
        try await stage.bench.grant(FunnelStage.offer, to: "111")
        #expect(try await stage.ask("111", .subscriber).issued != nil)
        stage.setClock(day(40))
        try await stage.deliver([
            try stage.period("111", 1, day(2), until: day(32), offered: true),
            try stage.period("111", 2, day(32), until: day(62)),
        ])
        let report = try await series(stage, from: day(0))
        #expect(report.told { $0.granted } == ["2026-11-02": 1])
        #expect(report.told { $0.requests } == ["2026-11-02": 1], "the refusal")
        #expect(report.told { $0.issued + $0.eligible + $0.redeemed }.isEmpty)
        #expect(report.told { $0.spend }.isEmpty && report.told { $0.revenue }.isEmpty)
        #expect(try await exported(stage).map { $0.offer.grantId != nil } == [true])
    }

    @Test("customers who are found to be one have their events once each")
    func merged() async throws {
        let stage = try await FunnelStage()
        let day = FunnelStage.day
        stage.setClock(FunnelStage.from)
        #expect(try await stage.askAnonymously("243").issued == nil)
        #expect(try await stage.ask("143").issued != nil)
        let before = try await series(stage, from: FunnelStage.from)
        try await stage.deliver([try stage.period("243", 1, day(-19), until: day(40), account: "app-143")])
        let after = try await series(stage, from: FunnelStage.from)
        #expect(after.buckets == before.buckets)
        #expect(after.buckets.map(\.requests) == [2] && after.buckets.map(\.issued) == [1])
    }

    @Test("an erasure leaves what was issued, redeemed and spent, and takes away why refused and what was paid")
    func erased() async throws {
        let stage = try await FunnelStage()
        let erasing = ErasingBench(on: stage.bench)
        let day = FunnelStage.day
        stage.setClock(day(0))
        for id in ["103", "106"] {
            _ = try await erasing.ask(.of(FunnelStage.offer, try stage.bench.shop.delivery(.lapsed, id)))
        }
        stage.setClock(day(40))
        for (number, begins) in [(1, 2), (2, 32)] as [(Int, Int64)] {
            try await erasing.deliver(
                SignedDelivery(signedTransactions: [
                    try stage.period("103", number, day(begins), until: day(begins + 30), offered: number == 1)
                ]))
        }
        func month() async throws -> OfferSeries {
            try await erasing.useCases.series.series(
                of: FunnelStage.offer, by: .month, from: day(0), caller: Workbench.marketing)
        }
        let before = try await month()
        #expect(before.told { $0.revenue } == ["2026-12-01": ["9.99 USD"]])
        for id in ["103", "106"] { try await erasing.erase(named(id)) }
        let after = try await month()
        #expect(after.told { $0.issued } == before.told { $0.issued })
        #expect(
            after.told { $0.redeemed } == ["2026-11-01": 1] && after.told { $0.spend } == ["2026-11-01": ["5.00 USD"]])
        #expect(after.told { $0.requests } == ["2026-11-01": 2] && after.told { $0.removed } == ["2026-11-01": 1])
        #expect(after.told { $0.eligible } == ["2026-11-01": 1] && after.told { $0.revenue }.isEmpty)
    }

    @Test("a wrong parameter is refused by its name, and a range without an event has empty buckets")
    func silly() async throws {
        let stage = try await FunnelStage()
        stage.setClock(FunnelStage.day(5))
        let now = stage.bench.clock.now
        func refused(_ from: Instant?, _ to: Instant?, _ zone: String? = nil) async throws -> String? {
            do {
                _ = try await series(stage, from: from, to: to, zone)
                return nil
            } catch RequestError.unusableParameter(let name, let detail, let hint) {
                #expect(!detail.isEmpty && detail.utf8.count < 300 && (hint != nil || name == "from"))
                return name
            }
        }
        #expect(try await refused(nil, nil) == nil)
        #expect(try await refused(now.adding(milliseconds: 1), nil) == "from")
        #expect(try await refused(now, now) == "to")
        #expect(try await refused(now, now.adding(milliseconds: -1)) == "to")
        #expect(try await refused(now.adding(milliseconds: -366 * Self.day), now) == nil)
        #expect(try await refused(now.adding(milliseconds: -368 * Self.day), now) == "from")
        #expect(try await refused(.distantPast, .distantFuture) == "from")
        for zone in ["", "Mars/Olympus", "berlin", String(repeating: "a", count: 10_000), "ゾーン"] {
            #expect(try await refused(nil, nil, zone) == "timeZone", "\(zone.prefix(20))")
        }
        await #expect {
            try await series(stage, offer: "nope")
        } throws: { error in
            if case RequestError.unknownOffer("nope") = error { true } else { false }
        }
        let usual = try await series(stage, to: .distantFuture)
        #expect(usual.to == now.adding(milliseconds: 1) && usual.timeZone == "UTC" && usual.by == .day)
        #expect(usual.from == Instant(iso8601: "2026-10-08T00:00:00Z"), "the first bucket is whole")
        #expect(usual.buckets.count == 31 && usual.buckets.allSatisfy { $0.requests == 0 && $0.spend.isEmpty })
        #expect(usual.buckets.last?.date == "2026-11-07")
    }

    @Test("nothing of another app or environment is in it")
    func scopes() async throws {
        let stage = try await FunnelStage()
        try await stage.applySandbox()
        try await stage.ask("140", environment: .sandbox)
        #expect(try await series(stage).told { $0.requests }.isEmpty)
        #expect(try await series(stage, caller: FunnelStage.sandbox).told { $0.requests }.values.reduce(0, +) == 1)
        let production = Workbench.caller(
            .marketing, scope: Scope(bundleId: "com.example.pro", environment: .production))
        await #expect(throws: RequestError.self) { try await series(stage, caller: production) }
    }
}

extension OfferSeries {
    /// What is not 0, by the date of its bucket.
    fileprivate func told(_ count: (Bucket) -> Int) -> [String: Int] {
        Dictionary(buckets.map { ($0.date, count($0)) }, uniquingKeysWith: +).filter { $0.value != 0 }
    }

    fileprivate func told(_ prices: (Bucket) -> [Price]) -> [String: [String]] {
        Dictionary(
            buckets.map { ($0.date, prices($0).map { "\($0.amount) \($0.currency)" }) }, uniquingKeysWith: +
        ).filter { !$0.value.isEmpty }
    }
}

/// Counts by dates of Foundation's calendar, in decimals.
private struct Judge {
    private let calendar: Calendar
    private let component: Calendar.Component
    private let range: Range<Instant>

    init(_ zone: String, _ unit: CalendarUnit, _ range: Range<Instant>) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        calendar.firstWeekday = 2
        calendar.minimumDaysInFirstWeek = 4
        self.calendar = calendar
        self.range = range
        component =
            switch unit {
            case .day: .day
            case .week: .weekOfYear
            case .month: .month
            }
    }

    private func interval(_ date: Date) -> DateInterval {
        calendar.dateInterval(of: component, for: date) ?? DateInterval()
    }

    private func date(_ instant: Instant) -> Date {
        Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
    }

    func starts() -> [Instant] {
        var (starts, date) = ([Instant](), date(range.lowerBound))
        while date < self.date(range.upperBound) {
            let bucket = interval(date)
            starts.append(Instant(milliseconds: Int64(bucket.start.timeIntervalSince1970 * 1_000)))
            date = bucket.end
        }
        return starts
    }

    private func name(_ instant: Instant) -> String {
        let parts = calendar.dateComponents([.year, .month, .day], from: interval(date(instant)).start)
        return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }

    func counts(_ instants: [Instant]) -> [String: Int] {
        Dictionary(instants.filter(range.contains).map { (name($0), 1) }, uniquingKeysWith: +)
    }

    func sums(_ amounts: [(Instant, String?, String?)]) -> [String: [String]] {
        var sums: [String: [String: Decimal]] = [:]
        for case (let instant, let amount?, let currency?) in amounts where range.contains(instant) {
            sums[name(instant), default: [:]][currency, default: 0] += Decimal(string: amount) ?? .nan
        }
        return sums.mapValues { byCurrency in
            byCurrency.sorted { $0.key < $1.key }.map { currency, sum in
                let cents = NSDecimalNumber(decimal: sum * 100).int64Value
                return "\(cents / 100).\(String(format: "%02d", cents % 100)) \(currency)"
            }
        }
    }
}

/// Customers who ask, buy, pay and get refunds at random for a year.
private struct RandomYear {
    private let stage: FunnelStage
    private var random: SeededGenerator
    private var periods: [String: [(number: Int, begins: Instant, isOffered: Bool)]] = [:]
    private var known: Set<String> = []
    private var decisions: Set<LowercaseUUID> = []
    /// When each recorded decision was made, and those that met every rule but the rollout.
    private(set) var decided: [Instant] = []
    private(set) var eligible: [Instant] = []

    init(seed: UInt64, stage: FunnelStage) {
        random = SeededGenerator(seed: seed)
        self.stage = stage
    }

    mutating func live() async throws {
        stage.setClock(FunnelStage.from)
        while stage.bench.clock.now < FunnelStage.day(362) {
            stage.bench.clock.advance(milliseconds: Int64.random(in: 1..<50 * 3_600_000, using: &random))
            let id = String(Int.random(in: 101...130, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: try await ask(id)
            case 6..<9 where known.contains(id): try await buy(id)
            default: try await refund(id)
            }
        }
    }

    private mutating func ask(_ id: String) async throws {
        let now = stage.bench.clock.now
        let scene: Scene = [.lapsed, .lapsed, .lapsed, .newcomer].randomElement(using: &random) ?? .lapsed
        var request = IssueRequest(offerId: FunnelStage.offer, customer: named(id))
        if known.insert(id).inserted { request = .of(FunnelStage.offer, try stage.bench.shop.delivery(scene, id)) }
        request.fresh = Bool.random(using: &random)
        switch try await stage.bench.useCases.issuing.issue(request, caller: Workbench.client) {
        case .issued(let offer, _):
            guard decisions.insert(offer.decisionId).inserted else { return }
            decided.append(now)
            eligible.append(now)
        case .refused(let refusal):
            guard decisions.insert(refusal.decisionId).inserted else { return }
            decided.append(now)
            if refusal.decision.obstacles.allSatisfy({ $0 == .rolloutHoldout || $0 == .rolloutPercent }) {
                eligible.append(now)
            }
        }
    }

    private mutating func buy(_ id: String) async throws {
        let begins = stage.bench.clock.now
        let isOffered = Bool.random(using: &random)
        let number = (periods[id]?.count ?? 0) + 1
        periods[id, default: []].append((number, begins, isOffered))
        try await stage.deliver(
            [try stage.period(id, number, begins, until: begins.adding(months: 1), offered: isOffered)],
            [try stage.renewal(id, renews: false, ended: true)])
    }

    private mutating func refund(_ id: String) async throws {
        guard let last = periods[id]?.randomElement(using: &random) else { return }
        let now = stage.bench.clock.now
        try await stage.deliver([
            try stage.period(
                id, last.number, last.begins, until: last.begins.adding(months: 1), offered: last.isOffered,
                refundedAt: now)
        ])
    }
}

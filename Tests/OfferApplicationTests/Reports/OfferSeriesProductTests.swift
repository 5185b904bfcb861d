import Foundation
import OfferAPI
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferApplication

@Suite("Trials and churn of an offer's products by date")
struct OfferSeriesProductTests {
    private func series(
        _ stage: FunnelStage, by unit: CalendarUnit = .month, from: Instant = FunnelStage.day(0), to: Instant? = nil,
        _ timeZone: String? = nil, caller: Caller = Workbench.marketing
    ) async throws -> OfferSeries {
        try await stage.bench.useCases.series.series(
            of: FunnelStage.offer, by: unit, from: from, to: to, timeZone: timeZone, countsProducts: true,
            caller: caller)
    }

    @Test(
        "random subscriptions of many customers add up to how they lived, in three time zones",
        arguments: [1, 2] as [UInt64])
    func random(seed: UInt64) async throws {
        let stage = try await FunnelStage(onFile: true)
        stage.setClock(FunnelStage.day(330))
        var ends: [RandomSubscription.End] = []
        for number in 0..<24 {
            let id = String(300 + number)
            let lived = RandomSubscription(
                TransactionId(id), of: ["monthly", "yearly"], from: FunnelStage.day(-100),
                until: FunnelStage.day(330), seed: seed * 1_000 + UInt64(number))
            ends += lived.ends.filter { $0.product == "monthly" }
            try await stage.deliver(
                try lived.transactions.map { try stage.signed($0, of: id) },
                try lived.renewalInfos.map { try stage.signed($0, of: id) })
        }
        #expect(ends.contains { $0.isTrial } && ends.contains { $0.outcome == "lost" }, "seed \(seed)")
        let (from, to) = (FunnelStage.day(0), FunnelStage.day(300).adding(milliseconds: 12_345))
        for zone in ["Europe/Berlin", "America/New_York", "Africa/Cairo"] {
            for unit in CalendarUnit.allCases {
                let report = try await series(stage, by: unit, from: from, to: to, zone)
                let buckets = try LocalBuckets(zone, unit)
                var expected: [String: Int] = [:]
                for end in ends where from <= end.at && end.at < to {
                    let name = "\(buckets.name(end.at)) \(end.isTrial ? "trial" : "period")"
                    expected["\(name) all", default: 0] += 1
                    expected["\(name) \(end.outcome)", default: 0] += 1
                }
                #expect(report.ends == expected, "seed \(seed), \(zone), \(unit)")
            }
        }
    }

    @Test("only a report that is asked for them has them, and of products without an end there is none")
    func askedFor() async throws {
        let stage = try await FunnelStage()
        let plain = try await stage.bench.useCases.series.series(of: FunnelStage.offer, caller: Workbench.marketing)
        #expect(plain.buckets.allSatisfy { $0.trials == nil && $0.churn == nil })
        stage.setClock(FunnelStage.day(5))
        let report = try await series(stage)
        #expect(!report.buckets.isEmpty && report.buckets.allSatisfy { $0.trials == [] && $0.churn == [] })
    }

    @Test("every customer counts, however many pages they fill, and none of another environment")
    func pages() async throws {
        let stage = try await FunnelStage()
        try await stage.applySandbox()
        let count = CustomerPages.size + 1
        for number in 0..<count {
            try await stage.deliver([
                try stage.period("\(1_000 + number)", 1, FunnelStage.day(-20), until: FunnelStage.day(2))
            ])
        }
        stage.setClock(FunnelStage.day(5))
        #expect(try await series(stage).buckets.flatMap { $0.churn ?? [] }.map(\.due) == [count])
        #expect(try await series(stage, caller: FunnelStage.sandbox).buckets.allSatisfy { $0.churn == [] })
    }

    @Test("a period that a renewal decides later leaves its bucket otherwise as it was")
    func decided() async throws {
        let stage = try await FunnelStage()
        let day = FunnelStage.day
        stage.setClock(day(31))
        try await stage.deliver([try stage.period("103", 1, day(0), until: day(30))])
        let before = try await series(stage)
        #expect(before.ends == ["2026-12-01 period all": 1, "2026-12-01 period undecided": 1])
        stage.setClock(day(60))
        try await stage.deliver([try stage.period("103", 2, day(30), until: day(90))])
        #expect(try await series(stage).ends == ["2026-12-01 period all": 1, "2026-12-01 period renewed": 1])
        try await stage.deliver([try stage.period("103", 1, day(0), until: day(30), refundedAt: day(10))])
        #expect(
            try await series(stage).ends == ["2026-11-01 period all": 1, "2026-11-01 period lost": 1],
            "refunded while it ran, it ended then, and the customer came back")
    }
}

extension OfferSeries {
    /// What is not 0, by the bucket's date, the kind and the outcome.
    fileprivate var ends: [String: Int] {
        var found: [String: Int] = [:]
        for bucket in buckets {
            for trials in bucket.trials ?? [] {
                found["\(bucket.date) trial all"] = trials.ended
                found["\(bucket.date) trial renewed"] = trials.converted
                found["\(bucket.date) trial undecided"] = trials.undecided
                found["\(bucket.date) trial lost"] = trials.ended - trials.converted - trials.undecided
            }
            for periods in bucket.churn ?? [] {
                found["\(bucket.date) period all"] = periods.due
                found["\(bucket.date) period lost"] = periods.lost
                found["\(bucket.date) period undecided"] = periods.undecided
                found["\(bucket.date) period renewed"] = periods.due - periods.lost - periods.undecided
            }
        }
        return found.filter { $0.value != 0 }
    }
}

/// The first days of buckets by Foundation's calendar.
private struct LocalBuckets {
    private let calendar: Calendar
    private let component: Calendar.Component

    init(_ zone: String, _ unit: CalendarUnit) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        calendar.firstWeekday = 2
        calendar.minimumDaysInFirstWeek = 4
        self.calendar = calendar
        component =
            switch unit {
            case .day: .day
            case .week: .weekOfYear
            case .month: .month
            }
    }

    func name(_ instant: Instant) -> String {
        let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
        let first = calendar.dateInterval(of: component, for: date)?.start ?? date
        let parts = calendar.dateComponents([.year, .month, .day], from: first)
        return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }
}

extension FunnelStage {
    /// Signs a transaction of a customer's subscription.
    fileprivate func signed(_ row: Transaction, of id: String) throws -> String {
        let like = try #require(try bench.shop.delivery(.lapsed, id).signedTransactions.first)
        return try bench.shop.edited(like) { payload in
            payload["transactionId"] = row.transactionId.rawValue
            payload["webOrderLineItemId"] = row.webOrderLineItemId
            payload["productId"] = row.productId.rawValue
            payload["purchaseDate"] = row.purchaseDate.milliseconds
            payload["expiresDate"] = row.expiresDate?.milliseconds
            payload["signedDate"] = row.signedDate.milliseconds
            payload["transactionReason"] = row.transactionReason?.rawValue
            payload["price"] = row.price
            payload["isUpgraded"] = row.isUpgraded ? true : nil
            payload["offerType"] = row.offerType?.rawValue
            payload["offerIdentifier"] = row.offerIdentifier?.rawValue
            payload["offerDiscountType"] = row.offerDiscountType?.rawValue
            payload["revocationDate"] = row.revocationDate?.milliseconds
            payload["revocationReason"] = row.revocationReason
            payload["revocationType"] = row.revocationType?.rawValue
        }
    }

    /// Signs renewal info of a customer's subscription.
    fileprivate func signed(_ info: RenewalInfo, of id: String) throws -> String {
        let like = try #require(try bench.shop.delivery(.subscriber, id).signedRenewalInfo.first)
        return try bench.shop.edited(like) { payload in
            payload["autoRenewStatus"] = info.autoRenewStatus?.rawValue
            payload["expirationIntent"] = info.expirationIntent?.rawValue
            payload["isInBillingRetryPeriod"] = info.isInBillingRetryPeriod
            payload["gracePeriodExpiresDate"] = info.gracePeriodExpiresDate?.milliseconds
            payload["signedDate"] = info.signedDate.milliseconds
        }
    }
}

import OfferTestSupport
import Testing

@testable import OfferModel

/// A period in days after the year began; one of a month is from 0 until 30.
private struct Lived {
    var from: Int64
    var until: Int64
    var reason: TransactionReason? = .renewal
    var change: (inout Transaction) -> Void = { _ in }

    static func trial(_ from: Int64, _ until: Int64) -> Lived {
        Lived(from: from, until: until, reason: .purchase) { row in
            (row.offerType, row.offerDiscountType, row.price) = (.introductory, .freeTrial, 0)
        }
    }

    static func free(_ from: Int64, _ until: Int64) -> Lived {
        Lived(from: from, until: until) { row in
            (row.offerType, row.offerIdentifier) = (.offerCode, "gift")
            (row.offerDiscountType, row.price) = (.freeTrial, 0)
        }
    }
}

@Suite("how the periods of a subscription ended")
struct EndedPeriodTests {
    private static let monthly: ProductId = "com.example.pro.monthly"
    private static let yearly: ProductId = "com.example.pro.yearly"

    private static func day(_ day: Int64) -> Instant {
        Instant(milliseconds: 1_767_225_600_000).adding(milliseconds: day * Instant.Duration.day)
    }

    /// Each end as `trial` or `period`, its day, and what followed.
    private func ends(
        _ periods: [Lived], _ info: RenewalInfo? = nil, of products: Set<ProductId> = [monthly], at now: Int64 = 300,
        policy: Policy = .standard
    ) -> [String] {
        let rows = periods.enumerated().map { place, lived in
            Transaction.fixture(
                TransactionId("\(place + 1)"), original: "1", product: Self.monthly, purchased: Self.day(lived.from),
                expires: Self.day(lived.until)
            ) { row in
                row.transactionReason = lived.reason
                lived.change(&row)
            }
        }
        let ends = EndedPeriod.all(
            of: products, in: Self.history(rows, info.map { [$0] } ?? []), at: Self.day(now), policy: policy)
        return ends.sorted { $0.endedAt < $1.endedAt }.map {
            "\($0.isTrial ? "trial" : "period") \($0.endedAt.days(since: Self.day(0))) \($0.outcome)"
        }
    }

    private static func history(_ rows: [Transaction], _ infos: [RenewalInfo]) -> History {
        func recorded<Payload>(_ payloads: [Payload]) -> [Recorded<Payload>] {
            payloads.map { Recorded(payload: $0, payloadBytes: [], provenance: .client, sequence: 1) }
        }
        return History(transactions: recorded(rows), renewalInfos: recorded(infos))
    }

    private static func info(_ signed: Int64, _ change: (inout RenewalInfo) -> Void = { _ in }) -> RenewalInfo {
        .fixture("1", signed: day(signed), change)
    }

    @Test("a trial is converted by a paid period, at once or after free ones, and by no free one alone")
    func trials() {
        let paid = Lived(from: 7, until: 37)
        #expect(ends([.trial(0, 7), paid], at: 10) == ["trial 7 renewed"])
        #expect(ends([.trial(0, 7), .free(7, 37)], at: 10) == ["trial 7 undecided"])
        #expect(
            ends([.trial(0, 7), .free(7, 37), Lived(from: 37, until: 67)], at: 40)
                == ["trial 7 renewed", "period 37 renewed"])
        let cancelled = Self.info(38) { ($0.autoRenewStatus, $0.expirationIntent) = (.off, .customerCancelled) }
        #expect(ends([.trial(0, 7), .free(7, 37)], cancelled, at: 40) == ["trial 7 lost", "period 37 lost"])
        #expect(ends([.trial(0, 7)], at: 6).isEmpty, "it still runs")
        #expect(ends([.trial(0, 7)], at: 7) == ["trial 7 undecided"])
        let discounted = Lived(from: 0, until: 7, reason: .purchase) { row in
            (row.offerType, row.offerDiscountType, row.price) = (.introductory, .payAsYouGo, 990)
        }
        #expect(ends([discounted, paid], at: 10) == ["period 7 renewed"], "a paid introductory offer is no trial")
    }

    @Test("a trial that an upgrade to a paid period replaced ended then, and other replaced periods did not end")
    func upgrades() {
        func upgrade(_ from: Int64, _ change: @escaping (inout Transaction) -> Void = { _ in }) -> Lived {
            Lived(from: from, until: from + 365, reason: .purchase) { row in
                row.productId = Self.yearly
                change(&row)
            }
        }
        #expect(ends([.trial(0, 7), upgrade(3)], at: 100) == ["trial 3 renewed"])
        let carried = upgrade(3) { row in
            (row.offerType, row.offerDiscountType, row.price) = (.introductory, .freeTrial, 0)
            row.expiresDate = Self.day(7)
        }
        let both: Set = [Self.monthly, Self.yearly]
        #expect(ends([.trial(0, 7), carried], of: both, at: 100) == ["trial 7 undecided"], "one trial, not two")
        #expect(ends([Lived(from: 0, until: 30), upgrade(3)], at: 100).isEmpty)
        #expect(
            ends([Lived(from: 0, until: 30), Lived(from: 30, until: 60), upgrade(40)], at: 100) == ["period 30 renewed"]
        )
    }

    @Test("Apple renews within billing retry; what the customer buys after the end is a return")
    func gaps() {
        func gap(_ from: Int64, _ reason: TransactionReason?, commitment: Bool = false) -> String? {
            let change: (inout Transaction) -> Void = { row in
                if commitment { row.commitmentInfo = TransactionCommitmentInfo() }
            }
            return ends(
                [
                    Lived(from: 0, until: 30, change: change),
                    Lived(from: from, until: from + 200, reason: reason, change: change),
                ], at: 200
            ).first
        }
        for reason in [TransactionReason.renewal, nil, TransactionReason(rawValue: "LATER")] {
            for (from, outcome) in [(30, "renewed"), (31, "renewed"), (90, "renewed"), (91, "undecided")] {
                #expect(gap(Int64(from), reason) == "period 30 \(outcome)", "\(from), \(reason?.rawValue ?? "none")")
            }
        }
        #expect(gap(120, .renewal, commitment: true) == "period 30 renewed")
        #expect(gap(121, .renewal, commitment: true) == "period 30 undecided")
        for (from, outcome) in [(29, "renewed"), (30, "renewed"), (31, "lost"), (150, "lost")] {
            #expect(gap(Int64(from), .purchase) == "period 30 \(outcome)", "\(from)")
        }
        let sandbox = Policy.standard.scaled(for: .sandbox)
        let quick = [Lived(from: 0, until: 30), Lived(from: 31, until: 200)]
        #expect(ends(quick, at: 100, policy: sandbox) == ["period 30 undecided"], "Sandbox tries for two hours")
    }

    @Test("the last period is lost once its state says so, and undecided until then")
    func last() {
        let period = [Lived(from: 0, until: 30)]
        let retry: (inout RenewalInfo) -> Void = { $0.isInBillingRetryPeriod = true }
        let ended: (inout RenewalInfo) -> Void = {
            ($0.autoRenewStatus, $0.expirationIntent) = (.off, .billingError)
        }
        let grace: (inout RenewalInfo) -> Void = { info in
            info.isInBillingRetryPeriod = true
            info.gracePeriodExpiresDate = Self.day(46)
        }
        let cases: [(RenewalInfo?, Int64, String)] = [
            (nil, 31, "undecided"), (nil, 10_000, "undecided"), (Self.info(20), 31, "undecided"),
            (Self.info(20) { $0.autoRenewStatus = .off }, 31, "lost"), (Self.info(31, ended), 31, "lost"),
            (Self.info(31, retry), 31, "undecided"), (Self.info(31, retry), 89, "undecided"),
            (Self.info(31, retry), 91, "undecided"), (Self.info(91, ended), 91, "lost"),
            (Self.info(31, grace), 40, "undecided"), (Self.info(31, grace), 50, "undecided"),
        ]
        for (info, now, outcome) in cases {
            #expect(ends(period, info, at: now) == ["period 30 \(outcome)"], "\(now)")
        }
    }

    @Test("a refund ends a period, unless the period had ended before")
    func refunds() {
        func refunded(_ day: Int64) -> Lived {
            Lived(from: 0, until: 30) { row in
                (row.revocationDate, row.revocationReason, row.revocationType) = (Self.day(day), 0, .refundFull)
            }
        }
        #expect(ends([refunded(10)]) == ["period 10 lost"])
        #expect(ends([refunded(40)]) == ["period 30 lost"], "its state is revoked")
        #expect(ends([refunded(40), Lived(from: 30, until: 60)], at: 50) == ["period 30 renewed"])
        #expect(
            ends([refunded(10), Lived(from: 30, until: 60)], at: 50) == ["period 10 renewed"],
            "the subscription went on")
        #expect(ends([refunded(10), Lived(from: 12, until: 60, reason: .purchase)], at: 50) == ["period 10 lost"])
        #expect(
            ends([.trial(0, 7), Lived(from: 7, until: 37) { $0.revocationDate = Self.day(9) }])
                == ["trial 7 renewed", "period 9 lost"])
    }

    @Test("added seats are of one period, and what is shared, of another product, or without an end counts nowhere")
    func others() {
        let seats = Lived(from: 10, until: 30, reason: .purchase) { $0.additionalTransactionReason = .seatAddition }
        var first = Lived(from: 0, until: 30)
        #expect(ends([first, seats, Lived(from: 30, until: 60)], at: 50) == ["period 30 renewed"])
        first.change = { $0.revocationDate = Self.day(12) }
        #expect(ends([first, seats, Lived(from: 30, until: 60)], at: 50) == ["period 30 renewed"], "a seat is left")
        for ownership in [InAppOwnershipType.familyShared, .assigned, InAppOwnershipType(rawValue: "LATER")] {
            #expect(ends([Lived(from: 0, until: 30) { $0.inAppOwnershipType = ownership }]).isEmpty)
        }
        #expect(
            ends([Lived(from: 0, until: 30)], of: [Self.yearly]).isEmpty
                && ends([Lived(from: 0, until: 30)], of: []).isEmpty)
        #expect(ends([Lived(from: 0, until: 30) { $0.expiresDate = nil }]).isEmpty && ends([]).isEmpty)
        #expect(ends([Lived(from: 0, until: 30) { $0.subscriptionGroupIdentifier = nil }]).isEmpty)
    }

    @Test("random subscriptions ended as they lived, in whatever order and under how many ids Apple signed them")
    func random() {
        let products = [Self.monthly, Self.yearly]
        var seen: [String: Int] = [:]
        for seed in (1 as UInt64)...2_000 {
            let lived = RandomSubscription("5", of: products, from: Self.day(-700), until: Self.day(0), seed: seed)
            let found = EndedPeriod.all(
                of: Set(products), in: Self.history(lived.transactions, lived.renewalInfos), at: Self.day(0))
            func words(_ product: ProductId, _ at: Instant, _ isTrial: Bool, _ outcome: String) -> String {
                "\(at) \(product) \(isTrial ? "trial" : "period") \(outcome)"
            }
            let expected = lived.ends.map { words($0.product, $0.at, $0.isTrial, $0.outcome) }.sorted()
            #expect(
                found.map { words($0.productId, $0.endedAt, $0.isTrial, "\($0.outcome)") }.sorted() == expected,
                "seed \(seed)")
            for end in lived.ends { seen["\(end.isTrial) \(end.outcome)", default: 0] += 1 }
            let one = EndedPeriod.all(
                of: [Self.yearly], in: Self.history(lived.transactions, lived.renewalInfos), at: Self.day(0))
            #expect(one.count == lived.ends.count { $0.product == Self.yearly }, "seed \(seed)")
        }
        #expect(seen.count == 6 && seen.values.allSatisfy { $0 > 50 }, "\(seen)")
    }
}

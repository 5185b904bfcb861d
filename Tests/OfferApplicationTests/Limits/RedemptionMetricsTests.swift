import Metrics
import MetricsTestKit
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Synchronization
import Testing

@Suite("Uses of offers in the metrics")
struct RedemptionMetricsTests {
    /// The counters of a workbench's uses, by kind; those that were never counted are left out.
    private static func counts(_ metrics: TestMetrics) -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for kind in RedemptionNews.Kind.allCases {
            let counters = metrics.counters.filter { counter in
                counter.label == "offerd_redemptions_total"
                    && counter.dimensions.contains { $0 == ("kind", kind.rawValue) }
                    && counter.dimensions.contains { $0 == ("app", "com.example.pro") }
                    && counter.dimensions.contains { $0 == ("environment", "LocalTesting") }
            }
            let total = counters.map(\.totalValue).reduce(0, +)
            if total > 0 { counts[kind.rawValue] = total }
        }
        return counts
    }

    private static func started() async throws -> (bench: Workbench, metrics: TestMetrics, jws: String) {
        let metrics = TestMetrics()
        let bench = try await Workbench(metrics: metrics)
        let delivery = try bench.shop.delivery(.lapsed, "100")
        _ = try await bench.granted(.of("comeback", delivery))
        #expect(counts(metrics).isEmpty)
        return (bench, metrics, try #require(delivery.signedTransactions.first))
    }

    @Test("a run of periods is one use, counted once however often its data comes and in whatever order")
    func run() async throws {
        let (bench, metrics, jws) = try await Self.started()
        bench.clock.advance(hours: 24 * 100)
        let bought = Workbench.start.adding(milliseconds: Instant.Duration.hour)
        let periods = try (0..<3).map { month in
            try bench.shop.edited(
                try bench.shop.redemption(
                    of: "comeback50", "10090\(month)", like: jws, at: bought.adding(months: month))
            ) { payload in
                payload["offerPeriod"] = "P3M"
                payload["transactionReason"] = month == 0 ? "PURCHASE" : "RENEWAL"
            }
        }
        for jws in periods + [periods[0]] { try await bench.deliver(SignedDelivery(signedTransactions: [jws])) }
        #expect(Self.counts(metrics) == ["redeemed": 1])
    }

    @Test("pending in renewal info is counted, and the purchase that follows is the same use")
    func pending() async throws {
        let (bench, metrics, jws) = try await Self.started()
        bench.clock.advance(hours: 1)
        let (shop, now) = (bench.shop, bench.clock.now)
        let info = try #require(try shop.delivery(.lapsed, "100").signedRenewalInfo.first)
        let shown = try shop.edited(info) { payload in
            payload["signedDate"] = now.milliseconds
            payload["offerType"] = 2
            payload["offerIdentifier"] = "comeback50"
        }
        try await bench.deliver(SignedDelivery(signedRenewalInfo: [shown]))
        #expect(Self.counts(metrics) == ["redeemed": 1, "pending": 1])
        bench.clock.advance(hours: 1)
        let use = try shop.redemption(of: "comeback50", "100900", like: jws, at: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        #expect(Self.counts(metrics) == ["redeemed": 1, "pending": 1])
    }

    @Test("late, doubled and unmatched uses, and a purchase at full price, are counted each by its name")
    func flags() async throws {
        let (bench, metrics, jws) = try await Self.started()
        bench.tolerateOverrun()
        bench.clock.advance(hours: 24 * 100)
        func use(_ id: String, _ offer: String, hours: Int64) throws -> SignedDelivery {
            let at = Workbench.start.adding(milliseconds: hours * Instant.Duration.hour)
            return SignedDelivery(signedTransactions: [try bench.shop.redemption(of: offer, id, like: jws, at: at)])
        }
        try await bench.deliver(try use("100901", "comeback50", hours: 30))
        #expect(Self.counts(metrics) == ["redeemed": 1, "late": 1])
        try await bench.deliver(try use("100902", "comeback50", hours: 24 * 50))
        #expect(Self.counts(metrics) == ["redeemed": 2, "late": 2, "doubled": 1])
        try await bench.deliver(try use("100903", "elsewhere", hours: -24 * 20))
        #expect(Self.counts(metrics) == ["redeemed": 3, "late": 2, "doubled": 1, "unmatched": 1])
    }

    @Test("bought at full price right after a signature is counted once")
    func fullPrice() async throws {
        let (bench, metrics, jws) = try await Self.started()
        bench.clock.advance(hours: 1)
        let now = bench.clock.now
        for id in ["100900", "100901"] {
            let purchase = try bench.shop.edited(jws) { payload in
                payload["transactionId"] = id
                payload["purchaseDate"] = now.milliseconds + (id == "100901" ? 1_000 : 0)
                payload["expiresDate"] = now.adding(months: 1).milliseconds
                payload["signedDate"] = now.milliseconds
                payload["transactionReason"] = "PURCHASE"
            }
            try await bench.deliver(SignedDelivery(signedTransactions: [purchase]))
        }
        #expect(Self.counts(metrics) == ["fullPrice": 1])
    }

    @Test("redemptions that a merge moves from one customer to another are not counted again")
    func merge() async throws {
        let metrics = TestMetrics()
        let bench = try await Workbench(metrics: metrics)
        bench.tolerateOverrun()
        for id in ["100", "200"] {
            let jws = try bench.shop.edited(
                try #require(try bench.shop.delivery(.lapsed, id).signedTransactions.first)
            ) { $0["appTransactionId"] = nil }
            let use = try bench.shop.redemption(
                of: "comeback50", "\(id)900", like: jws, at: Workbench.start.adding(months: -1))
            try await bench.deliver(SignedDelivery(signedTransactions: [jws, use]))
        }
        #expect(Self.counts(metrics) == ["redeemed": 2, "unmatched": 2])
        for id in ["100", "200"] {
            let proof = try bench.shop.edited(
                try #require(try bench.shop.delivery(.lapsed, id).signedTransactions.first)
            ) { payload in
                payload["appTransactionId"] = "app-one"
                payload["signedDate"] = Workbench.start.milliseconds + 1
            }
            try await bench.deliver(SignedDelivery(signedTransactions: [proof]))
        }
        #expect(try await bench.count("customer_merge") == 1)
        #expect(Self.counts(metrics) == ["redeemed": 2, "unmatched": 2])
    }

    @Test("a transaction that fails counts nothing")
    func failed() async throws {
        struct Stop: Error {}
        let bench = try await Workbench()
        let told = Told()
        let ledger = OfferStore.Ledger(bench.database, digest: OpenSSLDigest(), onRedemptions: { told.add($0) })
        let use = HistoryPayload.use("900")
        await #expect(throws: Stop.self) {
            try await ledger.write(by: AuditAuthor(actor: "tests")) { transaction in
                let scope = try ScopeStore(transaction).findOrAdd(Workbench.scope)
                _ = try HistoryStore(transaction).ingest([use], at: Workbench.start, in: scope)
                throw Stop()
            }
        }
        #expect(told.news.isEmpty)
        try await ledger.write(by: AuditAuthor(actor: "tests")) { transaction in
            let scope = try ScopeStore(transaction).findOrAdd(Workbench.scope)
            _ = try HistoryStore(transaction).ingest([use], at: Workbench.start, in: scope)
        }
        #expect(told.news.map(\.scope) == [Workbench.scope])
        #expect(told.news.first?.counts == [.redeemed: 1, .unmatched: 1])
    }
}

/// What a ledger has told.
private final class Told: Sendable {
    private let all = Mutex<[RedemptionNews]>([])

    func add(_ news: RedemptionNews) { all.withLock { $0.append(news) } }
    var news: [RedemptionNews] { all.withLock { $0 } }
}

extension HistoryPayload {
    fileprivate static func use(_ id: TransactionId) -> HistoryPayload {
        var transaction = Transaction(
            transactionId: id, originalTransactionId: id, bundleId: "com.example.pro", productId: "monthly",
            purchaseDate: Workbench.start, signedDate: Workbench.start)
        transaction.subscriptionGroupIdentifier = "21500001"
        transaction.type = .autoRenewableSubscription
        transaction.offerType = .promotional
        transaction.offerIdentifier = "comeback50"
        return HistoryPayload(.transaction(transaction), bytes: Array(id.rawValue.utf8), provenance: .client)
    }
}

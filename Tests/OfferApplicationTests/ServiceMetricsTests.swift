import Metrics
import MetricsTestKit
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("Decisions and offers in the metrics")
struct ServiceMetricsTests {
    /// The counters of a name that are not 0, by the values of these labels.
    private static func counts(_ metrics: TestMetrics, _ name: String, _ labels: String...) -> [String: Int64] {
        metrics.counters.filter { $0.label == name }.reduce(into: [:]) { counts, counter in
            let values = labels.map { label in counter.dimensions.first { $0.0 == label }?.1 ?? "–" }
            counts[values.joined(separator: " "), default: 0] += counter.totalValue
        }
    }

    @Test("issued, reused and signed again are told apart, and each answer counts one decision")
    func issued() async throws {
        let metrics = TestMetrics()
        let bench = try await Workbench(metrics: metrics)
        var order = IssueRequest.of("comeback", try bench.shop.delivery(.lapsed, "100"))
        for _ in 0..<3 { _ = try await bench.granted(order) }
        order.fresh = true
        _ = try await bench.granted(order)
        #expect(
            Self.counts(metrics, "offerd_issued_offers_total", "offer", "result")
                == ["comeback issued": 1, "comeback reused": 2, "comeback signedAgain": 1])
        #expect(
            Self.counts(metrics, "offerd_decisions_total", "app", "environment", "outcome", "rule", "purpose")
                == ["com.example.pro LocalTesting eligible none issue": 4])
    }

    @Test("a refusal counts each time, by the first rule that says no, also where it is not recorded again")
    func refused() async throws {
        let metrics = TestMetrics()
        let bench = try await Workbench(metrics: metrics)
        try await bench.deliver(try bench.shop.delivery(.subscriber, "1"))
        let order = IssueRequest(offerId: "back", customer: named("1"))
        let findings = try await bench.refused(order).decision.findings
        let rule = try #require(findings.first { $0.verdict == .violated }?.rule)
        _ = try await bench.refused(order)
        _ = try await bench.dryRun(named("1"), "back")
        #expect(
            Self.counts(metrics, "offerd_decisions_total", "offer", "outcome", "rule", "purpose") == [
                "back ineligible \(rule.rawValue) issue": 2, "back ineligible \(rule.rawValue) dryRun": 1,
            ])
        #expect(Self.counts(metrics, "offerd_issued_offers_total", "offer").isEmpty)
    }

    @Test("an answer given again under its key, and a dry-run that supposes something, count nothing")
    func again() async throws {
        let metrics = TestMetrics()
        let bench = try await Workbench(metrics: metrics)
        let order = IssueRequest.of("comeback", try bench.shop.delivery(.lapsed, "100"))
        let key = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: .client)
        let caller = Caller(apiKeyId: key.id, scope: Workbench.scope, role: .client)
        for _ in 0..<3 {
            _ = try await bench.useCases.issuing.issue(
                order, caller: caller, as: IdempotentRequest(key: "k", route: "r", body: [1]),
                write: { _ in WrittenAnswer(status: 201, contentType: "a", body: []) })
        }
        #expect(Self.counts(metrics, "offerd_issued_offers_total", "offer", "result") == ["comeback issued": 1])
        var inquiry = Inquiry(customer: named("100"), offerIds: ["comeback"])
        inquiry.asOf = bench.clock.now
        _ = try await bench.useCases.decisions.decide(inquiry, caller: Workbench.caller(.support))
        #expect(Self.counts(metrics, "offerd_decisions_total", "purpose") == ["issue": 1])
    }

    @Test("there is an end to the series of a name")
    func bounded() {
        let metrics = TestMetrics()
        let family = MetricFamily<Metrics.Counter>("a_total", ["x"], metrics)
        for number in 0..<10_100 { family["\(number)"].increment() }
        let other = metrics.counters.filter { $0.dimensions.contains { $0 == ("x", "other") } }
        #expect(metrics.counters.count == 10_001)
        #expect(other.map(\.totalValue) == [100])
    }
}

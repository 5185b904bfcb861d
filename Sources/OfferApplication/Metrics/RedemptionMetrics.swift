import Metrics
import OfferModel
import OfferStore

/// Counts what becomes known about uses of offers: `offerd_redemptions_total` (docs/operations.md).
///
/// Counted is what this process commits, once it is durable. What the limits count is in the database.
struct RedemptionMetrics: Sendable {
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    func note(_ news: RedemptionNews) {
        for (kind, count) in news.counts {
            Counter(
                label: "offerd_redemptions_total",
                dimensions: [
                    ("app", news.scope.bundleId.rawValue), ("environment", news.scope.environment.rawValue),
                    ("kind", kind.rawValue),
                ], factory: factory
            ).increment(by: count)
        }
    }
}

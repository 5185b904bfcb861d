public import Metrics

/// What is counted about webhooks (docs/operations.md#metrics).
public struct WebhookMetrics: Sendable {
    private let deliveries: MetricFamily<Counter>
    private let lags: MetricFamily<Gauge>
    private let waiting: MetricFamily<Gauge>

    public init(_ factory: any MetricsFactory) {
        deliveries = MetricFamily("offerd_webhook_deliveries_total", ["webhook", "outcome"], factory)
        lags = MetricFamily(["webhook"]) {
            Gauge(label: "offerd_webhook_lag_seconds", dimensions: $0, factory: factory)
        }
        waiting = MetricFamily(["webhook"]) {
            Gauge(label: "offerd_webhook_waiting_events", dimensions: $0, factory: factory)
        }
    }

    /// Shows a webhook from the start: a counter that appears with its first event has no rate then.
    func begin(_ webhook: Webhook) {
        for outcome in ["delivered", "failed", "dropped"] { deliveries[webhook.name, outcome].increment(by: 0) }
        state(of: webhook, lag: 0, waiting: 0)
    }

    /// - Parameter lag: the age of the oldest event that was not tried yet, in milliseconds.
    func state(of webhook: Webhook, lag: Int64, waiting count: Int) {
        lags[webhook.name].record(Double(lag) / 1_000)
        waiting[webhook.name].record(count)
    }

    func attempted(_ webhook: Webhook, _ outcome: WebhookOutcome) {
        deliveries[webhook.name, outcome == .delivered ? "delivered" : "failed"].increment()
    }

    func dropped(_ count: Int, by webhook: Webhook) {
        deliveries[webhook.name, "dropped"].increment(by: count)
    }
}

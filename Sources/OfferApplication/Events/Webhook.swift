public import Metrics
public import OfferModel
import OfferSigning
import Synchronization

public struct Webhook: Sendable {
    /// Identifies it in the database: a digest of the URL, the app and the environment.
    public let id: String
    /// Its host, with a number if several have the same: for the log and the metrics, because a URL may hold a token.
    public let name: String
    public let url: String
    public let events: Set<EventType>
    public let app: BundleId?
    public let environment: AppStoreEnvironment?
    /// How many events are sent in a second at most.
    public let perSecond: Int
    private let secrets: [any KeyedDigest]

    public init(
        name: String, url: String, secrets: [any KeyedDigest], events: Set<EventType>, app: BundleId? = nil,
        environment: AppStoreEnvironment? = nil, perSecond: Int, digest: any Digest
    ) {
        self.name = name
        self.url = url
        self.secrets = secrets
        self.events = events
        self.app = app
        self.environment = environment
        self.perSecond = perSecond
        id = Self.id(url: url, app: app, environment: environment, digest: digest)
    }

    public static func id(
        url: String, app: BundleId?, environment: AppStoreEnvironment?, digest: any Digest
    ) -> String {
        let place = [url, app?.rawValue ?? "", environment?.rawValue ?? ""].joined(separator: "\n")
        return Hexadecimal.lowercase(digest.sha256(Array(place.utf8)))
    }

    func takes(_ type: EventType, in scope: Scope) -> Bool {
        events.contains(type) && isFor(scope)
    }

    /// A message by the Standard Webhooks specification, signed with every secret.
    func message(_ id: LowercaseUUID, _ body: [UInt8], at now: Instant) -> WebhookMessage {
        let timestamp = String(now.seconds)
        let signed = Array("\(id).\(timestamp).".utf8) + body
        let signatures = secrets.map { "v1," + Base64.encode($0.digest(of: signed)) }
        return WebhookMessage(
            url: url, id: id.description, timestamp: timestamp, signature: signatures.joined(separator: " "),
            body: body)
    }
}

/// One attempt to deliver an event.
public struct WebhookMessage: Sendable, Hashable {
    public let url: String
    /// `webhook-id`.
    public let id: String
    /// `webhook-timestamp`: seconds since 1970.
    public let timestamp: String
    /// `webhook-signature`.
    public let signature: String
    public let body: [UInt8]
}

public enum WebhookReply: Sendable, Hashable {
    /// With the seconds or the date of `Retry-After`.
    case status(Int, retryAfter: String? = nil)
    /// No answer, with the reason.
    case failed(String)
}

/// The network as one function, so that its failures can be tested.
public protocol WebhookSender: Sendable {
    /// Sends a message once. Redirects are not followed, and the body of the answer is ignored.
    func send(_ message: WebhookMessage) async -> WebhookReply
}

public final class WebhookRegistry: Sendable {
    private let state: Mutex<(webhooks: [Webhook], version: Int)>
    private let latestFailures = Mutex<[String: String]>([:])

    public init(_ webhooks: [Webhook] = []) {
        state = Mutex((webhooks, 0))
    }

    public func replace(with webhooks: [Webhook]) {
        state.withLock { $0 = (webhooks, $0.version + 1) }
    }

    public var all: [Webhook] { state.withLock { $0.webhooks } }

    /// Why the latest failure of each webhook was one, by its id; of this process, since its start.
    var failures: [String: String] { latestFailures.withLock { $0 } }

    public func noteFailure(_ reason: String, of webhook: Webhook) {
        latestFailures.withLock { $0[webhook.id] = reason }
    }

    /// Increases whenever the webhooks are replaced.
    public var version: Int { state.withLock { $0.version } }
}

/// The metrics of webhooks (docs/monitoring.md#metrics).
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

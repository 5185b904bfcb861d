public import Metrics
import OfferAPI
import OfferModel
import OfferSigning
import OfferStore
import Synchronization

/// The metrics of one name, by the values of their labels. Each is made once: the labels' values must be from closed
/// lists or from the catalogs in force, never from a request.
public final class MetricFamily<Metric: Sendable>: Sendable {
    /// Beyond it all further values are counted together as `other`, whatever the lists come to.
    private static var most: Int { 10_000 }

    private let made = Mutex<[[String]: Metric]>([:])
    private let make: @Sendable ([String]) -> Metric

    init(_ labels: [String], make: @escaping @Sendable ([(String, String)]) -> Metric) {
        self.make = { make(Array(zip(labels, $0))) }
    }

    public subscript(values: String...) -> Metric {
        made.withLock { made in
            if let metric = made[values] { return metric }
            let values = made.count < Self.most ? values : values.map { _ in "other" }
            if let metric = made[values] { return metric }
            let metric = make(values)
            made[values] = metric
            return metric
        }
    }
}

extension MetricFamily where Metric == Counter {
    public convenience init(_ name: String, _ labels: [String], _ factory: any MetricsFactory) {
        self.init(labels) { Counter(label: name, dimensions: $0, factory: factory) }
    }
}

extension MetricFamily where Metric == Timer {
    public convenience init(_ name: String, _ labels: [String], _ factory: any MetricsFactory) {
        self.init(labels) { Timer(label: name, dimensions: $0, factory: factory) }
    }
}

/// The counts of the use cases (docs/monitoring.md#metrics): of what this process has answered or committed, once it is
/// durable. What the limits count is in the database.
struct ServiceMetrics: Sendable {
    enum Purpose: String {
        case issue, dryRun
    }

    private let redemptions: MetricFamily<Counter>
    private let decisions: MetricFamily<Counter>
    private let issuedOffers: MetricFamily<Counter>
    private let notifications: MetricFamily<Counter>
    private let refusedNotifications: MetricFamily<Counter>
    private let notificationAges: MetricFamily<Timer>

    init(_ factory: any MetricsFactory) {
        func counters(_ name: String, _ labels: String...) -> MetricFamily<Counter> {
            MetricFamily(name, ["app", "environment"] + labels, factory)
        }
        redemptions = counters("offerd_redemptions_total", "kind")
        decisions = counters("offerd_decisions_total", "offer", "outcome", "rule", "purpose")
        issuedOffers = counters("offerd_issued_offers_total", "offer", "result")
        notifications = counters("offerd_notifications_total", "type", "repeated")
        refusedNotifications = counters("offerd_notifications_refused_total", "code")
        notificationAges = MetricFamily("offerd_notification_age_seconds", ["app", "environment"], factory)
    }

    func note(_ news: RedemptionNews) {
        let (app, environment) = (news.scope.bundleId.rawValue, news.scope.environment.rawValue)
        for (kind, count) in news.counts { redemptions[app, environment, kind.rawValue].increment(by: count) }
    }

    /// - Parameter offer: one of the catalog in force; there is no end to those that a dry-run may suppose.
    func decided(_ decision: Decision, on offer: Offer, for purpose: Purpose, in scope: Scope) {
        let verdict: Verdict? =
            switch decision.outcome {
            case .eligible: nil
            case .ineligible: .violated
            case .undetermined: .undetermined
            }
        let rule = decision.findings.first { $0.verdict == verdict }?.rule.rawValue ?? "none"
        decisions[
            scope.bundleId.rawValue, scope.environment.rawValue, offer.id.rawValue, decision.outcome.rawValue, rule,
            purpose.rawValue
        ].increment()
    }

    /// An issue request was answered by a decision of its own, not by an earlier answer under its key.
    func answered(_ issuance: Issuance) {
        let (offer, scope) = (issuance.question.offer, issuance.caller.scope)
        decided(issuance.decision, on: offer, for: .issue, in: scope)
        guard issuance.decision.outcome == .eligible else { return }
        let result = issuance.stored != nil ? "reused" : issuance.open != nil ? "signedAgain" : "issued"
        issuedOffers[scope.bundleId.rawValue, scope.environment.rawValue, offer.id.rawValue, result].increment()
    }

    /// - Parameter age: since Apple signed it, in milliseconds; `nil` for one that was fetched.
    func received(_ receipt: NotificationBody, age: Int64?, in scope: Scope) {
        let (app, environment) = (scope.bundleId.rawValue, scope.environment.rawValue)
        notifications[app, environment, receipt.notificationType.rawValue, "\(receipt.repeated)"].increment()
        if let age { notificationAges[app, environment].recordMilliseconds(max(0, age)) }
    }

    func refused(_ refusal: SignedDataRefusal, in scope: Scope) {
        refusedNotifications[scope.bundleId.rawValue, scope.environment.rawValue, refusal.code.rawValue].increment()
    }
}

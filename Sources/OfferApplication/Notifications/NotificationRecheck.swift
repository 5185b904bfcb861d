import AppStoreServer
public import OfferModel
import OfferStore

/// Fetches the notifications that did not reach this server, app by app: Apple may not send again what was refused, and
/// stops after a week of an outage.
public struct NotificationRecheck: Sendable {
    public struct Sum: Sendable, Hashable {
        public var added = 0
        public var known = 0
        public var refused = 0

        public init(added: Int = 0, known: Int = 0, refused: Int = 0) {
            self.added = added
            self.known = known
            self.refused = refused
        }
    }

    private let registry: AppRegistry
    private let notifications: NotificationIngestion
    private let patience: RetryPolicy
    private let clock: @Sendable () -> Instant

    public init(
        _ registry: AppRegistry, _ notifications: NotificationIngestion, patience: RetryPolicy,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.registry = registry
        self.notifications = notifications
        self.patience = patience
        self.clock = clock
    }

    /// Every app and environment that has an App Store server to ask.
    public var scopes: [Scope] {
        registry.all.flatMap { app in
            app.appStoreServers.keys.sorted { $0.rawValue < $1.rawValue }
                .map { Scope(bundleId: app.bundleId, environment: $0) }
        }
    }

    /// Takes in what Apple failed to deliver lately.
    ///
    /// - Parameter span: how far back, in milliseconds.
    /// - Throws: ``RequestError`` for what prevents all further work, `CancellationError`. What was kept stays.
    public func run(_ scope: Scope, over span: Int64) async throws -> Sum {
        let work = try NotificationBackfill(
            registry, notifications, in: scope, by: AuditAuthor(actor: "offerd recheck"), patience: patience,
            clock: clock)
        let now = clock()
        let query = NotificationHistoryQuery(from: now.adding(milliseconds: -span), to: now, onlyFailures: true)
        var sum = Sum()
        var token: String?
        repeat {
            let page = try await work.fetch(query, after: token)
            sum.added += page.added
            sum.known += page.known
            sum.refused += page.refused.count
            token = page.next
        } while token != nil
        return sum
    }
}

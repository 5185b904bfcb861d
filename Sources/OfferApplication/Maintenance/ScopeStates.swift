package import OfferAPI
public import OfferModel
public import OfferStore

/// Whether App Store Server Notifications of a scope arrive.
public struct NotificationArrival: Sendable, Hashable {
    public struct Arrived: Sendable, Hashable {
        public var type: NotificationType
        public var source: NotificationSource
        public var receivedAt: Instant

        fileprivate init(_ stored: StoredNotification) {
            (type, source, receivedAt) = (stored.type, stored.source, stored.receivedAt)
        }
    }

    /// Absent if none was ever stored.
    public var newest: Arrived?
    public var newestTest: Arrived?
    /// The newest that Apple delivered; the others were fetched.
    public var newestDelivered: Arrived?

    /// - Throws: `StoreError`.
    public init(of scope: Scope, _ transaction: any StoreTransaction) throws {
        guard let number = try ScopeStore(transaction).number(of: scope) else { return }
        let store = NotificationStore(transaction)
        newest = try store.newest(in: number).map(Arrived.init)
        newestTest = try store.newestTest(in: number).map(Arrived.init)
        newestDelivered = try store.newestDelivered(in: number).map(Arrived.init)
    }
}

/// Where the delivery to a webhook is.
public struct WebhookStanding: Sendable, Hashable {
    public var name: String
    /// Whether a server has begun with it.
    public var hasBegun: Bool
    public var succeededAt: Instant?
    public var failingSince: Instant?
    /// Nothing is sent before.
    public var retryAt: Instant?
    /// How many events the receiver refused that will be sent again.
    public var waiting: Int
    /// Why the latest failure was one, where this process had it.
    public var failure: String?

    /// - Throws: `StoreError`.
    public init(of webhook: Webhook, _ transaction: any StoreTransaction) throws {
        let store = WebhookStore(transaction)
        let state = try store.state(webhook.id)
        (name, hasBegun, waiting) = (webhook.name, state != nil, try store.waiting(webhook.id))
        (succeededAt, failingSince, retryAt) = (state?.succeededAt, state?.failingSince, state?.retryAt)
    }
}

/// What an operator has to know of one app in one environment, beside a ``ServerState``.
public struct ScopeState: Sendable {
    public var notifications: NotificationArrival
    public var webhooks: [WebhookStanding]
    /// The newest events that a webhook refused, and the first that a failing one did not take; the newest first.
    package var undelivered: [EventBody]
    public var apiKeys: [APIKeySummary]
}

public struct ScopeStates: Sendable {
    let database: any StoreDatabase
    let webhooks: WebhookRegistry
    let apiKeys: APIKeys

    /// The state of the caller's own scope; of another one a key says nothing.
    public func read(caller: Caller) async throws -> ScopeState {
        let (scope, webhooks) = (caller.scope, webhooks.all.filter { $0.isFor(caller.scope) })
        let failures = self.webhooks.failures
        let (arrival, standings, undelivered) = try await database.read { transaction in
            (
                try NotificationArrival(of: scope, transaction),
                try webhooks.map { webhook in
                    var standing = try WebhookStanding(of: webhook, transaction)
                    standing.failure = failures[webhook.id]
                    return standing
                }, try Self.undelivered(to: webhooks, in: scope, transaction)
            )
        }
        let keys = try await apiKeys.list(withUnstoredUses: true).filter { $0.scope == scope }
        return ScopeState(notifications: arrival, webhooks: standings, undelivered: undelivered, apiKeys: keys)
    }

    /// The most events that are listed as undelivered.
    private static let mostEvents = 10

    private static func undelivered(
        to webhooks: [Webhook], in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> [EventBody] {
        guard let number = try ScopeStore(transaction).number(of: scope) else { return [] }
        let (store, events) = (WebhookStore(transaction), EventStore(transaction))
        var found: [Int64: StoredEvent] = [:]
        for webhook in webhooks {
            for place in try store.newestWaiting(webhook.id, limit: mostEvents) {
                let event = try events.page(after: place - 1, scope: number, limit: 1).first
                if let event, event.sequence == place { found[place] = event }
            }
            guard let state = try store.state(webhook.id), state.failingSince != nil else { continue }
            for event in try events.page(
                after: state.doneTo, scope: number, types: webhook.events, limit: mostEvents)
            { found[event.sequence] = event }
        }
        return try found.values.sorted { $0.sequence > $1.sequence }.prefix(mostEvents)
            .map { try EventBody(withoutIdentifiers: $0) }
    }
}

extension APIKeySummary {
    package var isUsable: Bool { state != .revoked && state != .expired }
}

extension APIKeyState {
    package var text: String {
        switch self {
        case .active: "active"
        case .ends(let end): "ends \(TimeText.absolute(end))"
        case .expired: "expired"
        case .revoked: "revoked"
        }
    }
}

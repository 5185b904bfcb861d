package import OfferAPI
package import OfferModel
import OfferStore

/// Reads events and sends them again: `/v1/events`.
public struct EventFeed: Sendable {
    let database: any StoreDatabase
    let webhooks: WebhookRegistry
    let clock: RequestClock

    /// The next events after another, earliest first. The cursor of the next page is the id of the last one.
    ///
    /// A caller with the role `marketing` gets them without identifiers.
    ///
    /// - Parameter from: only those that occurred then or later.
    package func page(
        type: EventType?, from: Instant?, limit: Int, after: EventId?, caller: Caller
    ) async throws -> PageBody<EventBody> {
        try await database.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: caller.scope) else {
                return PageBody(items: [], next: nil)
            }
            let start = try from.map { try Self.place(before: $0, in: number, transaction) } ?? 0
            // One more than asked for tells whether there is another page.
            let found = try EventStore(transaction).page(
                after: max(start, after?.sequence ?? 0), scope: number, types: type.map { [$0] }, limit: limit + 1)
            let shown = found.prefix(limit)
            return PageBody(
                items: try shown.map { event in
                    caller.role == .marketing
                        ? try EventBody(withoutIdentifiers: event) : try EventBody(event, transaction)
                },
                next: found.count > limit ? shown.last?.id.description : nil)
        }
    }

    /// A place before which every event is older. Events have no index by time, but their order is that of time.
    private static func place(
        before from: Instant, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> Int64 {
        var (low, high): (Int64, Int64) = (0, try StoreClock(transaction).newestSequence())
        while low < high {
            let middle = low + (high - low) / 2
            let next = try EventStore(transaction).page(after: middle, scope: scope, limit: 1).first
            if let next, next.occurredAt < from { low = next.sequence } else { high = middle }
        }
        return low
    }

    /// - Throws: `unknownEvent`.
    package func event(_ id: EventId, caller: Caller) async throws -> EventBody {
        try await database.read { try EventBody(Self.event(id, for: caller, $0), $0) }
    }

    /// Sends an event once more to every webhook that takes it.
    ///
    /// - Returns: to how many.
    /// - Throws: `unknownEvent`, `noWebhook`.
    package func resend(_ id: EventId, caller: Caller) async throws -> EventResendBody {
        let webhooks = webhooks.all
        return try await database.write { transaction in
            let event = try Self.event(id, for: caller, transaction)
            let takers = webhooks.filter { $0.takes(event.type, in: event.scope) }
            guard !takers.isEmpty else { throw RequestError.noWebhook(event.type) }
            let now = try clock.tolerantInstant(transaction)
            for webhook in takers {
                try WebhookStore(transaction).resend(
                    webhook.id, sequence: event.sequence, at: now,
                    until: now.adding(milliseconds: WebhookDelivery.patience))
            }
            return EventResendBody { $0.webhooks = takers.count }
        }
    }

    private static func event(
        _ id: EventId, for caller: Caller, _ transaction: any StoreTransaction
    ) throws -> StoredEvent {
        guard let event = try EventStore(transaction).event(id), event.scope == caller.scope else {
            throw RequestError.unknownEvent(id.description)
        }
        return event
    }
}

/// Keeps the events that become due by themselves, such as the end of a trial (docs/events.md).
public struct DueEvents: Sendable {
    /// How many one transaction takes, so that no request waits long for it.
    static let limit = 200

    let ledger: Ledger
    let clock: RequestClock

    /// - Returns: whether more may be due.
    /// - Throws: `clockBehind`, ``StoreError``, `CancellationError`; events that were kept stay kept.
    public func send() async throws -> Bool {
        let isDue = try await ledger.readInline { transaction in
            let now = try clock.instant(transaction)
            return try DueEventStore(transaction).next().map { $0 <= now } ?? false
        }
        guard isDue else { return false }
        return try await ledger.write(by: .service) { transaction in
            let now = try clock.instant(transaction)
            return try DueEventStore(transaction).send(at: now, limit: Self.limit) == Self.limit
        }
    }
}

extension EventBody {
    /// An event with the customer as known now, and what they had when it was recorded: the same however often it is read
    /// and sent.
    init(_ event: StoredEvent, _ transaction: any StoreTransaction) throws {
        try self.init(of: event)
        customer = event.customer.map(KnownIdentifiers.init)
        if event.type.changesStatus, let customer = event.customer {
            status = CustomerStatus(
                of: customer.identifiers,
                try HistoryStore(transaction).history(of: [customer.number], asOf: event.occurredAt),
                at: event.occurredAt, in: event.scope.environment)
        }
    }

    private init(of event: StoredEvent) throws {
        self.init()
        id = event.id.uuid
        type = event.type
        occurredAt = event.occurredAt
        app = event.scope.bundleId
        environment = event.scope.environment
        do {
            data = try WireJSON.decode(JSONValue.self, from: event.data)
        } catch {
            throw StoreError.corrupt("the data of event \(event.sequence) is not what the service writes")
        }
    }
}

extension EventBody {
    /// The members of `data` that name a product, an offer, a date or a reason, and no customer, purchase, decision or
    /// notification. A member that a type gets later is not shown until it is listed here.
    package static let withoutIdentifiers: Set<String> = [
        "accessEndedAt", "allowed", "changedAt", "delivery", "expiresAt", "failedAt", "gracePeriodExpiresAt", "limit",
        "offerEndsAt", "offerId", "offerIdentifier", "offerType", "outcome", "previousProductId", "productId",
        "purchasedAt", "redeemedAt", "refundedAt", "remaining", "revokedAt", "rules", "signedDate", "state",
        "subscriptionGroupIdentifier", "subtype", "taken", "trialEndsAt", "type", "willAutoRenew",
    ]

    /// An event for those who count and may not see who it is about: without the customer, their status, and every
    /// identifier in its data.
    init(withoutIdentifiers event: StoredEvent) throws {
        try self.init(of: event)
        guard case .object(let members) = data else {
            data = .object([:])
            return
        }
        data = .object(members.filter { Self.withoutIdentifiers.contains($0.key) })
    }
}

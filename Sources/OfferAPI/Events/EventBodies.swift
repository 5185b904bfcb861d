package import OfferModel

/// An event, as webhooks and `GET /v1/events` carry it (docs/events.md).
package struct EventBody: Sendable, Hashable, Codable {
    package var id: LowercaseUUID
    package var type: EventType
    package var occurredAt: Instant
    package var app: BundleId
    package var environment: AppStoreEnvironment
    /// The customer as known now; absent if it is about none, and after an erasure.
    package var customer: KnownIdentifiers?
    /// What the customer had when it was recorded, with events about purchases.
    package var status: CustomerStatus?
    /// What it holds depends on the type.
    package var data: JSONValue

    package init(
        id: LowercaseUUID, type: EventType, occurredAt: Instant, app: BundleId, environment: AppStoreEnvironment,
        customer: KnownIdentifiers?, status: CustomerStatus?, data: JSONValue
    ) {
        self.id = id
        self.type = type
        self.occurredAt = occurredAt
        self.app = app
        self.environment = environment
        self.customer = customer
        self.status = status
        self.data = data
    }
}

/// The answer to a request to send an event again.
package struct EventResendBody: Sendable, Hashable, Codable {
    /// How many webhooks it will be sent to.
    package var webhooks: Int

    package init(webhooks: Int) {
        self.webhooks = webhooks
    }
}

package import OfferModel

/// An event, as webhooks and `GET /v1/events` carry it (docs/events.md).
package struct EventBody: WireObject {
    package var id: LowercaseUUID = .blank
    package var type: EventType = .started
    package var occurredAt: Instant = .blank
    package var app: BundleId = ""
    package var environment: AppStoreEnvironment = .production
    /// The customer as known now; absent if it is about none, and after an erasure.
    package var customer: KnownIdentifiers?
    /// What the customer had when it was recorded, with events about purchases.
    package var status: CustomerStatus?
    /// What it holds depends on the type.
    package var data: JSONValue = .null

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("app", &app)
        members.optional("customer", &customer)
        members.required("data", &data)
        members.required("environment", &environment)
        members.required("id", &id)
        members.required("occurredAt", &occurredAt)
        members.optional("status", &status)
        members.required("type", &type)
    }
}

/// The answer to a request to send an event again.
package struct EventResendBody: WireObject {
    /// How many webhooks it will be sent to.
    package var webhooks = 0

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("webhooks", &webhooks)
    }
}

/// `POST /v1/webhooks/test`.
package struct WebhookTestRequestBody: WireRequest {
    /// The webhook's name, as in the log and the metrics; all of the key's app and environment if absent.
    package var webhook: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("webhook", &webhook)
    }
}

/// The answer: how each receiver took the event.
package struct WebhookTestReport: WireObject {
    package var results: [WebhookTestResult] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("results", &results)
    }
}

package struct WebhookTestResult: WireObject {
    package var webhook = ""
    package var delivered = false
    /// What the receiver answered; absent if it did not.
    package var status: Int?
    package var detail = ""
    package var hint: String?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("delivered", &delivered)
        members.required("detail", &detail)
        members.optional("hint", &hint)
        members.optional("status", &status)
        members.required("webhook", &webhook)
    }
}

import Hummingbird
import OfferAPI
import OfferApplication
import OfferModel

/// `/v1/events`: what happened, and sending it again.
struct EventsController: Sendable {
    let useCases: UseCases
    let limits: HTTPLimits

    /// `GET`: the next events after a cursor, earliest first.
    @Sendable func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        var query = try QueryParameters(request, known: ["type", "from", "limit", "cursor"])
        let type = query.eventType("type")
        let limit = query.limit()
        let from = query.instant("from")
        let after = query.cursor("cursor") { EventId($0) }
        try query.finish()
        return try .json(
            try await useCases.events.page(type: type, from: from, limit: limit, after: after, caller: context.caller))
    }

    @Sendable func show(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        return try .json(try await useCases.events.event(try context.eventId(), caller: context.caller))
    }

    /// `POST …/resend`: 202, because it is sent after the answer.
    @Sendable func resend(_ request: Request, _ context: CallerContext) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        return try .json(
            try await useCases.events.resend(try context.eventId(), caller: context.caller), status: .accepted)
    }

    /// `POST /v1/webhooks/test`: the answer comes after those of the receivers.
    @Sendable func tryWebhooks(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await request.decode(WebhookTestRequestBody.self, upTo: limits.bodyBytes, by: context)
        return try .json(try await useCases.webhookTrials.send(to: body.webhook, caller: context.caller))
    }
}

extension WebhookTestRequestBody: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) { checks.text(webhook, at: .root.appending("webhook")) }
}

extension CallerContext {
    fileprivate func eventId() throws -> EventId { try pathId({ EventId($0) }, or: RequestError.unknownEvent) }
}

extension QueryParameters {
    fileprivate mutating func eventType(_ name: String) -> EventType? {
        guard let text = text(name) else { return nil }
        let type = EventType(rawValue: text)
        if type == nil {
            let types = EventType.allCases.map(\.rawValue)
            refuse(
                name, "is not the type of an event",
                hint: Suggestion.hint(for: text, among: types, noun: "known") ?? "docs/events.md lists them")
        }
        return type
    }
}

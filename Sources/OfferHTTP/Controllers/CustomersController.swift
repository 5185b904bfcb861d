import Hummingbird
import OfferAPI
import OfferApplication

/// `/v1/customers`: one customer's story, what Apple knows of them, what the app sets for them and calls them.
struct CustomersController: Sendable {
    let customers: CustomerLookup
    let attributes: CustomerAttributes
    let unlinking: AliasUnlinking
    let refreshing: CustomerRefresh
    let bodyLimit: Int

    /// Entries of a timeline's page unless `limit` says otherwise, and at most.
    private static let pageSize = (usual: 50, range: 1...200)

    @Sendable func show(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: CustomerQuery.names + ["limit", "cursor"])
        let limit = query.number("limit", in: Self.pageSize.range) ?? Self.pageSize.usual
        let cursor = query.text("cursor").flatMap { text in
            let cursor = TimelineCursor(text: text)
            if cursor == nil { query.refuseCursor("cursor") }
            return cursor
        }
        let story = try await customers.story(
            try CustomerQuery.read(&query), limit: limit, from: cursor, caller: context.caller)
        return try .json(CustomersBody(story))
    }

    @Sendable func refresh(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        let question = try await request.decode(RefreshRequestBody.self, upTo: bodyLimit).question()
        return try .json(RefreshBody(try await refreshing.refresh(question, caller: context.caller)))
    }

    @Sendable func unlink(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        let body = try await request.decode(UnlinkRequestBody.self, upTo: bodyLimit)
        let identifiers = try body.identifiers()
        let result = try await unlinking.unlink(
            CustomerIdentifiers(
                appAccountToken: body.aliases.appAccountToken, customerId: body.aliases.customerId),
            from: identifiers, reason: body.reason, caller: context.caller)
        return try .json(
            UnlinkBody(customers: result.customers.map(CustomerIdentifiersBody.init), unlinked: result.unlinked))
    }

    @Sendable func setAttributes(
        _ request: Request, _ context: CallerContext<ClientAccess>
    ) async throws -> Response {
        let body = try await request.decode(AttributesRequestBody.self, upTo: bodyLimit)
        let identifiers = try body.identifiers()
        let known = try await attributes.replace(body.attributes, of: identifiers, caller: context.caller)
        return try .json(
            AttributesBody(customers: known.map(CustomerIdentifiersBody.init), attributes: body.attributes))
    }
}

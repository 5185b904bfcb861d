import Hummingbird
import OfferAPI
import OfferApplication

/// `/v1/customers`: one customer's story, and what the app sets for them.
struct CustomersController: Sendable {
    let customers: CustomerStories
    let attributes: CustomerAttributes
    let bodyLimit: Int

    @Sendable func show(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: CustomerQuery.names)
        let identifiers = try CustomerQuery.read(&query)
        return try .json(CustomersBody(try await customers.story(identifiers, caller: context.caller)))
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

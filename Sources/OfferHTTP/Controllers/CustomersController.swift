import Hummingbird
import OfferAPI
import OfferApplication

/// `GET /v1/customers`: one customer's story.
struct CustomersController: Sendable {
    let customers: CustomerStories

    @Sendable func show(_ request: Request, _ context: CallerContext<SupportAccess>) async throws -> Response {
        var query = try QueryParameters(request, known: CustomerQuery.names)
        let identifiers = try CustomerQuery.read(&query)
        return try .json(CustomersBody(try await customers.story(identifiers, caller: context.caller)))
    }
}

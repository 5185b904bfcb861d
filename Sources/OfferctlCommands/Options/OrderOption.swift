import ArgumentParser
import NIOHTTP1
import OfferAPI
import OfferModel

/// A customer by the id of an order, which only Apple can look up.
struct OrderOption: ParsableArguments {
    @Option(help: ArgumentHelp("The id of an order on the customer's receipt.", valueName: "id"))
    var orderId: String?

    /// - Throws: `ValidationError` unless the customer is named in one of both ways.
    func checkEither(_ customer: CustomerOptions) throws {
        guard let orderId else { return try customer.checkGiven() }
        guard !orderId.isEmpty else { throw ValidationError("`--order-id` must say something") }
        guard customer.reference.isEmpty else {
            throw ValidationError("an order names its customer by itself: leave `--order-id` or the identifier out")
        }
    }

    /// Has the server look the order up and fetch its customer; `nil` if none is given.
    func found(_ client: OfferdClient) async throws -> CustomerReference? {
        guard let orderId else { return nil }
        let reply = try await client.refresh(RefreshRequestBody(orderId: orderId))
        let customer = reply.body.customers.first
        return CustomerReference(
            originalTransactionId: customer?.originalTransactionIds.first,
            appTransactionId: customer?.appTransactionId)
    }
}

extension OfferdClient {
    /// Has the server ask Apple.
    func refresh(_ request: RefreshRequestBody) async throws -> Reply<RefreshBody> {
        try await call(
            .POST, "/v1/customers/refresh", headers: [("Content-Type", "application/json")],
            body: try WireJSON.encode(request), as: RefreshBody.self)
    }
}

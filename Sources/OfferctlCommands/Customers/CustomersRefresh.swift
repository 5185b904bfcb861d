import ArgumentParser
import OfferAPI

/// `offerctl customers refresh`: fetches what Apple knows of a customer.
struct CustomersRefresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Fetch a customer's purchases, renewals and app transaction from Apple.",
        discussion: """
            Any identifier finds the customer. Somebody unknown here is found by an identifier of Apple's, or by the id of \
            an order as on the customer's receipt. What Apple gives is verified and kept; if nothing of it was refused, \
            the history counts as complete. Needs a key with the role support.

            Example:
              offerctl customers refresh --original-transaction-id 2000000123456789
              offerctl customers refresh --order-id MK5TTTVWJH
            """)

    @OptionGroup
    var customer: CustomerOptions

    @OptionGroup
    var order: OrderOption

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        try order.checkEither(customer)
    }

    func run() async throws {
        try await connection.ask(role: "support", json: json) { client, console in
            let reply = try await client.refresh(
                RefreshRequestBody(
                    customer: order.orderId == nil ? customer.reference : nil, orderId: order.orderId))
            if json {
                console.write(json: reply.json)
            } else {
                let text = RefreshText(palette: console.palette, now: .wallClock)
                console.write(text.story(reply.body))
                for warning in text.warnings(reply.body) { console.note(warning) }
            }
        }
    }
}

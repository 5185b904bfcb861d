import ArgumentParser
import NIOHTTP1
import OfferAPI
import OfferModel

/// `offerctl customers show`: one customer's story.
struct CustomersShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a customer's identifiers, subscriptions, transactions, issued offers and timeline.",
        discussion: """
            Any identifier finds the customer. The id of an order, as on the customer's receipt, is looked up at Apple, \
            which fetches the customer's purchases on the way. The timeline begins with the newest; `--limit` and \
            `--cursor` turn its pages. Needs a key with the role support.

            Example:
              offerctl customers show --original-transaction-id 2000000123456789
              offerctl customers show --order-id MK5TTTVWJH
              offerctl customers show --customer-id user-17 --limit 200
              offerctl customers show --customer-id user-17 --json
            """)

    @OptionGroup
    var customer: CustomerOptions

    @OptionGroup
    var order: OrderOption

    @OptionGroup
    var page: PageOptions

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        try order.checkEither(customer)
    }

    func run() async throws {
        try await connection.ask(role: "support", json: json) { client, console in
            let query = try await order.found(client)?.query ?? customer.query
            let reply = try await client.call(
                .GET, "/v1/customers", query: query + page.query, as: CustomersBody.self)
            if json {
                console.write(json: reply.json)
            } else {
                console.write(CustomerText(palette: console.palette, now: .wallClock).story(reply.body))
                console.noteNext(reply.body.next)
            }
        }
    }
}

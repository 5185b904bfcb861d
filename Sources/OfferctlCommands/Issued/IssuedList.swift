import ArgumentParser
import NIOHTTP1
import OfferAPI

/// `offerctl issued list`: what one customer was given, or everybody.
struct IssuedList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the offers that were issued to a customer, or to all.",
        discussion: """
            Newest first. Any identifier finds the customer; without one it lists everybody's. Needs a key with the role \
            support.

            Example:
              offerctl issued list --customer-id user-17
              offerctl issued list --offer comeback-half-price --limit 20
            """)

    @OptionGroup
    var customer: CustomerOptions

    @Option(help: ArgumentHelp("Only this offer, by its id in the catalog.", valueName: "id"))
    var offer: String?

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var page: PageOptions

    @OptionGroup
    var connection: ServerOptions

    func run() async throws {
        try await connection.ask(role: "support", json: json) { client, console in
            let query = customer.query + (offer.map { [("offerId", $0)] } ?? []) + page.query
            let reply = try await client.call(
                .GET, "/v1/issued-offers", query: query, as: PageBody<IssuedOfferBody>.self)
            guard !json else { return console.write(json: reply.json) }
            console.write(reply.body, IssuedText.table(reply.body.items), empty: "nothing was issued")
        }
    }
}

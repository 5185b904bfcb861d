import ArgumentParser
import NIOHTTP1
import OfferAPI

/// `offerctl offers list`: the offers of the catalog in force.
struct OffersList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the offers of the catalog in force, and which are paused.",
        discussion: """
            Needs a key with the role marketing or support.

            Example:
              offerctl offers list
            """)

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var page: PageOptions

    @OptionGroup
    var connection: ServerOptions

    func run() async throws {
        try await connection.ask(role: "marketing or support", json: json) { client, console in
            let reply = try await client.call(
                .GET, "/v1/offers", query: page.query, as: PageBody<OfferSummaryBody>.self)
            guard !json else { return console.write(json: reply.json) }
            console.write(reply.body, OfferText.table(reply.body.items), empty: "the catalog has no offers")
        }
    }
}

import ArgumentParser
import NIOHTTP1
import OfferAPI
import OfferCatalog
import OfferModel

/// `offerctl offers show`: one offer, for whom it is, and whether it is paused.
struct OffersShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one offer: whether it is given out, for whom, and how often.",
        discussion: """
            Needs a key with the role marketing or support. With --json it is the offer's entry of the list.

            Example:
              offerctl offers show comeback-half-price
            """)

    @Argument(help: ArgumentHelp("The offer, by its id in the catalog.", valueName: "offer"))
    var offer: String

    @Flag(help: "Print the offer's entry of the list as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    func run() async throws {
        try await connection.ask(role: "marketing or support", json: json) { client, console in
            guard let summary = try await find(client) else {
                throw CommandFailure(
                    .no, "the catalog has no offer `\(offer)`", hints: ["`offerctl offers list` shows all"])
            }
            if json {
                console.write(json: try WireJSON.encode(summary))
                return
            }
            let document = try await client.catalogInForce().document
            let details = (try? CatalogReader.read(document))?.value.offer(OfferId(offer))
            console.write(OfferText.lines(summary, details, console.palette).joined(separator: "\n"))
        }
    }

    /// The list has every offer, and is short.
    private func find(_ client: OfferdClient) async throws -> OfferSummaryBody? {
        var cursor: String?
        repeat {
            let page = try await client.call(
                .GET, "/v1/offers", query: cursor.map { [("cursor", $0)] } ?? [],
                as: PageBody<OfferSummaryBody>.self
            ).body
            if let found = page.items.first(where: { $0.offerId.rawValue == offer }) { return found }
            // A server that repeats itself must not keep us.
            cursor = page.next == cursor ? nil : page.next
        } while cursor != nil
        return nil
    }
}

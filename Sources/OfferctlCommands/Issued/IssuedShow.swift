import ArgumentParser
import NIOHTTP1
import OfferAPI
import OfferModel

/// `offerctl issued show`: one issued offer.
struct IssuedShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one issued offer.",
        discussion: """
            Signatures are shown only with --json: whoever has one can use it. Needs a key with the role support or client.

            Example:
              offerctl issued show 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90
            """)

    @OptionGroup
    var issued: IssuedOfferArgument

    @Flag(help: "Print the server's answer as JSON, with the signatures.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    func run() async throws {
        try await connection.ask(role: "support or client", json: json) { client, console in
            let reply = try await client.call(
                .GET, "/v1/issued-offers/\(issued.id)", as: IssuedOfferBody.self)
            guard !json else { return console.write(json: reply.json) }
            console.write(IssuedText.lines(reply.body, console.palette).joined(separator: "\n"))
        }
    }
}

/// Which issued offer is meant.
struct IssuedOfferArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The issued offer, as `issued list` shows it.", valueName: "id"),
        transform: { text in
            guard let id = LowercaseUUID(text) else {
                throw ValidationError("an issued offer's id is a UUID")
            }
            return id
        })
    var id: LowercaseUUID
}

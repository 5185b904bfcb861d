import ArgumentParser
import NIOHTTP1
import OfferAPI

/// `offerctl replay`: decides again what was decided when an offer was issued.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Decide again what was decided when an offer was issued, and show what differs.",
        discussion: """
            Everything that the decision saw was recorded: the moment, the history and limits as they were, the pauses and \
            signals. The same code decides it again, by the same revision of the catalog or by the one named, and writes \
            nothing. Needs a key with the role support.

            Exit status: 0 if it comes out the same, 1 if anything differs.

            Example:
              offerctl replay 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90
              offerctl replay 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90 --catalog-revision 5
            """)

    @OptionGroup
    var issued: IssuedOfferArgument

    @Option(help: ArgumentHelp("Decide by this revision of the catalog instead.", valueName: "revision"))
    var catalogRevision: Int?

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        try catalogRevision.checkRevision()
    }

    func run() async throws {
        try await connection.ask(role: "support", json: json) { client, console in
            let reply = try await client.call(
                .POST, "/v1/issued-offers/\(issued.id)/replay", headers: [("Content-Type", "application/json")],
                body: try WireJSON.encode(ReplayRequestBody(catalogRevision: catalogRevision)), as: ReplayBody.self)
            let text = ReplayText(palette: console.palette)
            if json {
                console.write(json: reply.json)
            } else {
                console.write(text.comparison(reply.body))
            }
            if let warning = text.warning(reply.body) { console.note(warning) }
            if !reply.body.differences.isEmpty { throw CommandFailure.answeredNo }
        }
    }
}

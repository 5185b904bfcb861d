import ArgumentParser
import NIOHTTP1
import OfferAPI

/// `offerctl issued void`: withdraws an issued offer, as far as that can be done.
struct IssuedVoid: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "void",
        abstract: "Give no further signature for an issued offer.",
        discussion: """
            Apple cannot take a signature back: those already given out can be used until they end. So the offer keeps its \
            place under the limits until then. With --release the place is free at once, and the customer may get the \
            offer again although the old signatures still work: that can mean two uses. Needs a key with the role support.

            Example:
              offerctl issued void 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90 --reason mistake
            """)

    @OptionGroup
    var issued: IssuedOfferArgument

    @Option(help: ArgumentHelp("Why, for the record.", valueName: "text"))
    var reason: String

    @Flag(help: "Free its place under the limits at once, although its signatures may still be used.")
    var release = false

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    mutating func validate() throws {
        guard !reason.isEmpty else { throw ValidationError("`--reason` must say something") }
    }

    func run() async throws {
        try await connection.ask(role: "support", json: json) { client, console in
            let request = VoidRequestBody(reason: reason, release: release ? true : nil)
            let reply = try await client.call(
                .POST, "/v1/issued-offers/\(issued.id)/void", headers: [("Content-Type", "application/json")],
                body: try WireJSON.encode(request), as: IssuedOfferBody.self)
            if json {
                console.write(json: reply.json)
            } else {
                console.write(IssuedText.lines(reply.body, console.palette).joined(separator: "\n"))
            }
            console.note("warning: " + risk(reply.body))
        }
    }

    private func risk(_ issued: IssuedOfferBody) -> String {
        let end = TimeText.absolute(issued.expiresAt)
        return release
            ? "its place is free now, and signatures given out already may be used until \(end): that can be two uses"
            : "signatures given out already may be used until \(end); it keeps its place until an hour later"
    }
}

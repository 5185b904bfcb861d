import ArgumentParser
import NIOHTTP1
import OfferAPI
import OfferModel

/// `offerctl offers pause`: the kill switch.
struct OffersPause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop giving out an offer, or all of them, at once.",
        discussion: """
            In force for the next request, and kept by every `catalog apply` until it is resumed. Signatures given out \
            already stay valid at Apple for up to 24 hours. Needs a key with the role marketing.

            Example:
              offerctl offers pause comeback-half-price
              offerctl offers pause --all
            """)

    @OptionGroup
    var target: PauseTarget

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    func run() async throws {
        try await target.change("pause", json: json, connection)
    }
}

/// `offerctl offers resume`: lifts a pause.
struct OffersResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Give out a paused offer again, or lift the pause of all.",
        discussion: """
            The pause of all offers and that of a single one are independent: an offer is given out when neither holds. \
            Needs a key with the role marketing.

            Example:
              offerctl offers resume comeback-half-price
              offerctl offers resume --all
            """)

    @OptionGroup
    var target: PauseTarget

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    @OptionGroup
    var connection: ServerOptions

    func run() async throws {
        try await target.change("resume", json: json, connection)
    }
}

/// What to pause or resume.
struct PauseTarget: ParsableArguments {
    @Argument(help: ArgumentHelp("The offer, by its id in the catalog.", valueName: "offer"))
    var offer: String?

    @Flag(help: "Every offer.")
    var all = false

    mutating func validate() throws {
        guard (offer == nil) == all, offer != "" else {
            throw ValidationError("say either the id of one offer, or `--all`")
        }
    }

    /// Asks the server, and says how the switch stands now.
    fileprivate func change(_ verb: String, json: Bool, _ connection: ServerOptions) async throws {
        try await connection.ask(role: "marketing", json: json) { client, console in
            let path = offer.map { "/v1/offers/\($0.percentEncoded)/\(verb)" } ?? "/v1/offers/\(verb)"
            let reply = try await client.call(.POST, path, as: PauseBody.self)
            if json { console.write(json: reply.json) } else { console.write(PauseText.line(reply.body)) }
            guard let offer, !reply.body.paused, reply.body.everyOfferPaused else { return }
            console.note("warning: every offer is paused, so `\(offer.printable)` is not given out")
            console.note("hint: `offerctl offers resume --all` lifts that")
        }
    }
}
